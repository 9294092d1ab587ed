import { setImmediate } from 'node:timers/promises'
import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { type Item, type JsonText, parseItems } from '../models.ts'
import { type ItemProjection, itemsAt, jsonText } from '../projection.ts'
import {
  type Candidate,
  idsInOrder,
  isAtLevel,
  type Meant,
  meantBy,
  type Ranked,
  rankCandidates,
  sharedLevels,
} from '../suggestions.ts'
import type { Scope } from './item-list.ts'
import { allItems, gramShares, isFound } from './search.ts'

/*
 * Items that are probably meant by a text. PostgreSQL finds candidates by indexes, and TypeScript ranks them (suggestions.ts).
 */

/**
 * If more items than this share enough grams with a text, only those with the shortest names are compared: to compare all of them would
 * take seconds for a word of 300,000 names.
 */
const MOST_COMPARED = 2_000

/** An id before all others. */
const NIL = '00000000-0000-0000-0000-000000000000'

/** The index has the lengths of names up to this; longer names have it too. */
const MOST_LENGTH = 100

/** They take two to three milliseconds. */
const RANKED_AT_ONCE = 1_000

/** A text, and what the items have in common. */
export interface Suggestion {
  text: string
  within?: BoundingBox | undefined
  categoryCode?: string | undefined
  limit: number
}

/**
 * The ids of the items that are probably meant, best first.
 * @param isReference is whether all items of the datasets are candidates
 * @param mostAtOnce if the index finds at most this many items, they are read at once, and otherwise by the lengths of their names
 */
export async function fetchSuggestions(
  prisma: Prisma.TransactionClient,
  suggestion: Suggestion,
  scope: Scope,
  { isReference = false, mostAtOnce = 8_000 } = {},
): Promise<string[]> {
  const meant = await readText(prisma, suggestion.text)
  if (meant.phrase === '') return []
  const ranked = isReference
    ? rankCandidates(meant, await readCandidates(prisma, Prisma.sql`${allItems(scope)} AND ${isAllowed(suggestion)}`))
    : await findMeant(prisma, { ...suggestion, meant, mostAtOnce }, scope)
  return idsInOrder(ranked).slice(0, suggestion.limit)
}

/** The projected items in the order of the ids. */
export async function fetchItemsInOrder(
  prisma: Prisma.TransactionClient,
  ids: readonly string[],
  projection: ItemProjection,
): Promise<Item[]> {
  if (ids.length === 0) return []
  const places = Prisma.sql`SELECT place.rank, place.id FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS place (id, rank)`
  const items = jsonText(itemsAt(places, Prisma.sql`place.rank`, projection))
  const [row] = await prisma.$queryRaw<{ json: JsonText }[]>`SELECT ${items} AS json`
  return parseItems(row?.json ?? '[]')
}

async function readText(prisma: Prisma.TransactionClient, text: string): Promise<Meant> {
  const [row] = await prisma.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  return meantBy(row?.letters ?? '')
}

/**
 * Equal names and keywords and names that begin with the text come before all others, and those that share more grams before those that
 * share fewer. So the next ones are needed only if there are too few of these.
 */
async function findMeant(
  prisma: Prisma.TransactionClient,
  { meant, mostAtOnce, ...suggestion }: Suggestion & Pick<Search, 'meant' | 'mostAtOnce'>,
  scope: Scope,
): Promise<Ranked[]> {
  const places = Prisma.sql`(${equalItems(meant, suggestion, scope)}) UNION (${beginnings(meant, suggestion, scope)})`
  const first = meant.isShort
    ? await readCandidates(prisma, Prisma.sql`FROM (${places}) AS place JOIN items i ON i.id = place.id WHERE true`)
    : []
  const ranked = rankCandidates(meant, first)
  if (ranked.length >= suggestion.limit) return ranked
  const grams = [...meant.grams]
  let rareFirst: string[] | undefined
  for (const level of sharedLevels(grams.length)) {
    if (level < grams.length) rareFirst ??= await sortByFrequency(prisma, grams)
    const isCandidate = Prisma.sql`(${sharesGroup(rareFirst ?? grams, level)}) AND ${isAllowed(suggestion)}`
    const items = Prisma.sql`${allItems(scope)} AND ${isCandidate}`
    ranked.push(...(await findCandidates(prisma, { meant, mostAtOnce, level, items })))
    const found = new Set(ranked.flatMap((each) => (isAtLevel(each, level) ? each.candidate.id : [])))
    if (found.size >= suggestion.limit) break
  }
  return ranked
}

