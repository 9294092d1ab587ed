import { writeFile } from 'node:fs/promises'
import { bearer } from './comparisons.ts'
import { describe, type Filled, misspelt } from './filled.ts'
import { median, percentile, timeOf } from './measure.ts'
import { type Line, plot } from './plot.ts'
import { startUncached } from './processes.ts'
import { createKeys, openWorld } from './world.ts'

/*
 * Milliseconds of requests at each door of databases that million.ts has filled, with the cache off: the median and the 99th percentile of
 * requests one after the other, and the median and the worst of the first ten, which have the ten most frequent words. Words and names come
 * from the database. It writes million.svg, which docs/performance.md shows:
 *   node test/bench/million-doors.ts postgresql://postgres@127.0.0.1/thousand postgresql://postgres@127.0.0.1/million
 */

const TURNS = Number(process.env.TURNS ?? 100)
const WARM_UPS = 3
const LETTERS = 'aeionrtslhcmduygkbpvwfzjxq'

type Request = { path: string; body?: object }

const query = (text: string): Request => ({ path: '/graphql', body: { query: text } })
const search = (args: string, selected = 'total nodes { id name }') =>
  query(`{ searchItems(${args}, limit: 20) { ${selected} } }`)
const page = (args: string) => search(args, 'nodes { id name }')
const total = (args: string) => search(args, 'total')
const suggest = (text: string) => query(`{ suggestItems(text: ${JSON.stringify(text)}) { id name } }`)
const tile = (parameters: Record<string, string>, dataset = 'million') => ({
  path: `/tiles/${dataset}/0/0/0.mvt?${new URLSearchParams(parameters)}`,
})
const at = <Value>(values: ArrayLike<Value>, n: number) => {
  const value = values[n % values.length]
  if (value === undefined) throw new Error('The database is empty')
  return value
}
const word = ({ words }: Filled, n: number) => at(words, n).word
const text = (value: string) => `text: ${JSON.stringify(value)}`
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
  ['box, 20 degrees, a frequent word', (filled, n) => search(`${box(filled, n, 10)}, ${text(word(filled, n))}`)],
  ['box, 0.2 degrees', (filled, n) => search(box(filled, n, 0.1))],
  ['box, 20 degrees', (filled, n) => search(box(filled, n, 10))],
  ['search, a whole name', ({ names }, n) => search(text(at(names, n)))],
  // Totals come before the pages of the same texts, which may keep them.
  ['total of a frequent word', (filled, n) => total(text(word(filled, n)))],
  ['total of a letter', (_, n) => total(text(at(LETTERS, n)))],
  ['page of a frequent word', (filled, n) => page(text(word(filled, n)))],
  ['page 50 of a frequent word', (filled, n) => page(`${text(word(filled, n))}, page: 50`)],
  ['page of two frequent words', (filled, n) => page(text(`${word(filled, n)} ${word(filled, n + 3)}`))],
  ['page of a letter', (_, n) => page(text(at(LETTERS, n)))],
  ['suggestion, a misspelt word', ({ longNames }, n) => suggest(misspelt(at(longNames, n), 1))],
  ['suggestion, two misspelt words', ({ longNames }, n) => suggest(misspelt(at(longNames, n), 2))],
  [
    'facets',
    (_, n) =>
      query(`{ dataset(id: "million") { a${n}: id categories { code total } administrativeAreas { code total } } }`),
  ],
  ['tile of the earth, shares', () => tile({ shares: 'categoryCode' })],
  ['tile of the earth, all datasets, shares', () => tile({ shares: 'datasetId' }, 'all')],
  ['tile of the earth, a category', (_, n) => tile({ categoryCode: `c${n % 20}` })],
  ['tile of a frequent word', (filled, n) => tile({ text: word(filled, n), shares: 'categoryCode' })],
  ['features in a box', (_, n) => ({ path: `/ogc/collections/million/items?limit=${100 + n}&bbox=-10,-10,30,50` })],
]

/** A plot with all doors can't be read. */
const PLOTTED = new Set([
  'an item',
  'list, a page in the middle',
  'nearby, 50 km',
  'box, 20 degrees',
  'page of a frequent word',
  'total of a frequent word',
  'suggestion, a misspelt word',
  'tile of the earth, shares',
])

const urls = process.argv.slice(2)
const lines = new Map<string, Line>(DOORS.map(([name]) => [name, { name, points: [] }]))
const rows = new Map<string, string[]>(DOORS.map(([name]) => [name, []]))
const sizes: number[] = []
for (const url of urls) {
  const database = await openWorld(url)
  const [key = ''] = await createKeys(database, 1)
  const filled = await describe(database, TURNS + WARM_UPS)
  await database.close()
  sizes.push(filled.items)
  const shares = filled.words.slice(0, 10).map(({ word, share }) => `${word} ${(100 * share).toFixed(1)} %`)
  process.stderr.write(`The most frequent words: ${shares.join(', ')}\n`)
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
    for (let n = 0; n < WARM_UPS; n += 1) await ask(TURNS + n)
    const times: number[] = []
    for (let n = 0; n < TURNS; n += 1) times.push(await timeOf(() => ask(n)))
    const ten = times.slice(0, 10)
    const figures = [percentile(times, 0.5), percentile(times, 0.99), median(ten), Math.max(...ten)] as const
    lines.get(name)?.points.push([filled.items, figures[0]])
    rows.get(name)?.push(figures.map((ms) => ms.toFixed(1)).join(' / '))
    process.stderr.write(`${filled.items} ${name}: ${rows.get(name)?.at(-1)}\n`)
  }
  await gateway.stop()
}

process.stdout.write(
  `| milliseconds: p50 / p99 of ${TURNS}, median / worst of ten | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |\n|---|${sizes.map(() => '---|').join('')}\n`,
)
for (const [name, cells] of rows) process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`)
await writeFile(
  new URL('million.svg', import.meta.url),
  plot(
    [...lines.values()].filter(({ name }) => PLOTTED.has(name)),
    { x: 'items', y: 'milliseconds, median, cache off' },
  ),
)
