import { bearer, getByHash, getQuery, ITEMS, post, postByHash, RELATED } from './comparisons.ts'
import { type Compared, compareLoads, compareTimes, median, type Side, timeOf } from './measure.ts'
import { startGateway, startGo, startPeer } from './processes.ts'
import { CITY } from './seed.ts'
import { createDatabase, createKeys, fillWorld, letPostGraphileFindSlugs, openWorld } from './world.ts'
import { ask, type LoadRequest, load } from './wrk.ts'

/*
 * Measures the figures of docs/decisions/0016-measurements.md as ratios to peers. The gateway and the peers run in turn on the same rows.
 *
 *   apt-get install wrk golang-go golang-github-jackc-pgx-v4-dev
 *   npm install --no-package-lock --prefix test/bench/peers
 *   node test/bench/compare.ts postgresql://superuser@host/a-database-of-its-own [rounds] [pattern of rows]
 */

const [databaseUrl, rounds = '3', rows = ''] = process.argv.slice(2)
if (!databaseUrl) throw new Error('Give the URL of a database that is empty or was filled by this script')
const REQUESTS = 1_000
const KEYS = 100

const database = await openWorld(databaseUrl)
const smallUrl = await createDatabase(databaseUrl, 'catalog_compare_10000')
const small = await openWorld(smallUrl)
await fillWorld(small, [{ slug: 'village', items: 10_000, related: false }])
const [smallKey = ''] = await createKeys(small, 1)
await fillWorld(database, [
  { slug: 'towns', items: 20_000, related: true },
  { slug: 'million', items: 1_000_000, related: false },
  { slug: 'korea', items: 1_000, related: false, isKorean: true },
])
await letPostGraphileFindSlugs(database)
// The searches by hand need an index on locations.
for (const { withSession } of [database, small]) {
  await withSession((session) =>
    session.query('CREATE INDEX IF NOT EXISTS peers_location_idx ON items USING gist (location)'),
  )
}
const keys = await createKeys(database, KEYS)
const [key = ''] = keys

const postgraphile = await startPeer('postgraphile', databaseUrl)
const mercurius = await startPeer('mercurius', databaseUrl)
const floor = await startPeer('floor', databaseUrl)
const uncached = await startGateway(databaseUrl, { RESPONSE_CACHE_MB: '0' })
const smallUncached = await startGateway(smallUrl, { RESPONSE_CACHE_MB: '0' })
const smallFloor = await startPeer('floor', smallUrl)
const inGo = new Map([
  [floor, await startGo(databaseUrl)],
  [smallFloor, await startGo(smallUrl)],
])
const cached = await startGateway(databaseUrl, { RESPONSE_CACHE_MB: '256' })

const pages = Array.from({ length: REQUESTS }, (_, n) => n + 1)
const listPath = (page: number) => `/v1/datasets/towns/items?page=${page}`
const get = (path: string, withKey = key, headers = {}): LoadRequest => ({
  method: 'GET',
  path,
  headers: { ...bearer(withKey), ...headers },
})
/** Each of the 1,000 requests with ten of the 100 keys, so that each key sends a hundred requests. */
const mixed = (request: (page: number, withKey: string) => LoadRequest) =>
  Array.from({ length: 10 }, (_, turn) =>
    pages.map((page) => request(page, keys[(page + turn * 10) % KEYS] ?? key)),
  ).flat()
const etags = new Map<number, string>()
for (const page of pages) {
  const response = await fetch(cached.url + listPath(page), { headers: bearer(key) })
  await response.arrayBuffer()
  etags.set(page, response.headers.get('etag') ?? '')
}

// PostGraphile's first page is its fastest one: for other pages it reads and skips the rows before them.
const peer: Side = { server: postgraphile, requests: [post(ITEMS.postgraphile, { offset: 0 })] }
const peerRelated: Side = { server: postgraphile, requests: [post(RELATED.postgraphile, { offset: 0 })] }
const byJit = (query: string): Side => ({ server: mercurius, requests: [post(query, {})] })
const towns = await database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'towns' } })
const items = await database.prisma.item.findMany({
  where: { datasetId: towns.id },
  take: REQUESTS,
  select: { id: true },
})
const around = `latitude=${CITY.latitude}&longitude=${CITY.longitude}&radius=1000`
const byHand = (...paths: string[]): Side => ({
  server: floor,
  requests: paths.map((path) => ({ method: 'GET', path })),
})

const listBytes = Buffer.byteLength(await (await fetch(cached.url + listPath(1), { headers: bearer(key) })).text())

