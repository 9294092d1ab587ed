import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Selection } from '../selection.ts'
import { ORDERED_LETTERS } from '../suggestions.ts'
import { begins, itemsEqualTo, LAST, ownersOf, ownItems } from './letters.ts'
import { whereAllInName, whereBegins, whereEqual } from './ranks.ts'
import { allOf, type Scope, select, whereSelected } from './select.ts'
import type { FoldedText } from './words.ts'

/*
 * The first items that have a frequent text, without reading all that have it. Those with an equal name or keyword, and those whose names begin
 * with the text, are found by the indexes of suggestions. The others are found by a walk in the order of names.
 */

/** A text, the other conditions that the items match, and the number of items to find. */
export interface FrequentSearch extends Omit<Selection, 'text' | 'circle'> {
  text: FoldedText
  scope: Scope
  count: number
}

/** The numbers of items that a search may read. */
export interface ReadBounds {
  /** Items of a rank to sort, where a walk is the other way. */
  few: number
  /** Items of a rank to sort, where there is no other way. */
  many: number
  /** Items of a walk, of all its ranges together. */
  walked: number
}
/** For one dataset these are 5, 40 and 10 ms. */
export const READ_BOUNDS: ReadBounds = { few: 5_000, many: 50_000, walked: 20_000 }

/**
 * The ids of the first items, in order: as many as the search counts. Undefined if there are fewer, or if more items must be read to find
 * them.
 */
export async function findFirst(reader: SqlReader, search: FrequentSearch & ReadBounds): Promise<string[] | undefined> {
  const { count } = search
  const found: string[] = []
  for (const find of [findEqual, findBeginnings, findOthers]) {
    const ids = await find(reader, { ...search, count: count - found.length })
    if (!ids) return undefined
    found.push(...ids)
    if (found.length === count) return found
  }
  return undefined
}

/** Those of rank 0. */
function findEqual(reader: SqlReader, search: FrequentSearch & ReadBounds): Promise<string[] | undefined> {
  const { text, scope, few } = search
  const keyword = Prisma.sql`left(letters_of(${text.phrase}), ${ORDERED_LETTERS})`
  const where = Prisma.sql`${whereEqual(text)} AND ${whereFiltered(search)}`
  const equal = itemsEqualTo({ names: Prisma.sql`ARRAY[${lettersOf(text)}]`, keyword }, where, scope, atMost(few))
  return findBest(reader, search, equal, few)
}

/** Those of rank 2. */
function findOthers(reader: SqlReader, search: FrequentSearch & ReadBounds): Promise<string[] | undefined> {
  const { text } = search
  const isOther = Prisma.sql`${whereAllInName(text)} AND NOT ${whereBegins(text)} AND NOT ${whereEqual(text)}`
  return walk(reader, search, { ranges: [ALL_NAMES], isFound: isOther })
}

/** Those of rank 1. */
async function findBeginnings(reader: SqlReader, search: FrequentSearch & ReadBounds): Promise<string[] | undefined> {
  const { text } = search
  // The order of marks may depend on the next character. `letters_of` drops these two.
  if (/[^\P{M}\u3099\u309a]$/u.test(text.phrase.normalize('NFD'))) return undefined
  const ranges = namesThatBegin(text.phrase)
  const isFound = Prisma.sql`${whereBegins(text)} AND NOT ${whereEqual(text)}`
  const most = ranges ? search.few : search.many
  const ofOwner = select(
    Prisma.sql`i.id, i.name`,
    ownItems(begins(lettersOf(text)), isFound, whereFiltered(search)),
    atMost(most),
  )
  const begun = await findBest(
    reader,
    search,
    Prisma.sql`SELECT one.* FROM ${ownersOf(search.scope)}, LATERAL (${ofOwner}) AS one ${atMost(most)}`,
    most,
  )
  // Half of the ranges are of apostrophes and separators, and have hardly any names.
  return begun ?? (ranges && walk(reader, { ...search, walked: 2 * search.walked }, { ranges, isFound }))
}

/** The first letters of the text, as the indexes have them. */
function lettersOf({ phrase }: FoldedText): Prisma.Sql {
  return Prisma.sql`left(letters_of(${phrase}), ${ORDERED_LETTERS}) COLLATE "C"`
}

/** SQL condition: the item matches the selection beside the text. */
function whereFiltered({ text: _, scope: _scope, count: _count, ...selection }: FrequentSearch): Prisma.Sql {
  return whereSelected(selection)
}

/** One more shows that there are more. */
function atMost(count: number): Prisma.Sql {
  return Prisma.sql`LIMIT ${count + 1}`
}

/**
 * The ids of the items that a SELECT of ids and names finds, by name, then id; undefined if it finds more than `most`.
 * @param found has at most one more, so that no more are read
 */
async function findBest(
  reader: SqlReader,
  { count }: FrequentSearch,
  found: Prisma.Sql,
  most: number,
): Promise<string[] | undefined> {
  const [row] = await reader.$queryRaw<{ ids: string[] | null }[]>`
    WITH ${NEVER_PREPARE} found AS MATERIALIZED (${found})
    SELECT CASE WHEN (SELECT count(*) FROM found) <= ${most}
                THEN array_to_json(ARRAY(SELECT id FROM found ORDER BY name, id LIMIT ${count})) END AS ids`
  return row?.ids ?? undefined
}

