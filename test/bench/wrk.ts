import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A request that wrk sends. */
export interface LoadRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/**
 * Sends the request once.
 * @returns the body
 * @throws Error if the response is not 200
 */
export async function ask(url: string, { path, method, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(url + path, { method, ...(headers && { headers }), ...(body !== undefined && { body }) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}${path} is ${response.status}: ${text}`)
  return text
}

/** wrk's Lua script runs out of memory or time with many more. */
const MAX_REQUESTS = 20_000

interface LoadOptions {
  /** The number of connections; 16 by default. */
  connections?: number
  /** The time that each connection waits before it sends the next request. */
  pauseMs?: number
}

/**
 * Sends the requests in turn, again and again, with wrk (Debian's package of that name).
 * @returns the responses per second
 * @throws Error if a response is not 200 or 304
 */
export async function load(
  url: string,
  requests: readonly LoadRequest[],
  seconds: number,
  { connections = 16, pauseMs = 0 }: LoadOptions = {},
): Promise<number> {
  if (requests.length > MAX_REQUESTS) throw new RangeError(`At most ${MAX_REQUESTS} requests`)
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    const script = join(folder, 'requests.lua')
    await writeFile(script, SCRIPT(requests) + (pauseMs > 0 ? `function delay() return ${pauseMs} end\n` : ''))
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url]
    const { stdout } = await promisify(execFile)('wrk', args)
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} did not answer all:\n${stdout}`)
    return Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1])
  } finally {
    await rm(folder, { recursive: true })
  }
}

const SCRIPT = (requests: readonly LoadRequest[]) => `
local requests, n = {}, 0
function init()
${requests.map(({ method, path, headers = {}, body }) => `  requests[#requests + 1] = wrk.format(${[method, path].map(lua)}, {${Object.entries(headers).map(([name, value]) => `[${lua(name)}] = ${lua(value)}`)}}, ${body === undefined ? 'nil' : lua(body)})`).join('\n')}
end
function request()
  n = n % #requests + 1
  return requests[n]
end
`

/** A string literal of Lua, in which escapes are decimal. */
function lua(text: string): string {
  return `"${text.replace(/[\\"\n\r]/g, (character) => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`)}"`
}
