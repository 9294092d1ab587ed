import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { TestApp } from './app.ts'

/** The header with a key. */
export const authorization = (key: string) => ({ authorization: `Bearer ${key}` })

/** The objects in lines of JSON. */
export const recordsOf = (ndjson: string) =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Sends a GET. Returns the response when its headers have arrived; the body is not read. */
export async function open(
  t: Pick<TestApp, 'url' | 'key'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const sent = request(t.url + path, { headers: { ...authorization(t.key), ...headers }, agent: false })
    // After the response began, `finish` shows how it ended.
    .on('error', () => {})
    .end()
  const [response] = await once(sent, 'response')
  return response
}

/** Reads the rest of a response. `isComplete` is false if the connection ended before the response did. */
export async function finish(response: IncomingMessage): Promise<{ text: string; isComplete: boolean }> {
  const chunks: Buffer[] = []
  const closed = Promise.withResolvers<void>()
  response
    .on('data', (chunk) => chunks.push(chunk))
    .on('error', () => {})
    .on('close', () => closed.resolve())
  await closed.promise
  return { text: Buffer.concat(chunks).toString(), isComplete: response.complete }
}

/** Sends a GET, reads the response to its end, and returns its status. */
export async function statusOf(
  t: TestApp,
  path: string,
  headers: Record<string, string> = {},
): Promise<number | undefined> {
  const response = await open(t, path, headers)
  await finish(response)
  return response.statusCode
}
