import type { ApiRequest } from '../../data/api-request.ts'

/*
 * A request as texts to copy: a URL, a command, a program.
 */

/** Returns the texts to copy, by the name of the form. A parameter that is then added with a typing error is refused. */
export function formsOf({ path, query }: ApiRequest, server: string, key: string): Record<string, string> {
  const url = server + path
  const authorization = `Bearer ${key}`
  return {
    curl: `curl -H ${shellQuote(`Authorization: ${authorization}`)} -H 'Prefer: handling=strict' ${shellQuote(url)}`,
    URL: url,
    GraphQL: query,
    JavaScript: `const response = await fetch(${JSON.stringify(url)}, {
  headers: { Authorization: ${JSON.stringify(authorization)}, Prefer: 'handling=strict' },
})
console.log(await response.json())
`,
    Python: `import json
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Authorization": ${JSON.stringify(authorization)}, "Prefer": "handling=strict"},
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
