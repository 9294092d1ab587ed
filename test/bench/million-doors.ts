import { writeFile } from 'node:fs/promises'
import type { Database } from '../../src/database/database.ts'
import { bearer } from './comparisons.ts'
import { percentile, timeOf } from './measure.ts'
import { type Line, plot } from './plot.ts'
import { startUncached } from './processes.ts'
import { createKeys, openWorld } from './world.ts'

/*
 * Milliseconds of requests at each door of databases that million.ts has filled, with the cache off: the median and the 99th percentile of
 * requests one after the other, no two of them alike. It writes million.svg, which docs/performance.md shows:
 *   node test/bench/million-doors.ts postgresql://postgres@127.0.0.1/thousand postgresql://postgres@127.0.0.1/million
 */

const TURNS = Number(process.env.TURNS ?? 100)
const FREQUENT = ['museum', 'station', 'north', 'garden', 'river', 'market', 'house', 'old', 'park', 'lake']
const LETTERS = 'aetosrulnmhkg'

/** A database of million.ts: its number of items, and the place where most of them are. */
interface Filled {
  items: number
  ids: readonly string[]
  city: { latitude: number; longitude: number }
}

type Request = { path: string; body?: object }

const query = (text: string): Request => ({ path: '/graphql', body: { query: text } })
const search = (args: string) => query(`{ searchItems(${args}, limit: 20) { total nodes { id name } } }`)
const at = <Value>(values: ArrayLike<Value>, n: number) => values[n % values.length]
const point = ({ city }: Filled, n: number) =>
  `latitude: ${city.latitude + n / 1e5}, longitude: ${city.longitude + n / 1e5}`
const rest = ({ city }: Filled, n: number) =>
  `latitude=${city.latitude + n / 1e5}&longitude=${city.longitude + n / 1e5}`
const box = ({ city }: Filled, n: number, degrees: number) =>
  `within: { south: ${city.latitude - degrees + n / 1e5}, west: ${Math.max(-180, city.longitude - degrees)}, north: ${city.latitude + degrees}, east: ${Math.min(180, city.longitude + degrees)} }`

/** The requests by name: the nth one for a database. */
const DOORS: readonly [string, (filled: Filled, n: number) => Request][] = [
  ['an item', ({ ids }, n) => ({ path: `/v1/dataset-items/${at(ids, n)}` })],
  ['list, page 1', (_, n) => ({ path: `/v1/datasets/million/items?limit=${20 + n}` })],
  [
    'list, a page in the middle',
    ({ items }, n) => ({ path: `/v1/datasets/million/items?page=${Math.floor(items / 40) + n}` }),
  ],
  [
    'list of a category, by time',
    (_, n) => ({ path: `/v1/datasets/million/items?categoryCode=c${n % 20}&sort=createdAt&page=${n + 1}` }),
  ],
  ['nearby, 1 km', (filled, n) => ({ path: `/v1/dataset-items/nearby?${rest(filled, n)}` })],
  ['nearby, 50 km', (filled, n) => ({ path: `/v1/dataset-items/nearby?${rest(filled, n)}&radius=50000` })],
  [
    'nearby, 50 km, a category',
    (filled, n) =>
      query(
        `{ nearbyItems(${point(filled, n)}, radius: 50000, categoryCode: "c${n % 20}") { total nodes { item { id } } } }`,
      ),
  ],
  ['box, 20 degrees, a category', (filled, n) => search(`${box(filled, n, 10)}, categoryCode: "c${n % 20}"`)],
  ['box, 20 degrees, a frequent word', (filled, n) => search(`${box(filled, n, 10)}, text: "${at(FREQUENT, n)}"`)],
  ['box, 0.2 degrees', (filled, n) => search(box(filled, n, 0.1))],
  ['box, 20 degrees', (filled, n) => search(box(filled, n, 10))],
  ['search, a rare text', ({ items }, n) => search(`text: "${Math.floor((items * (n + 0.5)) / TURNS)}"`)],
  ['search, a frequent word', (_, n) => search(`text: "${at(FREQUENT, n)}", page: ${n + 1}`)],
  ['search, two frequent words', (_, n) => search(`text: "${at(FREQUENT, n)} ${at(FREQUENT, n + 3)}", page: ${n + 1}`)],
  ['search, a letter', (_, n) => search(`text: "${at(LETTERS, n)}", page: ${n + 1}`)],
  [
    'suggestion, a misspelt name',
    ({ items }, n) => query(`{ suggestItems(text: "nrth lake museun ${(n * 31) % items}") { id name } }`),
  ],
  [
    'suggestion, misspelt words',
    (_, n) =>
      query(`{ suggestItems(text: "${at(FREQUENT, n)?.slice(1)} ${at(FREQUENT, n + 3)?.slice(0, -1)}") { id name } }`),
  ],
  [
    'facets',
    (_, n) =>
      query(`{ dataset(id: "million") { a${n}: id categories { code total } administrativeAreas { code total } } }`),
  ],
  ['tile of the earth', (_, n) => ({ path: `/tiles/million/0/0/0.mvt?categoryCode=c${n % 20}` })],
  ['tile of a frequent word', (_, n) => ({ path: `/tiles/million/0/0/0.mvt?text=${at(FREQUENT, n)}` })],
  ['features in a box', (_, n) => ({ path: `/ogc/collections/million/items?limit=${100 + n}&bbox=-10,-10,30,50` })],
]