/** Items that may share enough grams with a text. */
interface Search {
  meant: Meant
  mostAtOnce: number
  /** The number of grams that they need. */
  level: number
  /** FROM and the beginning of WHERE. */
  items: Prisma.Sql
}

/** Those of the items that share enough grams; if they are many, those with the shortest names. */
async function findCandidates(prisma: Prisma.TransactionClient, search: Search): Promise<Ranked[]> {
  const [row] = await prisma.$queryRaw<{ lengths: number[]; candidates: string | null }[]>`
    WITH found AS MATERIALIZED (SELECT i.id, i.name, i.folded_name, i.folded_keywords ${search.items}),
    first AS MATERIALIZED (SELECT * FROM found LIMIT ${search.mostAtOnce + 1}),
    size AS MATERIALIZED (SELECT count(*) <= ${search.mostAtOnce} AS is_all FROM first)
    SELECT ARRAY(SELECT length(folded_name) FROM first, size WHERE NOT is_all ORDER BY 1) AS lengths,
           (SELECT json_agg(candidate)::text FROM (SELECT ${CANDIDATE} FROM first i, size WHERE is_all) AS candidate) AS candidates`
  return shortest(
    row && row.lengths.length > 0
      ? await findByLength(prisma, search, row.lengths)
      : await rankAtLevel(search, JSON.parse(row?.candidates ?? '[]')),
  )
}

/**
 * Reads the items by the lengths of their names, until enough of them share enough grams.
 * @param lengths are those of some of the items, in order: they tell how many lengths to read at once
 */
async function findByLength(
  prisma: Prisma.TransactionClient,
  search: Search,
  lengths: readonly number[],
): Promise<Ranked[]> {
  let found: Ranked[] = []
  let length = 0
  for (let share = 1 / 32; found.length < MOST_COMPARED && length < MOST_LENGTH; share *= 2) {
    const last = Math.min(lengths[Math.floor(share * lengths.length)] ?? MOST_LENGTH, MOST_LENGTH)
    const keys = Array.from({ length: last - length }, (_, n) => `\n${length + 1 + n}`)
    if (keys.length === 0) continue
    const hasLength = Prisma.sql`letter_grams(i.folded_name, i.folded_keywords) && ${keys}::text[]`
    found = found.concat(await findOfLengths(prisma, search, hasLength, MOST_COMPARED - found.length))
    length = last
  }
  return found
}

/** Reads the items of some lengths by length, then id, until `count` of them share enough grams. So 100,000 names may have one length. */
async function findOfLengths(
  prisma: Prisma.TransactionClient,
  search: Search,
  hasLength: Prisma.Sql,
  count: number,
): Promise<Ranked[]> {
  const limit = search.mostAtOnce + 1
  let found: Ranked[] = []
  let after: Pick<Candidate, 'length' | 'id'> = { length: 0, id: NIL }
  for (;;) {
    const isAfter = Prisma.sql`(length(i.folded_name), i.id) > (${after.length}::integer, ${after.id}::uuid)`
    const candidates = await readCandidates(
      prisma,
      Prisma.sql`${search.items} AND ${hasLength} AND ${isAfter} ORDER BY length(i.folded_name), i.id LIMIT ${limit}`,
    )
    found = found.concat(await rankAtLevel(search, candidates))
    const last = candidates.at(-1)
    if (last === undefined || candidates.length < limit || found.length >= count) return found
    after = last
  }
}

/** The candidates that share enough grams. Between two thousands of them, other requests use the processor. */
async function rankAtLevel({ meant, level }: Search, candidates: readonly Candidate[]): Promise<Ranked[]> {
  const ranked: Ranked[] = []
  for (let first = 0; first < candidates.length; first += RANKED_AT_ONCE) {
    if (first > 0) await setImmediate()
    const some = rankCandidates(meant, candidates.slice(first, first + RANKED_AT_ONCE))
    ranked.push(...some.filter((each) => isAtLevel(each, level)))
  }
  return ranked
}

