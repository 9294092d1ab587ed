import { recordsWith } from '../../src/catalog/projection.ts'
import type { Selection } from '../../src/catalog/selection.ts'
import { fetchSearchPage } from '../../src/catalog/sql/search.ts'
import { fetchSuggestions } from '../../src/catalog/sql/suggest.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Database } from '../support/open-database.ts'
import { timeOf } from './measure.ts'
import { generator, namesOf } from './names.ts'
import { openWorld } from './world.ts'

/*
 * Milliseconds of searches among 1,000,000 names in mixed scripts: texts of 1 to 4 characters, each a part of a name, boxes, and suggestions for names with mistakes. Needs
 * BENCH_DATABASE_URL, an empty PostgreSQL database or one that this has filled before: node test/bench/search.ts
 */

const ITEMS = 1_000_000
const BATCH = 50_000
const SEARCHES = Number(process.env.SEARCHES ?? 200)
const DATASET = '00000000-0000-4000-8000-00005ea2c400'

/** Half of the items are in a city, the other half anywhere. */
const INSERT = `
  INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, postal_code, address_region,
                     latitude, longitude, created_at, updated_at)
  SELECT md5('search' || n + $3)::uuid, $1, name, 'a' || n % 50, 'c' || n % 20, 'p' || n % 1000, CASE WHEN n % 2 = 0 THEN 'City' ELSE 'r' || n % 99 END,
         CASE WHEN n % 2 = 0 THEN 37.5665 + (a - 0.5) * 0.3 ELSE degrees(asin(2 * a - 1)) END,
         CASE WHEN n % 2 = 0 THEN 126.978 + (b - 0.5) * 0.3 ELSE b * 360 - 180 END, now(), now()
    FROM unnest($2::text[]) WITH ORDINALITY AS given (name, n)
   CROSS JOIN LATERAL (SELECT ((hashint8(n + $3) & 1048575) + 0.5) / 1048576 AS a,
                              ((hashint8((n + $3) * 31) & 1048575) + 0.5) / 1048576 AS b) AS random`

/** Mistakes in the letters of a name. */
const MISTAKES: [string, (letters: string[]) => string[]][] = [
  ['a letter is missing', (letters) => letters.toSpliced(place(letters), 1)],
  [
    'two letters are swapped',
    (letters) => letters.toSpliced(place(letters), 2, ...letters.slice(place(letters), 2 + place(letters)).reverse()),
  ],
  ['the first 1 to 5 letters', (letters) => letters.slice(0, 1 + Math.floor(random() * 5))],
  ['one word', (letters) => [...(letters.join('').split(' ').at(-1) ?? '')]],
]

const url = process.env.BENCH_DATABASE_URL
if (!url) throw new Error('BENCH_DATABASE_URL must be the URL of a PostgreSQL database')
const database = await openWorld(url)
await fill(database)

const random = generator(7)
const samples = await database.prisma.$queryRaw<{ name: string }[]>`
  SELECT name FROM items WHERE dataset_id = ${DATASET}::uuid ORDER BY md5(id::text) LIMIT 2000`
for (const length of [1, 2, 3, 4]) await measure(`${length} characters`, () => ({ text: partOf(length) }))
await measure('box', () => ({ within: newBox() }))
await measure('box and 2 characters', () => ({ text: partOf(2), within: newBox() }))
for (const [what, change] of MISTAKES) await measureSuggestions(what, change)
await database.close()

async function fill({ withSession }: Database): Promise<void> {
  await withSession(async (session) => {
    await migrate(session)
    const { rowCount } = await session.query('SELECT FROM datasets WHERE id = $1', [DATASET])
    if (rowCount) return
    await session.query(
      `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
       VALUES ($1, 'names', 'Names', 'active', 'public', '', now(), now())`,
      [DATASET],
    )
    const names = [...namesOf(ITEMS)]
    for (let from = 0; from < ITEMS; from += BATCH) {
      await session.query(INSERT, [DATASET, names.slice(from, from + BATCH), from])
    }
    await session.query('VACUUM (ANALYZE)')
  })
}

interface Measured {
  time: number
  search: object
  total: number | null
}

/** Where a mistake is: in the middle. */
function place(letters: readonly string[]): number {
  return Math.floor(letters.length / 2)
}

function partOf(length: number): string {
  for (;;) {
    const characters = [...(samples[Math.floor(random() * samples.length)]?.name ?? '')]
    const from = Math.floor(random() * Math.max(1, characters.length - length + 1))
    const text = characters.slice(from, from + length).join('')
    if (/\P{White_Space}/u.test(text)) return text
  }
}

/** From a hundredth of a degree to the whole earth, in the city or anywhere. */
function newBox() {
  const size = 10 ** (random() * 4.2 - 2)
  const inCity = random() < 0.5
  const latitude = inCity ? 37.5 + random() * 0.1 : random() * 180 - 90
  const longitude = inCity ? 126.9 + random() * 0.1 : random() * 360 - 180
  const clamp = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value))
  return {
    south: clamp(latitude - size / 2, 90),
    north: clamp(latitude + size / 2, 90),
    west: clamp(longitude - size, 180),
    east: clamp(longitude + size, 180),
  }
}

async function measure(title: string, newSearch: () => Selection): Promise<void> {
  const times: Measured[] = []
  for (let n = 0; n < SEARCHES; n += 1) {
    const search = newSearch()
    let total: number | null = null
    const window = { ...search, limit: 20, offset: 0, projection: recordsWith({ fields: ['id', 'name'] }) }
    const time = await timeOf(async () => {
      total = (await fetchSearchPage(database.sql, window, [DATASET])).total
    })
    times.push({ time, search, total })
  }
  print(title, times)
}

/** Suggestions for whole names with a mistake. */
async function measureSuggestions(title: string, change: (letters: string[]) => string[]): Promise<void> {
  const times: Measured[] = []
  for (let n = 0; n < SEARCHES; n += 1) {
    const { name = '' } = samples[Math.floor(random() * samples.length)] ?? {}
    const search = {
      text:
        change([...name])
          .join('')
          .trim() || 'a',
      limit: 10,
    }
    let total: number | null = null
    const time = await timeOf(async () => {
      total = (await fetchSuggestions(database.sql, search, [DATASET])).length
    })
    times.push({ time, search, total })
  }
  print(`suggestions, ${title}`, times)
}

function print(title: string, times: Measured[]): void {
  times.sort((a, b) => a.time - b.time)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))]?.time.toFixed(1)
  const slowest = times.at(-1)
  process.stdout.write(
    `${title}: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms (${JSON.stringify(slowest?.search)}, ${slowest?.total} items)\n`,
  )
}
