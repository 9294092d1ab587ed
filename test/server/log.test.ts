import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { classifyError } from '../../src/database/client.ts'
import { openMetrics } from '../../src/gateway/telemetry/metrics.ts'
import { OutageLog } from '../../src/gateway/telemetry/outage.ts'
import { startApp, useApp } from '../support/app.ts'
import { openSocket } from '../support/raw.ts'
import { requestText } from '../support/unread.ts'

const LEVEL_INFO = 30

const lines: { level: number; msg: string; requestId?: string; status?: number }[] = []
const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const t = useApp({ corsOrigins: ['https://allowed.example.org'], log, metrics: openMetrics() })

test.each([
  ['/graphql', 'with the length of its body', 'Content-Length: 100'],
  ['/graphql', 'in chunks', 'Transfer-Encoding: chunked'],
  ['/mcp', 'with the length of its body', 'Content-Length: 100'],
])(
  'a POST to %s %s, whose client disconnects before the body is complete, is logged at debug',
  async (path, _, header) => {
    lines.length = 0
    const head = requestText(t.key, path, ' ').slice(0, -5).replace('Content-Length: 1', header)
    const abort = async () => {
      const socket = await openSocket(t.url)
      socket.write(`${head}\r\n\r\n${header.endsWith('chunked') ? '2\r\n{"\r\n' : '{"'}`)
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

const get = (origin: string) => t.get('/v1/datasets', { authorization: `Bearer ${t.key}`, origin })
const warnings = () => lines.filter(({ level }) => level > LEVEL_INFO).map(({ msg }) => msg)
const named = (origin: string) => warnings().filter((msg) => msg.includes(origin))

test('a refused page of another origin leaves one line in the log, which names CORS_ORIGINS', async () => {
  for (const origin of ['https://other.example.org', 'https://other.example.org', 'null']) await get(origin)
  expect(named('https://other.example.org')).toEqual([
    expect.stringContaining('add the origin to CORS_ORIGINS or to its key'),
  ])
  expect(named('origin null')).toHaveLength(1)
})

test('an allowed origin and the own one leave no line', async () => {
  const before = warnings().length
  await get('https://allowed.example.org')
  await get(t.url)
  await t.get('/v1/datasets')
  expect(warnings().length).toBe(before)
})

test('the lines are limited, whatever origins a client sends', async () => {
  for (let n = 0; n < 40; n += 1) await get(`https://${n}.example.org`)
  expect(warnings().length).toBe(20)
})

test('a failed probe leaves a line with the reason, and without a stack', async () => {
  // As Node reports it for the name of two addresses.
  const refusals = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`))
  const ping = () => Promise.reject(classifyError(new AggregateError(refusals)))
  const away = await startApp({ beside: { ...t, database: { ...t.database, ping } }, log })
  lines.length = 0
  expect((await away.get('/readyz')).status).toBe(503)
  await away.close()
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 50,
      reason: 'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    }),
  )
})

test('an outage of the database is one line when it begins, one each 30 seconds with the number, and one when it is over', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const told: string[] = []
    const outage = new OutageLog(pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) }))
    for (let n = 0; n < 200; n += 1) {
      outage.countFailure('id', 'ECONNREFUSED')
      vi.advanceTimersByTime(400)
      outage.end()
    }
    vi.advanceTimersByTime(2_000)
    outage.end()
    outage.end()
    expect(told).toEqual([
      'The database is away: requests get 503',
      'The database is still away: 76 requests failed in 30 seconds',
      'The database is still away: 151 requests failed in 60 seconds',
      'The database is back: 200 requests failed in 82 seconds',
    ])
  } finally {
    vi.useRealTimers()
  }
})