function shortest(ranked: readonly Ranked[]): Ranked[] {
  const byLength = ({ candidate: a }: Ranked, { candidate: b }: Ranked) => a.length - b.length || (a.id < b.id ? -1 : 1)
  return ranked.toSorted(byLength).slice(0, MOST_COMPARED)
}

/** @param items is FROM and the beginning of WHERE */
async function readCandidates(prisma: Prisma.TransactionClient, items: Prisma.Sql): Promise<Candidate[]> {
  // Prisma takes far longer than JSON.parse for thousands of rows.
  const [row] = await prisma.$queryRaw<{ candidates: string | null }[]>`
    SELECT json_agg(candidate)::text AS candidates FROM (SELECT ${CANDIDATE} ${items}) AS candidate`
  return JSON.parse(row?.candidates ?? '[]')
}

/** SQL for the `Candidate` of an item `i`. */
const CANDIDATE = Prisma.sql`
  i.id, i.name, letters_of(i.folded_name) AS letters,
  CASE WHEN i.folded_keywords = '' THEN '' ELSE letters_of(i.folded_keywords) END AS keywords, length(i.folded_name) AS length`

function equalItems({ phrase }: Meant, suggestion: Suggestion, scope: Scope): Prisma.Sql {
  return Prisma.sql`
    SELECT i.id ${allItems(scope)} AND letter_grams(i.folded_name, i.folded_keywords) @> ARRAY[${`=${phrase}`}]
       AND ${isAllowed(suggestion)} ORDER BY i.name, i.id LIMIT ${suggestion.limit}`
}

function beginnings({ phrase }: Meant, suggestion: Suggestion, scope: Scope): Prisma.Sql {
  const beginning = Prisma.sql`left(letters_of(i.folded_name), 50) COLLATE "C"`
  // The letters of a name that begins with a bracket or another separator begin with a space.
  const phrases = Prisma.sql`unnest(${[phrase, ` ${phrase}`]}::text[]) AS begun (phrase)`
  // No letter is beyond the last code point.
  const end = Prisma.sql`begun.phrase || ${'\u{10ffff}'}`
  return Prisma.sql`
    SELECT one.id FROM unnest(${[...scope]}::uuid[]) AS owner (dataset_id)
     CROSS JOIN ${phrases}
     CROSS JOIN LATERAL (
            SELECT i.id, ${beginning} AS beginning FROM items i
             WHERE i.dataset_id = owner.dataset_id AND ${beginning} >= begun.phrase AND ${beginning} < ${end}
               AND ${isAllowed(suggestion)}
             ORDER BY ${beginning}, i.id LIMIT ${suggestion.limit}
          ) AS one
     ORDER BY ltrim(one.beginning) COLLATE "C", one.id LIMIT ${suggestion.limit}`
}

/**
 * SQL condition: the item `i` has all grams of one of the groups of grams. There is one group more than the grams that a name or keyword
 * may lack, so it has all grams of at least one group.
 *
 * @param grams of which each group gets some of the first and some of the last
 */
function sharesGroup(grams: readonly string[], level: number): Prisma.Sql {
  const count = grams.length - level + 1
  const groupOf = (n: number) => (Math.floor(n / count) % 2 === 0 ? n % count : count - 1 - (n % count))
  const groups = Array.from({ length: count }, (_, group) => grams.filter((_gram, n) => groupOf(n) === group))
  const hasGroup = (group: string[]) => Prisma.sql`letter_grams(i.folded_name, i.folded_keywords) @> ${group}::text[]`
  return Prisma.join(groups.map(hasGroup), ' OR ')
}

/**
 * The grams with the rare ones first, as the statistics of the index know them. Then each group has a rare gram, and few items have a
 * whole group. Without statistics the same items are found, only later.
 */
async function sortByFrequency(prisma: Prisma.TransactionClient, grams: readonly string[]): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ gram: string }[]>`
    SELECT given.gram FROM unnest(${[...grams]}::text[]) WITH ORDINALITY AS given (gram, n)
      LEFT JOIN ${gramShares('items_letter_grams_idx')} AS common ON common.gram = given.gram
     ORDER BY coalesce(common.share, 0), given.n`
  return rows.map(({ gram }) => gram)
}

function isAllowed({ within, categoryCode }: Suggestion): Prisma.Sql {
  return isFound({ within, categoryCode }, [])
}
