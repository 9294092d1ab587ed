import type { ApiRequest } from './requests.ts'

/*
 * A request as texts to copy: a URL, a command, a program.
 */

/** Returns the texts to copy, by the name of the form. A request without a REST path is sent to `/graphql`. */
export function formsOf({ path, query, variables }: ApiRequest, origin: string, key: string): Record<string, string> {
  return path === undefined
    ? postForms(query, variables, `${origin}/graphql`, `Bearer ${key}`)
    : getForms(query, origin + path, `Bearer ${key}`)
}

function getForms(query: string, url: string, authorization: string): Record<string, string> {
  return {
    curl: `curl -H ${shellQuote(`Authorization: ${authorization}`)} ${shellQuote(url)}`,
    URL: url,
    GraphQL: query,
    JavaScript: `const response = await fetch(${JSON.stringify(url)}, {
  headers: { Authorization: ${JSON.stringify(authorization)} },
})
console.log(await response.json())
`,
    Python: `import json
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Authorization": ${JSON.stringify(authorization)}},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2, ensure_ascii=False))
`,
  }
}

function postForms(
  query: string,
  variables: ApiRequest['variables'],
  url: string,
  authorization: string,
): Record<string, string> {
  const body = JSON.stringify({ query, variables })
  return {
    curl: `curl -H ${shellQuote(`Authorization: ${authorization}`)} -H 'Content-Type: application/json' \\
  --data-raw ${shellQuote(body)} ${shellQuote(url)}`,
    GraphQL: query,
    JavaScript: `const query = ${JSON.stringify(query)}
const variables = ${JSON.stringify(variables, undefined, 2)}

const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { Authorization: ${JSON.stringify(authorization)}, "Content-Type": "application/json" },
  body: JSON.stringify({ query, variables }),
})
console.log(await response.json())
`,
    // Values are texts and numbers, which JSON and Python write alike.
    Python: `import json
import urllib.request

query = ${JSON.stringify(query)}
variables = ${JSON.stringify(variables, undefined, 4)}

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps({"query": query, "variables": variables}).encode(),
    headers={"Authorization": ${JSON.stringify(authorization)}, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2, ensure_ascii=False))
`,
  }
}

/** Returns the address that opens GraphiQL with a request. */
export function graphiqlPath({ query, variables }: ApiRequest): string {
  const hasVariables = Object.keys(variables).length > 0
  const params = new URLSearchParams({
    query,
    ...(hasVariables && { variables: JSON.stringify(variables, undefined, 2) }),
  })
  return `/graphql?${params}`
}

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
