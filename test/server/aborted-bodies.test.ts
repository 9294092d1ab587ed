import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMetrics } from '../../src/gateway/telemetry/metrics.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openSocket } from '../support/raw.ts'

const LEVEL_INFO = 30

const lines: { level: number; msg: string; requestId?: string; status?: number }[] = []
let t: TestApp
beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  t = await startApp({ log, metrics: openMetrics() })
})
afterAll(() => t.close())

test.each([
  ['/graphql', 'with the length of its body', 'Content-Length: 100'],
  ['/graphql', 'in chunks', 'Transfer-Encoding: chunked'],
  ['/mcp', 'with the length of its body', 'Content-Length: 100'],
])(
  'a POST to %s %s, whose client disconnects before the body is complete, is logged at debug',
  async (path, _, header) => {
    lines.length = 0
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${t.key}`,
      'Content-Type: application/json',
      ...['Accept: application/json, text/event-stream', header],
    ]
    const abort = async () => {
      const socket = await openSocket(t.url)
      socket.write(`${head.join('\r\n')}\r\n\r\n${header.endsWith('chunked') ? '2\r\n{"\r\n' : '{"'}`)
      await t.get('/healthz')
      socket.destroy()
      return lines.map(({ msg }) => msg)
    }
    // A client that disconnects before its key is found leaves no such line.
    await expect.poll(abort).toContain('The client disconnected before its body was complete')
    await expect.poll(() => lines).toContainEqual(expect.objectContaining({ msg: 'request', route: path, status: 499 }))
    expect(lines.filter(({ level }) => level > LEVEL_INFO)).toEqual([])
  },
)
