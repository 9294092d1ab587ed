import { beforeAll, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { addLarge } from '../support/large.ts'
import { openSocket, readAll } from '../support/raw.ts'
import { requestText, sendUnread } from '../support/unread.ts'

/*
 * Requests of one connection that arrive before the response to an earlier one has been read (RFC 9112 section 9.3.2).
 */

const t = useApp({ limits: { maxConnectionsPerAddress: 2_000 } })
beforeAll(async () => {
  await addLarge(t.database.prisma, 'large', 70, "repeat('abcdefgh', 25000)")
})

const LARGE = '/v1/datasets/large/items?limit=70'
const text = (path: string, body?: string) => requestText(t.key, path, body)
const item = (n: number) => `/v1/datasets/seoul/items?limit=1&page=${n}`
const LAST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
/** The page numbers of the responses on a connection, in their order. */
const pagesIn = (answers: string) => [...answers.matchAll(/"page":(\d+),"limit":1,/g)].map(([, page]) => Number(page))

test('are answered in their order, with bodies and without', async () => {
  const socket = await openSocket(t.url)
  const response = readAll(socket)
  const numbers = Array.from({ length: 300 }, (_, n) => n + 1)
  const query = JSON.stringify({ query: '{ dataset(id: "seoul") { items(limit: 1, page: 7) { page limit total } } }' })
  const first = numbers.slice(0, 150).map((n) => text(item(n)))
  const second = numbers.slice(150).map((n) => text(item(n)))
  socket.write(`${first.join('')}${text('/graphql', query)}${second.join('')}${LAST}`)
  expect(pagesIn(await response)).toEqual(numbers.toSpliced(150, 0, 7))
})

test('wait for the ones before: while nothing is read, no other is begun', async () => {
  const socket = await sendUnread(t, LARGE)
  await expect.poll(() => t.app.unread.bytes).toBeGreaterThan(10_000_000)
  const before = t.app.unread.bytes
  t.statements.length = 0
  const paths = Array.from({ length: 300 }, (_, n) => item(1_000 + n))
  socket.write(paths.map((path) => text(path)).join(''))
  // A request on another connection, which comes later, is answered.
  expect((await t.get(item(2_000))).status).toBe(200)
  const count = t.statements.length
  expect((await t.get(item(2_001))).status).toBe(200)
  expect(t.statements.length).toBeLessThanOrEqual(2 * count)
  expect(t.app.unread.bytes).toBe(before)
  const response = readAll(socket)
  socket.write(LAST)
  socket.resume()
  expect(pagesIn(await response)).toEqual(paths.map((_, n) => 1_000 + n))
})

test('are not read while one waits, so one connection may send more than may wait on all together', async () => {
  const socket = await sendUnread(t, LARGE)
  await expect.poll(() => t.app.unread.bytes).toBeGreaterThan(10_000_000)
  const count = 12_000
  socket.write(`${'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)}${LAST}`)
  // The gateway has read what it reads when it has answered later requests.
  for (let n = 0; n < 20; n += 1) expect((await t.get('/healthz')).status).toBe(200)
  const response = readAll(socket)
  socket.resume()
  expect((await response).match(/HTTP\/1\.1 200 /g)).toHaveLength(count + 2)
})

test('that are rubbish wait too, and are answered once, in however many pieces they come', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const socket = await sendUnread(t, LARGE)
  await expect.poll(() => t.app.unread.bytes).toBeGreaterThan(10_000_000)
  for (let n = 0; n < 20; n += 1) {
    socket.write('rubbish\r\n\r\n')
    expect((await t.get('/healthz')).status).toBe(200)
  }
  const response = readAll(socket)
  socket.resume()
  expect((await response).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('are not begun when the client has left', async () => {
  const socket = await sendUnread(t, LARGE)
  await expect.poll(() => t.app.unread.bytes).toBeGreaterThan(10_000_000)
  t.statements.length = 0
  socket.write(Array.from({ length: 50 }, (_, n) => text(item(3_000 + n))).join(''))
  expect((await t.get('/healthz')).status).toBe(200)
  socket.destroy()
  await expect.poll(() => t.app.unread.bytes).toBe(0)
  expect((await t.get('/healthz')).status).toBe(200)
  expect(t.statements).toEqual([])
})

test('are not begun after a response that closes the connection', async () => {
  const socket = await openSocket(t.url)
  const response = readAll(socket)
  t.statements.length = 0
  socket.write(`GET / HTTP/1.1\r\n\r\n${text(item(4_000))}${text(item(4_001))}`)
  expect((await response).match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 400'])
  expect((await t.get('/healthz')).status).toBe(200)
  expect(t.statements).toEqual([])
})

test('are at most 10,000 on all connections together; others are answered meanwhile, and afterwards they are free again', async () => {
  const tiny = 'GET / HTTP/1.1\r\n\r\n'
  const many = async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => sendUnread(t, LARGE)))
    await expect.poll(() => t.app.unread.bytes).toBeGreaterThan(8 * 14_000_000)
    const closed = new Set<unknown>()
    for (const socket of sockets) {
      socket.on('close', () => closed.add(socket))
      // What the kernel holds is more than 10,000 requests, and what Node reads at a time less.
      socket.write(tiny.repeat(3_000))
    }
    // They see it when they read.
    for (const socket of sockets) socket.on('data', () => socket.pause())
    await expect.poll(() => t.app.unread.bytes).toBeLessThan(8 * 14_000_000)
    expect((await t.get(item(5_000))).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => t.app.unread.bytes).toBe(0)
    const later = await openSocket(t.url)
    const response = readAll(later)
    later.write(text(item(6_000)) + text(item(6_001)) + LAST)
    expect(pagesIn(await response)).toEqual([6_000, 6_001])
  }
  await many()
  await many()
})