/** Names from `first` (included) to `end` (excluded). */
interface NameRange {
  first: string
  end: string
}

/** A name that begins with the last code point comes after all others. A page that needs it is found in another way. */
const ALL_NAMES: NameRange = { first: '', end: LAST }

interface Walk {
  ranges: readonly NameRange[]
  isFound: Prisma.Sql
}

/**
 * The ids of the first items of the ranges with a condition, by name, then id. Undefined if there are fewer, or if they may be behind
 * the items that it reads.
 */
async function walk(
  reader: SqlReader,
  search: FrequentSearch & ReadBounds,
  { ranges, isFound }: Walk,
): Promise<string[] | undefined> {
  const { scope, count, walked } = search
  const steps = Math.floor(walked / (scope.length * ranges.length))
  if (steps < count) return undefined
  const inOrder = Prisma.sql`ORDER BY i.name, i.id`
  const ofRange = {
    from: Prisma.sql`items i`,
    where: Prisma.sql`i.dataset_id = range.dataset_id AND i.name >= range.first AND i.name < range."end"`,
  }
  const read = select(Prisma.sql`*`, ofRange, Prisma.sql`${inOrder} LIMIT ${steps}`)
  const hits = select(
    Prisma.sql`i.id, i.name`,
    { from: Prisma.sql`(${read}) AS i`, where: allOf([isFound, whereFiltered(search)]) },
    Prisma.sql`${inOrder} LIMIT ${count}`,
  )
  // Where the walk of a range ended, if it did not end with a hit.
  const edge = select(Prisma.sql`i.name, i.id`, ofRange, Prisma.sql`${inOrder} LIMIT 1 OFFSET ${steps - 1}`)
  const [row] = await reader.$queryRaw<{ ids: string[] | null }[]>`
    WITH ${NEVER_PREPARE} range AS MATERIALIZED (
           SELECT *, row_number() OVER () AS n
             FROM unnest(${[...scope]}::uuid[]) AS owner (dataset_id)
            CROSS JOIN unnest(${ranges.map(({ first }) => first)}::text[], ${ranges.map(({ end }) => end)}::text[]) AS names (first, "end")),
         found AS MATERIALIZED (SELECT range.n, hit.* FROM range CROSS JOIN LATERAL (${hits}) AS hit),
         best AS MATERIALIZED (SELECT id, name FROM found ORDER BY name, id LIMIT ${count}),
         edge AS (SELECT edge.* FROM range LEFT JOIN (SELECT n, count(*) AS hits FROM found GROUP BY n) AS walked USING (n)
                   CROSS JOIN LATERAL (${edge}) AS edge WHERE coalesce(hits, 0) < ${count})
    SELECT CASE WHEN (SELECT count(*) FROM best) = ${count}
                 AND NOT EXISTS (SELECT FROM edge, best WHERE (edge.name, edge.id) < (best.name, best.id))
                THEN array_to_json(ARRAY(SELECT id FROM best ORDER BY name, id)) END AS ids`
  return row?.ids ?? undefined
}

/** The letters by which names are found. Each doubles the number of ranges. */
const MAX_LETTERS = 4

/** From and to (excluded) the characters that may fold to a space, and with the space itself; and those that may fold to nothing. */
const SEPARATORS = ['\u0001 ', '!0', ':A', '[a', `{${LAST}`]
const SPACES = ['\u00010', ':A', '[a', `{${LAST}`]
const APOSTROPHES = ["'(", '`a', `\u0080${LAST}`]

/**
 * The ranges of names that a text in ASCII can begin: the names that begin with its first letters in any case; and for each prefix of these, the
 * names that go on with a character that may fold to the next letter or to nothing (prisma/functions/fold_name.sql). In ASCII these are
 * separators beside a space and at the start, and apostrophes. Undefined for other texts.
 */
export function namesThatBegin(phrase: string): NameRange[] | undefined {
  const letters = /^[a-z0-9 ]+/.exec(phrase)?.[0].slice(0, MAX_LETTERS)
  if (letters === undefined) return undefined
  let prefixes = ['']
  const ranges: NameRange[] = []
  for (const [n, letter] of [...letters].entries()) {
    const others = letter === ' ' ? SEPARATORS : n === 0 || letters[n - 1] === ' ' ? SPACES : APOSTROPHES
    ranges.push(...prefixes.flatMap((prefix) => others.map((range) => rangeAfter(prefix, range))))
    const cases = new Set([letter, letter.toUpperCase()])
    prefixes = prefixes.flatMap((prefix) => [...cases].map((each) => prefix + each))
  }
  return [...ranges, ...prefixes.map((prefix) => ({ first: prefix, end: endOf(prefix) }))]
}

/** The names that begin with a prefix, and go on with a character of a range. */
function rangeAfter(prefix: string, range: string): NameRange {
  const [from = '', to = ''] = range
  return { first: prefix + from, end: to === LAST ? endOf(prefix) : prefix + to }
}

/** The first text after all that begin with a prefix in ASCII. */
function endOf(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  return prefix === '' ? LAST : prefix.slice(0, -1) + String.fromCharCode(last + 1)
}
