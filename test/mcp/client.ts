import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** A tool's result. */
export interface ToolResult {
  isError?: boolean
  content: { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its content
  structuredContent: any
  /** Only of an error: the members of REST's error. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its content
  _meta?: { error: any }
}

/** The protocol of 2025 begins with `initialize`; that of 2026-07-28 has no session and begins with `server/discover`. */
export type Era = '2025-11-25' | '2026-07-28'

/** Connects the SDK's own client, as a desktop agent does. */
export async function connect(url: string, key: string, era: Era = '2025-11-25'): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } } },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

/** Sends the body of a message with a key, without the SDK. */
export function post(
  url: string,
  key: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const own = { authorization: `Bearer ${key}`, accept: 'application/json', 'content-type': 'application/json' }
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...own, ...headers }, body })
}

/** The body of a tool call. */
export function callOf(name: string, given: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })
}

/** Calls a tool without the SDK. */
export async function callTool(url: string, key: string, name: string, given: object = {}): Promise<ToolResult> {
  const { result } = await (await post(url, key, callOf(name, given))).json()
  return result
}