type Rate = [name: string, goal: number | undefined, ours: Side, other: Side]
const rates: Rate[] = [
  [
    'GraphQL, cache off: 20 items of 7 fields; PostGraphile',
    1.7,
    { server: uncached, requests: [post(ITEMS.catalog, {}, key)] },
    peer,
  ],
  [
    'GraphQL, cache off: their images and parents too; PostGraphile',
    2,
    { server: uncached, requests: [post(RELATED.catalog, {}, key)] },
    peerRelated,
  ],
  [
    'GraphQL, cache off: 20 items of 7 fields; Mercurius with JIT',
    1,
    { server: uncached, requests: [post(ITEMS.catalog, {}, key)] },
    byJit(ITEMS.catalog),
  ],
  [
    'GraphQL, cache off: their images and parents too; Mercurius with JIT',
    1,
    { server: uncached, requests: [post(RELATED.catalog, {}, key)] },
    byJit(RELATED.catalog),
  ],
  [
    'REST list, cache off; `node:http` and `pg` by hand',
    0.95,
    { server: uncached, requests: [get(listPath(1))] },
    byHand('/?dataset=towns'),
  ],
  [
    'REST list in Korean, cache off; by hand',
    1,
    { server: uncached, requests: [get('/v1/datasets/korea/items')] },
    byHand('/?dataset=korea'),
  ],
  [
    'REST item with images, cache off; by hand',
    0.95,
    { server: uncached, requests: items.map(({ id }) => get(`/v1/dataset-items/${id}`)) },
    byHand(...items.map(({ id }) => `/item?id=${id}`)),
  ],
  [
    'REST nearby, 10,000 items, cache off; plain PostGIS by hand',
    0.9,
    { server: smallUncached, requests: [get(`/v1/dataset-items/nearby?${around}`, smallKey)] },
    { server: smallFloor, requests: [{ method: 'GET', path: `/nearby?${around}` }] },
  ],
  [
    'REST datasets, cache off; REST list by hand',
    1,
    { server: uncached, requests: [get('/v1/datasets')] },
    byHand('/?dataset=towns'),
  ],
  [
    'GraphQL, warm; PostGraphile',
    7.5,
    { server: cached, requests: mixed((page, withKey) => post(ITEMS.catalog, { page }, withKey)) },
    peer,
  ],
  ...(
    [
      ['', 10, {}],
      [', gzip', 10, { 'accept-encoding': 'gzip' }],
      [', br', 10, { 'accept-encoding': 'br' }],
    ] as const
  ).map(
    ([coding, goal, headers]): Rate => [
      `REST list, warm${coding}; PostGraphile`,
      goal,
      { server: cached, requests: mixed((page, withKey) => get(listPath(page), withKey, headers)) },
      peer,
    ],
  ),
  [
    'REST list, warm; `node:http` alone, a constant of as many bytes',
    0.75,
    { server: cached, requests: mixed((page, withKey) => get(listPath(page), withKey)) },
    byHand(`/constant?bytes=${listBytes}`),
  ],
  [
    'REST list, warm, 304; PostGraphile',
    12,
    {
      server: cached,
      requests: mixed((page, withKey) => get(listPath(page), withKey, { 'if-none-match': etags.get(page) ?? '' })),
    },
    peer,
  ],
]

// A client registers a document once, and then sends its hash.
await load(cached.url, [postByHash(ITEMS.catalog, {}, key, 'register')], 1)
await load(uncached.url, [postByHash(ITEMS.catalog, {}, key, 'register')], 1)
for (const [what, server] of [
  ['cache off', uncached],
  ['warm', cached],
] as const) {
  const posted: Side = { server, requests: pages.map((page) => post(ITEMS.catalog, { page }, key)) }
  const side = (request: (page: number) => LoadRequest): Side => ({ server, requests: pages.map(request) })
  rates.push(
    [`GraphQL by GET, ${what}; by POST`, 0.97, side((page) => getQuery(ITEMS.catalog, { page }, key)), posted],
    [`GraphQL by hash, ${what}; by text`, 0.97, side((page) => postByHash(ITEMS.catalog, { page }, key)), posted],
    [
      `GraphQL by hash and GET, ${what}; by POST`,
      0.97,
      side((page) => getByHash(ITEMS.catalog, { page }, key)),
      posted,
    ],
  )
}

const bigPage = (page: number) => () => ask(uncached.url, get(`/v1/datasets/million/items?page=${page}`))
const connection = (after: string | null) => () => ask(uncached.url, post(CONNECTION, { after }, key))
const CONNECTION = `query ($after: String) { dataset(id: "million") { itemConnection(first: 20, after: $after) {
  nodes { id name description categoryCode latitude longitude createdAt } pageInfo { hasNextPage endCursor } } } }`
const search = (
  latitude: number,
  longitude: number,
  radius: number,
): [() => Promise<unknown>, () => Promise<unknown>] => {
  const circle = `latitude=${latitude}&longitude=${longitude}&radius=${radius}`
  return [
    () => ask(uncached.url, get(`/v1/dataset-items/nearby?${circle}`)),
    () => ask(floor.url, { method: 'GET', path: `/nearby?${circle}` }),
  ]
}