/** A plot with all doors can't be read. */
const PLOTTED = new Set([
  'an item',
  'list, a page in the middle',
  'nearby, 50 km',
  'box, 20 degrees',
  'search, a frequent word',
  'search, a letter',
  'suggestion, a misspelt name',
  'tile of the earth',
])

const urls = process.argv.slice(2)
const lines = new Map<string, Line>(DOORS.map(([name]) => [name, { name, points: [] }]))
const rows = new Map<string, string[]>(DOORS.map(([name]) => [name, []]))
const sizes: number[] = []
for (const url of urls) {
  const database = await openWorld(url)
  const [key = ''] = await createKeys(database, 1)
  const filled = await describe(database)
  await database.close()
  sizes.push(filled.items)
  const gateway = await startUncached(url)
  for (const [name, requestOf] of DOORS) {
    const ask = async (n: number) => {
      const { path, body } = requestOf(filled, n)
      const init = body && { method: 'POST', body: JSON.stringify(body) }
      const headers = { ...bearer(key), 'content-type': 'application/json' }
      const response = await fetch(gateway.url + path, { ...init, headers })
      const text = await response.text()
      if (response.status >= 300 || text.startsWith('{"errors"'))
        throw new Error(`${name}: ${response.status} ${text.slice(0, 300)}`)
    }
    for (let n = 0; n < 3; n += 1) await ask(TURNS + n)
    const times: number[] = []
    for (let n = 0; n < TURNS; n += 1) times.push(await timeOf(() => ask(n)))
    const [middle, slow] = [percentile(times, 0.5), percentile(times, 0.99)]
    lines.get(name)?.points.push([filled.items, middle])
    rows.get(name)?.push(`${middle.toFixed(1)} / ${slow.toFixed(1)}`)
    process.stderr.write(`${filled.items} ${name}: ${rows.get(name)?.at(-1)}\n`)
  }
  await gateway.stop()
}

process.stdout.write(
  `| milliseconds, p50 / p99 | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |\n|---|${sizes.map(() => '---|').join('')}\n`,
)
for (const [name, cells] of rows) process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`)
await writeFile(
  new URL('million.svg', import.meta.url),
  plot(
    [...lines.values()].filter(({ name }) => PLOTTED.has(name)),
    { x: 'items', y: 'milliseconds, median, cache off' },
  ),
)

/** The city is in the tile of zoom 9 with the most items. */
async function describe({ prisma }: Database): Promise<Filled> {
  const [{ n } = { n: 0 }] = await prisma.$queryRaw<{ n: number }[]>`
    SELECT n::integer AS n FROM item_counts WHERE list = 'all' ORDER BY n DESC LIMIT 1`
  const [city] = await prisma.$queryRaw<Filled['city'][]>`
    SELECT avg(latitude)::float8 AS latitude, avg(longitude)::float8 AS longitude
      FROM (SELECT cell FROM tile_counts WHERE level = 9 ORDER BY n DESC LIMIT 1) AS tile
      JOIN items ON tile_cell >> 42 = cell`
  const names = Array.from({ length: TURNS }, (_, k) => `p${Math.floor((n * k) / TURNS)}`)
  const found = await prisma.item.findMany({ where: { externalId: { in: names } }, select: { id: true } })
  if (!city) throw new Error('The database is empty')
  return { items: n, ids: found.map(({ id }) => id), city }
}
