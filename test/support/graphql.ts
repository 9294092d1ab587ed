import type { TestApp } from './app.ts'

/** Sends a body to /graphql with the key of an application: text as it is, and other values as JSON. */
export function postGraphql(
  { url, key }: Pick<TestApp, 'url' | 'key'>,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
