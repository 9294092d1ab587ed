import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { callOf } from '../mcp/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { addLarge } from '../support/large.ts'
import { readAll } from '../support/raw.ts'
import { sendUnread } from '../support/unread.ts'

/*
 * Responses that their clients do not read. Each is longer than what the kernel holds for a connection.
 */

const MB = 1024 * 1024
const [ITEMS, DESCRIPTION] = [70, "repeat('abcdefgh', 25000)"]
/** Of one response: 70 items of 200 kB. */
const SIZE = ITEMS * 200_000

/** The dataset `many` is for OGC API Features, whose pages hold at most 4 MB for each 2,500 features. */
const addData = async ({ database: { prisma } }: TestApp) => {
  await addLarge(prisma, 'large', ITEMS, DESCRIPTION)
  await addLarge(prisma, 'many', 10_000, "repeat('abcdefgh', 120)")
}

const DOORS: [string, string, string?][] = [
  ['REST', '/v1/datasets/large/items?limit=70'],
  ['the search', '/search?text=place&datasetId=large&limit=70'],
  ['OGC API Features', '/ogc/collections/many/items?limit=10000'],
  [
    'GraphQL',
    '/graphql',
    JSON.stringify({ query: '{ dataset(id: "large") { items(limit: 70) { nodes { description } } } }' }),
  ],
  [
    'GraphQL by GET',
    `/graphql?query=${encodeURIComponent('{dataset(id:"large"){items(limit:70){nodes{description}}}}')}`,
  ],
  // Its result has the items twice.
  ['a tool call', '/mcp', callOf('listItems', { datasetId: 'large', limit: 36 })],
]

/** Cuts off clients that read nothing, and logs it. The others have its database: the data takes long to insert. */
let stalling: TestApp
const lines: string[] = []
beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  stalling = await startApp({ limits: { responseStallTimeoutMs: 400 }, log })
  await addData(stalling)
})
afterAll(() => stalling.close())

const sockets: Socket[] = []
const unread = async (app: Pick<TestApp, 'url' | 'key'>, path: string, body?: string) => {
  const socket = await sendUnread(app, path, body)
  sockets.push(socket)
  return socket
}
const leave = () => {
  for (const socket of sockets.splice(0)) socket.destroy()
}

describe('A client that reads nothing for the time of the setting', () => {
  beforeEach(() => void lines.splice(0))
  afterEach(leave)

  test.each([...DOORS, ['an export', '/exports/large.ndjson']])(
    'is cut off by %s, the log says why, and nothing of the response is left',
    async (_door, path, body) => {
      const before = stalling.app.unread.cutOff
      const socket = await unread(stalling, path, body)
      await expect.poll(() => stalling.app.unread.cutOff).toBe(before + 1)
      expect(stalling.app.unread.bytes).toBe(0)
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          requestId: expect.any(String),
          msg: 'The response was cut off: the client read nothing for 400 ms',
        }),
      ])
      const text = readAll(socket)
      socket.resume()
      expect((await text).length).toBeLessThan(SIZE)
    },
  )

  test('is not cut off if it reads slowly', async () => {
    const cutOffOfSlow = async () => {
      const before = stalling.app.unread.cutOff
      const socket = await unread(stalling, '/v1/datasets/large/items?limit=70')
      let [length, chunks] = [0, 0]
      socket.on('data', (data) => {
        length += data.length
        chunks += 1
        // A chunk has at most 64 kB. It takes the response in a second or two, which is several times the time of the setting.
        if (chunks % 10 === 0) socket.pause()
      })
      while (length < SIZE && !socket.destroyed) {
        socket.resume()
        await sleep(50)
      }
      return stalling.app.unread.cutOff - before
    }
    // A busy machine may not run the client for the time of the setting. So the test asks again.
    await expect.poll(cutOffOfSlow).toBe(0)
  })

  test('and has nothing to read, stays connected', async () => {
    const socket = await unread(stalling, '/healthz')
    await sleep(1_000)
    expect(socket.destroyed).toBe(false)
    const text = readAll(socket)
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    socket.resume()
    expect((await text).match(/HTTP\/1.1 200/g)).toHaveLength(2)
  })
})

