import { bearer, ITEMS, post, RELATED } from './comparisons.ts'
import { startGateway, startPeer } from './processes.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'
import { type LoadRequest, load } from './wrk.ts'

/*
 * Everything that is said about speed, as ratios against peers that run in turn with the gateway, on the same rows.
 *
 *   npm ci --prefix test/bench/peers
 *   node test/bench/compare.ts postgresql://superuser@host/a-database [rounds]
 */

const [databaseUrl, rounds = '3'] = process.argv.slice(2)
if (!databaseUrl) throw new Error('Give the URL of a database that is empty, or filled by this script')
const SECONDS = 4
const REQUESTS = 1_000
const KEYS = 100

const database = await openWorld(databaseUrl)
await fillWorld(database, [
  { slug: 'towns', items: 20_000, related: true },
  { slug: 'million', items: 1_000_000, related: false },
])
// PostGraphile finds a dataset by its slug where a constraint says that slugs are unique; an index that does is not seen.
await database.withSession((session) =>
  session.query(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conname = 'datasets_slug_key') THEN
      ALTER TABLE datasets ADD UNIQUE USING INDEX datasets_slug_key;
    END IF; END $$`),
)
const keys = await createKeys(database, KEYS)
const [key = ''] = keys

const postgraphile = await startPeer('postgraphile', databaseUrl)
const floor = await startPeer('floor', databaseUrl)
const uncached = await startGateway(databaseUrl, { RESPONSE_CACHE_MB: '0' })
const cached = await startGateway(databaseUrl, { RESPONSE_CACHE_MB: '256' })

interface Side {
  url: string
  requests: LoadRequest[]
}

/** Answers a second of ours and of the peer's, and the median of the ratios of the rounds. */
async function compareRates(ours: Side, peer: Side): Promise<[number, number, number]> {
  const rates: [number, number][] = []
  for (const side of [ours, peer]) await load(side.url, side.requests, 2)
  for (let round = 0; round < Number(rounds); round += 1) {
    const theirs = await load(peer.url, peer.requests, SECONDS)
    rates.push([await load(ours.url, ours.requests, SECONDS), theirs])
  }
  return [median(rates.map(([a]) => a)), median(rates.map(([, b]) => b)), median(rates.map(([a, b]) => a / b))]
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const pages = Array.from({ length: REQUESTS }, (_, n) => n + 1)
/** Each of the requests with ten of the keys, so that each key asks for a hundred of them. */
const mixed = (request: (page: number, key: string) => LoadRequest) =>
  Array.from({ length: 10 }, (_, turn) =>
    pages.map((page) => request(page, keys[(page + turn * 10) % KEYS] ?? key)),
  ).flat()

const listPath = (page: number) => `/v1/datasets/towns/items?page=${page}`
const etags = new Map<number, string>()
for (const page of pages) {
  const response = await fetch(cached.url + listPath(page), { headers: bearer(key) })
  await response.arrayBuffer()
  etags.set(page, response.headers.get('etag') ?? '')
}

// Its first page, the fastest that it has: it walks to others.
const peer = { url: postgraphile.url, requests: [post(ITEMS.postgraphile, { offset: 0 })] }
// Its first page, the fastest that it has: it walks to others.
const peer = {
  url: postgraphile.url,
  requests: pages.map((page) => post(ITEMS.postgraphile, { offset: 20 * (page - 1) })),
}

const measures: [string, number, Side, Side][] = [
  [
    'GraphQL, cache off: 20 items of 7 fields; PostGraphile',
    1.3,
    { url: uncached.url, requests: [post(ITEMS.catalog, {}, key)] },
    peer,
  ],
  [
    'GraphQL, cache off: their images and parents too; PostGraphile',
    1.3,
    { url: uncached.url, requests: [post(RELATED.catalog, {}, key)] },
    { url: postgraphile.url, requests: [post(RELATED.postgraphile, { offset: 0 })] },
  ],
  [
    'REST list of 20, cache off; node:http and pg by hand',
    0.9,
    { url: uncached.url, requests: [{ method: 'GET', path: listPath(1), headers: bearer(key) }] },
    { url: floor.url, requests: [{ method: 'GET', path: '/?dataset=towns' }] },
  ],
  [
    'GraphQL, warm; PostGraphile',
    10,
    { url: cached.url, requests: mixed((page, key) => post(ITEMS.catalog, { page }, key)) },
    peer,
  ],
  [
    'REST, warm; PostGraphile',
    12,
    {
      url: cached.url,
      requests: mixed((page, key) => ({ method: 'GET', path: listPath(page), headers: bearer(key) })),
    },
    peer,
  ],
  [
    '304, warm; PostGraphile',
    15,
    {
      url: cached.url,
      requests: mixed((page, key) => ({
        method: 'GET',
        path: listPath(page),
        headers: { ...bearer(key), 'if-none-match': etags.get(page) ?? '' },
      })),
    },
    peer,
  ],
]
const only = process.env.ONLY?.split(',').map(Number)
process.stdout.write('| measure | ours/s | peer/s | ratio | goal |\n|---|---|---|---|---|\n')
for (const [index, [name, goal, ours, theirs]] of measures.entries()) {
  if (only && !only.includes(index)) continue
  const [ourRate, peerRate, ratio] = await compareRates(ours, theirs)
  process.stdout.write(
    `| ${name} | ${Math.round(ourRate)} | ${Math.round(peerRate)} | ${ratio.toFixed(2)} | ≥ ${goal} |\n`,
  )
}
for (const server of [postgraphile, floor, uncached, cached]) await server.stop()
await database.close()
