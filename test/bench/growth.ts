import { writeFile } from 'node:fs/promises'
import { bearer } from './comparisons.ts'
import { median, timeOf } from './measure.ts'
import { type Line, plot } from './plot.ts'
import { startGateway } from './processes.ts'
import { CITY } from './seed.ts'
import { createDatabase, createKeys, fillWorld, openWorld } from './world.ts'

/*
 * Measures the response time of every route for catalogs of different sizes: the median of requests one after the other, with the
 * cache off. It creates and fills a database on the server for each size, and writes growth.svg, which docs/decisions/0016-measurements.md shows.
 *
 *   node test/bench/growth.ts postgresql://superuser@host/postgres [items...]
 */

const [serverUrl, ...sizes] = process.argv.slice(2)
if (!serverUrl) throw new Error('Give the URL of a server, and numbers of items')
const SIZES = sizes.length > 0 ? sizes.map(Number) : [10_000, 100_000, 1_000_000]
const TURNS = 100

const CITY_POINT = `latitude=${CITY.latitude}&longitude=${CITY.longitude}`
/** The requests by name. A path depends on the number of items in the catalog and on the id of one of them. */
const PATHS: [string, (items: number, id: string) => string][] = [
  ['datasets', () => '/v1/datasets'],
  ['a dataset', () => '/v1/datasets/world'],
  ['items, page 1', () => '/v1/datasets/world/items'],
  ['items, a page in the middle', (items) => `/v1/datasets/world/items?page=${items / 40}`],
  ['items of a category, by time', () => '/v1/datasets/world/items?categoryCode=c3&sort=createdAt'],
  ['an item', (_items, id) => `/v1/dataset-items/${id}`],
  ['nearby, 1 km, sparse', () => '/v1/dataset-items/nearby?latitude=0&longitude=20'],
  ['nearby, 50 km around the city', () => `/v1/dataset-items/nearby?${CITY_POINT}&radius=50000`],
]

const lines = new Map<string, Line>(PATHS.map(([name]) => [name, { name, points: [] }]))
for (const items of SIZES) {
  const url = await createDatabase(serverUrl, `catalog_growth_${items}`)
  const database = await openWorld(url)
  await fillWorld(database, [{ slug: 'world', items, related: false }])
  const [key = ''] = await createKeys(database, 1)
  const { id } = await database.prisma.item.findFirstOrThrow()
  await database.close()
  const gateway = await startGateway(url, { RESPONSE_CACHE_MB: '0' })
  for (const [name, pathOf] of PATHS) {
    const ask = async () => {
      const response = await fetch(gateway.url + pathOf(items, id), { headers: bearer(key) })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${name} is ${response.status}`)
    }
    for (let turn = 0; turn < 10; turn += 1) await ask()
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn += 1) times.push(await timeOf(ask))
    lines.get(name)?.points.push([items, median(times)])
  }
  await gateway.stop()
}

process.stdout.write(`| milliseconds at | ${SIZES.map((size) => size.toLocaleString('en')).join(' | ')} |\n`)
process.stdout.write(`|---|${SIZES.map(() => '---|').join('')}\n`)
for (const { name, points } of lines.values()) {
  process.stdout.write(`| ${[name, ...points.map(([, time]) => time.toFixed(2))].join(' | ')} |\n`)
}
await writeFile(
  new URL('growth.svg', import.meta.url),
  plot([...lines.values()], { x: 'items', y: 'milliseconds for a response, cache off' }),
)
