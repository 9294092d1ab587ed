import type { Database } from '../../src/database/database.ts'

/** A database of million.ts: what its places are, and where most of them are. */
export interface Filled {
  items: number
  ids: readonly string[]
  names: readonly string[]
  /** Those names that have two or more words of five or more letters. */
  longNames: readonly string[]
  /** The most frequent words of names, with three or more letters, and the share of names that have each. */
  words: readonly { word: string; share: number }[]
  /** In the tile of zoom 9 with the most items. */
  city: { latitude: number; longitude: number }
}

const SAMPLE = 50_000
const LONG_WORD = /\p{L}{5,}/gu

/** Reads the description of a database, with up to `count` ids, names and words. */
export async function describe({ prisma }: Database, count: number): Promise<Filled> {
  const [{ items } = { items: 0 }] = await prisma.$queryRaw<{ items: number }[]>`
    SELECT n::integer AS items FROM item_counts WHERE list = 'all' ORDER BY n DESC LIMIT 1`
  const [city] = await prisma.$queryRaw<Filled['city'][]>`
    SELECT avg(latitude)::float8 AS latitude, avg(longitude)::float8 AS longitude
      FROM (SELECT cell FROM tile_counts WHERE level = 9 ORDER BY n DESC LIMIT 1) AS tile
      JOIN items ON tile_cell >> 42 = cell`
  if (!city) throw new Error('The database is empty')
  const words = await prisma.$queryRaw<Filled['words']>`
    WITH sample AS MATERIALIZED (
      SELECT id, folded_name FROM items TABLESAMPLE SYSTEM (${Math.min(100, (100 * SAMPLE) / items)}::real) REPEATABLE (1)
    )
    SELECT word, count(DISTINCT id)::float8 / (SELECT count(*) FROM sample) AS share
      FROM sample, regexp_split_to_table(folded_name, '\\s+') AS word WHERE word ~ '^[[:alpha:]]{3,}$'
     GROUP BY word ORDER BY share DESC, word LIMIT ${count}`
  // Every fifth place is a city with one name, so the step is no multiple of five.
  const externalIds = Array.from({ length: count }, (_, k) => `p${(Math.floor(items / count / 5) * 5 + 1) * k}`)
  const places = await prisma.item.findMany({ where: { externalId: { in: externalIds } }, orderBy: { id: 'asc' } })
  const names = places.map(({ name }) => name)
  return {
    items,
    ids: places.map(({ id }) => id),
    names,
    longNames: names.filter((name) => [...name.matchAll(LONG_WORD)].length >= 2),
    words,
    city,
  }
}

/** Swaps two letters of the first `count` long words of a name, or leaves one out. */
export function misspelt(name: string, count: number): string {
  let left = count
  return name.replace(LONG_WORD, (word) => {
    if (left === 0) return word
    left -= 1
    const [first, second, third, ...rest] = word
    const isSwapped = word.length % 2 === 0 && second !== third
    return [first, ...(isSwapped ? [third, second] : [third]), ...rest].join('')
  })
}