const times: [string, number, number, [() => Promise<unknown>, () => Promise<unknown>]][] = [
  ['REST page 5,000 of 1,000,000 items; page 1', 2, 200, [bigPage(5_000), bigPage(1)]],
  ['`itemConnection` at depth 100,000; depth 0', 1.2, 200, [connection(await cursorAt(100_000)), connection(null)]],
  ['nearby, 50 km around the city; plain PostGIS', 1 / 50, 15, search(CITY.latitude, CITY.longitude, 50_000)],
  ['nearby, 1 km in the city; plain PostGIS', 1.1, 50, search(CITY.latitude, CITY.longitude, 1_000)],
  ['nearby, 1 km, sparse; plain PostGIS', 1.1, 300, search(await latitudeOfALonelyItem(), 20, 1_000)],
  ['nearby, 1 km, nothing there; plain PostGIS', 1.1, 300, search(-40.123, -120.456, 1_000)],
  ['nearby, 1 km, pole; plain PostGIS', 1.1, 300, search(90, 0, 1_000)],
  ['nearby, 1 km, antimeridian; plain PostGIS', 1.1, 300, search(0, 180, 1_000)],
]

process.stdout.write('| measure; against | ours | other | ratio | goal |\n|---|---|---|---|---|\n')
const isWanted = ([name]: readonly [string, ...unknown[]]) => new RegExp(rows).test(name)
for (const [name, goal, ours, other] of (await withGo(rates)).filter(isWanted)) {
  const { rate, processor } = await compareLoads(ours, other, Number(rounds))
  print(name, '/s', rate, goal === undefined ? '' : `≥ ${goal}`)
  print('processor time of a request', ' µs', processor, '')
}
for (const [name, goal, turns, [ours, other]] of times.filter(isWanted)) {
  print(name, ' ms', await compareTimes(ours, other, turns), `≤ ${goal}`)
}
const delays = await commitDelays()
process.stdout.write(
  `| commit to first new response, ${delays.length} times, median and worst | ${median(delays).toFixed(1)} ms | ${Math.max(...delays).toFixed(1)} ms | | ≤ 1000 ms |\n`,
)
for (const server of [postgraphile, mercurius, floor, uncached, smallUncached, smallFloor, cached, ...inGo.values()])
  await server?.stop()
await database.close()
await small.close()

function print(name: string, unit: string, { ours, other, ratio }: Compared, goal: string): void {
  const figures = [ours, other].map((value) => `${value >= 100 ? Math.round(value) : value.toFixed(2)}${unit}`)
  process.stdout.write(
    `| ${[name, ...figures, ratio < 0.1 ? ratio.toFixed(3) : ratio.toFixed(2), goal].join(' | ')} |\n`,
  )
}

/** Adds a row to each that compares with a server by hand: beside the one in Go, which gives the same bytes. */
async function withGo(rows: readonly Rate[]): Promise<Rate[]> {
  const all: Rate[] = []
  for (const row of rows) {
    all.push(row)
    const [name, , ours, { server, requests }] = row
    const go = inGo.get(server)
    if (!go) continue
    for (const request of requests) {
      if ((await ask(go.url, request)) !== (await ask(server.url, request)))
        throw new Error(`${request.path} differs in Go`)
    }
    all.push([`${name.split(';')[0]}; the same in Go`, undefined, ours, { server: go, requests }])
  }
  if (!inGo.get(floor)) process.stderr.write('Go is not installed, so nothing is compared with the server in Go\n')
  return all
}

/** The cursor of the item at a position in the order by name. */
async function cursorAt(depth: number): Promise<string> {
  const dataset = await database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'million' } })
  const { name, id } = await database.prisma.item.findFirstOrThrow({
    where: { datasetId: dataset.id },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    skip: depth,
  })
  return Buffer.from(JSON.stringify([dataset.id, 'name', name, id])).toString('base64url')
}

/** The latitude in degrees of an item near the meridian of 20 degrees. Few other items lie within a kilometre of it. */
async function latitudeOfALonelyItem(): Promise<number> {
  const item = await database.prisma.item.findFirstOrThrow({
    where: { longitude: { gte: 19.999, lte: 20.001 }, latitude: { gte: -60, lte: 20 } },
  })
  return Number(item.latitude)
}

/** Milliseconds from a commit in the database until a response of the gateway, requested without pause, shows it. */
async function commitDelays(): Promise<number[]> {
  const path = '/v1/datasets/towns'
  return database.withSession(async (session) => {
    const delays: number[] = []
    for (let turn = 0; turn < 100; turn += 1) {
      const description = `Change ${turn} at ${Date.now()}`
      await ask(cached.url, get(path))
      await session.query("UPDATE datasets SET description = $1 WHERE slug = 'towns'", [description])
      delays.push(
        await timeOf(async () => {
          while (JSON.parse(await ask(cached.url, get(path))).data.description !== description);
        }),
      )
    }
    return delays
  })
}
