import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { openDatabase } from '../../src/database/database.ts'
import { callOf } from '../mcp/client.ts'
import { ask } from '../support/connections.ts'
import { createEmpty } from '../support/database.ts'
import { addLarge } from '../support/large.ts'
import { type Gateway, startGateway } from '../support/process.ts'
import { openSocket } from '../support/raw.ts'
import type { EmptyDatabase } from '../support/template.ts'
import { requestText, sendUnread } from '../support/unread.ts'

/*
 * The greatest memory of a process, as docs/limits.md#memory computes it, under everything that clients may do.
 */

const [HEAP_MB, CACHE_MB, UNREAD_MB, IN_FLIGHT, EXPORTS] = [384, 16, 64, 20, 4]
/** The size of the largest response of GraphQL below. */
const LARGEST_MB = 5
const EMBEDDED_MB = inject('template').kind === 'embedded' ? 1_000 : 0
const GREATEST_MB = 200 + HEAP_MB + CACHE_MB + 2 * UNREAD_MB + IN_FLIGHT * LARGEST_MB + 30 * EXPORTS + EMBEDDED_MB

/** Requests at each door at the same time. */
const CLIENTS = 60

let empty: EmptyDatabase
let gateway: Gateway
const keys: string[] = []
const keyOf = (n: number) => keys[n % keys.length] ?? ''
beforeAll(async () => {
  empty = await createEmpty()
  const database = await openDatabase(empty.config, { share: true })
  // A page of OGC API Features has 16 MB, which is the most.
  await addLarge(database.prisma, 'many', 20_000, "repeat('abcdefgh', 120)")
  for (let n = 0; n < 5; n += 1) keys.push((await createKey(database.prisma, { name: `key ${n}` })).key)
  await database.close()
  gateway = await startGateway({
    ...empty.env,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    SAMPLE_DATA: 'false',
    RESPONSE_CACHE_MB: String(CACHE_MB),
    UNREAD_RESPONSES_MB: String(UNREAD_MB),
    MAX_REQUESTS_IN_FLIGHT: String(IN_FLIGHT),
    MAX_EXPORTS: String(EXPORTS),
  })
})
afterAll(async () => {
  await gateway.stop()
  await empty.drop()
})

/** The greatest resident memory of the gateway since its start, in MB. */
function peakMegabytes(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

const page = (n: number) => `/ogc/collections/many/items?limit=${10_000 - n}`
const graphql = (name: string, selection: (n: number) => string): [string, string] => {
  const fields = Array.from({ length: 49 }, (_, n) => `${name}_${n}: ${selection(n)}`)
  return ['/graphql', JSON.stringify({ query: `{ dataset(id: "many") { ${fields.join(' ')} } }` })]
}

/** A request to each door; each `n` is another one, which no cache has. */
const DOORS: readonly [string, (n: number) => [string, string?]][] = [
  ['REST', (n) => [`/v1/datasets/many/items?limit=100&page=${n + 1}`]],
  ['the search', (n) => [`/search?text=place&limit=100&page=${n + 1}`]],
  ['OGC API Features', (n) => [page(n)]],
  ['an export', () => ['/exports/many.ndjson']],
  ['an export with a column for each attribute', () => ['/exports/many.csv?flat=true']],
  ['a GeoParquet export', () => ['/exports/many.parquet']],
  ['tiles', (n) => [`/tiles/many/${n % 19}/0/0.mvt`]],
  ['facets', (n) => graphql(`f${n}`, () => 'categories { code total }')],
  ['GraphQL', (n) => graphql(`i${n}`, (k) => `items(limit: 100, page: ${k + 1}) { nodes { id name description } }`)],
  ['a tool call', (n) => ['/mcp', callOf('listItems', { datasetId: 'many', limit: 100, page: n + 1 })]],
  ['the explorer', () => ['/']],
  ['the definition of the API', () => ['/v1/openapi.json']],
]

const sockets: Socket[] = []
const leave = () => {
  for (const socket of sockets.splice(0)) socket.destroy()
}

const askAs = async (n: number, [path, body]: [string, string?]) => {
  const headers = { authorization: `Bearer ${keyOf(n)}` }
  return ask(gateway.url + path, { headers, ...(body !== undefined && { body }) })
}
const leaveUnread = async (requests: readonly [string, string?][]) => {
  for (const [n, request] of requests.entries()) {
    sockets.push(await sendUnread({ url: gateway.url, key: keyOf(n) }, ...request))
  }
  // These arrive before a later one, which is answered.
  expect((await ask(`${gateway.url}/healthz`)).status).toBe(200)
}

test.each(DOORS)(
  'memory has its bound while many clients read %s, and while they do not read it',
  async (_door, requestOf) => {
    // What clients have left before may still be in progress.
    await expect
      .poll(() => askAs(0, requestOf(CLIENTS)))
      .toMatchObject({ status: 200, body: expect.not.stringContaining('"errors"') })
    const requests = Array.from({ length: CLIENTS }, (_, n) => requestOf(n))
    const statuses = (await Promise.all(requests.map((request, n) => askAs(n, request)))).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    await leaveUnread(requests)
    await sleep(1_000)
    leave()
    expect(peakMegabytes()).toBeLessThan(GREATEST_MB)
  },
)

test('memory has its bound while large pages are pipelined, whether they are read or not', async () => {
  for (let n = 0; n < 10; n += 1) {
    const socket = await openSocket(gateway.url)
    sockets.push(socket.pause())
    socket.write(Array.from({ length: 300 }, (_, k) => requestText(keyOf(n), page(k))).join(''))
  }
  await sleep(1_000)
  for (const socket of sockets.slice(5)) socket.resume()
  await sleep(3_000)
  leave()
  expect(peakMegabytes()).toBeLessThan(GREATEST_MB)
})

test('memory has its bound while all of this happens at the same time, and afterwards all keys are served', async () => {
  for (const [, requestOf] of DOORS) await leaveUnread(Array.from({ length: CLIENTS }, (_, n) => requestOf(n)))
  await sleep(3_000)
  leave()
  expect(peakMegabytes()).toBeLessThan(GREATEST_MB)
  for (const n of keys.keys()) await expect.poll(() => askAs(n, [page(100)])).toMatchObject({ status: 200 })
})