describe('The memory for responses that are not read', () => {
  let t: TestApp
  let other: Pick<TestApp, 'url' | 'key'>
  const statusFor = async ({ key }: Pick<TestApp, 'key'>, path: string, body?: string) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    }
    const response = await fetch(t.url + path, body === undefined ? { headers } : { method: 'POST', headers, body })
    const text = await response.text()
    return [response.status, response.headers.get('retry-after'), text.includes('SERVICE_UNAVAILABLE')]
  }
  beforeAll(async () => {
    t = await startApp({ beside: stalling, limits: { unreadBytes: 50 * MB }, responseCacheBytes: 0 })
    other = { url: t.url, key: (await createKey(t.database.prisma, { name: 'other' })).key }
  })
  afterAll(() => t.close())
  afterEach(async () => {
    leave()
    await expect.poll(() => t.app.unread.bytes).toBe(0)
  })

  const [[, LIST]] = [DOORS[0] ?? ['', '']]
  /** Sends requests one after the other, until the key has its share of the memory. */
  const fillShare = async (app: Pick<TestApp, 'url' | 'key'>) => {
    for (let n = 1; n <= 2; n += 1) {
      const before = t.app.unread.bytes
      await unread(app, LIST)
      await expect.poll(() => t.app.unread.bytes).toBeGreaterThanOrEqual(before + SIZE)
    }
  }

  test('of an export: what the client sends meanwhile is answered after it', async () => {
    const socket = await unread(t, '/exports/large.ndjson')
    await once(socket, 'readable')
    socket.write('no request\r\n\r\n')
    const text = readAll(socket)
    socket.resume()
    const [sent = '', ...after] = (await text).split('\r\n0\r\n\r\n')
    expect(sent).not.toContain('VALIDATION_FAILED')
    expect(after).toEqual([expect.stringMatching(/^HTTP\/1\.1 400 VALIDATION_FAILED\r\n/)])
  })

  test.each(DOORS)(
    'has a share for each key: then it gets 503 from %s, and other keys go on',
    async (_door, path, body) => {
      await fillShare(t)
      expect(await statusFor(t, path, body)).toEqual(path === '/mcp' ? [200, null, true] : [503, '1', true])
      expect(await statusFor(other, path, body)).toEqual([200, null, false])
      expect(await statusFor(other, '/v1/datasets')).toEqual([200, null, false])
    },
  )

  test('refuses a response without the headers of the success', async () => {
    await unread(t, LIST)
    await expect.poll(() => t.app.unread.bytes).toBeGreaterThanOrEqual(SIZE)
    const items = 'items(limit: 70) { nodes { description } }'
    const query = encodeURIComponent(`{ dataset(id: "large") { a: ${items} b: ${items} } }`)
    const headers = { authorization: `Bearer ${t.key}` }
    const { status, headers: given } = await fetch(`${t.url}/graphql?query=${query}`, { headers })
    expect([status, given.get('etag'), given.get('content-encoding')]).toEqual([503, null, null])
  })

  test('is free again when clients read', async () => {
    await fillShare(t)
    expect(await statusFor(t, LIST)).toEqual([503, '1', true])
    for (const socket of sockets) socket.resume()
    await expect.poll(() => statusFor(t, LIST)).toEqual([200, null, false])
  })

  test('has room for a response that is longer than the bound, if no other waits', async () => {
    const small = await startApp({ beside: stalling, limits: { unreadBytes: MB }, responseCacheBytes: 0 })
    try {
      const { status } = await small.get(LIST)
      expect(status).toBe(200)
      await unread(small, LIST)
      await expect.poll(() => small.app.unread.bytes).toBeGreaterThanOrEqual(SIZE)
      expect((await small.get(LIST)).status).toBe(503)
      expect((await small.get('/healthz')).status).toBe(200)
    } finally {
      await small.close()
    }
  })
})
