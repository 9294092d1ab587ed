import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Item, type JsonText, parseItems } from '../models.ts'
import { type ItemProjection, itemsAt, jsonText } from '../projection.ts'
import type { Selection } from '../selection.ts'
import {
  idsInOrder,
  isAtLevel,
  type ParsedText,
  parseText,
  type Ranked,
  rankCandidates,
  sharedLevels,
} from '../suggestions.ts'
import type { Scope } from './item-list.ts'
import { allItems, gramShares } from './search.ts'
import { findCandidates, readCandidates, type Search } from './suggestion-candidates.ts'
import { whereSelected } from './where.ts'

/*
 * Items that are probably meant by a text. PostgreSQL finds candidates by indexes, and TypeScript ranks them (suggestions.ts).
 */

/**
 * A larger share of the items has a common gram. For a group of common grams PostgreSQL would take the name of each item apart instead of
 * reading the index: 6.6 s for 85,000 names, where all items in the order of their lengths take 0.2 s.
 */
const COMMON_SHARE = 0.5

/** A text, and which items it may mean. */
export interface Suggestion extends Selection {
  text: string
  limit: number
}

/**
 * The ids of the items that are probably meant, best first.
 * @param mostAtOnce if the index finds at most this many items, they are read at once, and otherwise by the lengths of their names
 * @param commonShare is the share of the items above which a gram is common
 */
export async function fetchSuggestions(
  sql: SqlReader,
  suggestion: Suggestion,
  scope: Scope,
  { mostAtOnce = 8_000, commonShare = COMMON_SHARE } = {},
): Promise<string[]> {
  const parsed = await readText(sql, suggestion.text)
  if (parsed.phrase === '') return []
  const ranked = await findMeant(sql, { ...suggestion, parsed, mostAtOnce, commonShare }, scope)
  return idsInOrder(ranked).slice(0, suggestion.limit)
}

/** The projected items in the order of the ids. */
export async function fetchItemsInOrder(
  sql: SqlReader,
  ids: readonly string[],
  projection: ItemProjection,
): Promise<Item[]> {
  if (ids.length === 0) return []
  const places = Prisma.sql`SELECT place.rank, place.id FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS place (id, rank)`
  const items = jsonText(itemsAt(places, Prisma.sql`place.rank`, projection))
  const [row] = await sql.$queryRaw<{ json: JsonText }[]>`SELECT ${items} AS json`
  return parseItems(row?.json ?? '[]')
}

async function readText(sql: SqlReader, text: string): Promise<ParsedText> {
  const [row] = await sql.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  return parseText(row?.letters ?? '')
}

/**
 * Equal names and keywords and names that begin with the text come before all others, and those that share more grams before those that
 * share fewer. So the next ones are needed only if there are too few of these.
 */
async function findMeant(
  sql: SqlReader,
  {
    parsed,
    mostAtOnce,
    commonShare,
    ...suggestion
  }: Suggestion & Pick<Search, 'parsed' | 'mostAtOnce'> & { commonShare: number },
  scope: Scope,
): Promise<Ranked[]> {
  const places = Prisma.sql`(${equalItems(parsed, suggestion, scope)}) UNION (${beginnings(parsed, suggestion, scope)})`
  const first = parsed.isShort
    ? await readCandidates(sql, Prisma.sql`FROM (${places}) AS place JOIN items i ON i.id = place.id WHERE true`)
    : []
  const ranked = rankCandidates(parsed, first)
  if (ranked.length >= suggestion.limit) return ranked
  const { rareFirst, common } = await readShares(sql, [...parsed.grams], commonShare)
  for (const level of sharedLevels(rareFirst.length)) {
    const groups = groupsOf(rareFirst, level)
    const isSelective = groups.every((group) => group.some((gram) => !common.has(gram)))
    const isCandidate = isSelective
      ? Prisma.sql`(${hasOneOf(groups)}) AND ${whereSelected(suggestion)}`
      : whereSelected(suggestion)
    const items = Prisma.sql`${allItems(scope)} AND ${isCandidate}`
    ranked.push(...(await findCandidates(sql, { parsed, mostAtOnce, level, items, isSelective })))
    const found = new Set(ranked.flatMap((each) => (isAtLevel(each, level) ? each.candidate.id : [])))
    if (found.size >= suggestion.limit) break
  }
  return ranked
}

function equalItems({ phrase }: ParsedText, suggestion: Suggestion, scope: Scope): Prisma.Sql {
  return Prisma.sql`
    SELECT i.id ${allItems(scope)} AND letter_grams(i.folded_name, i.folded_keywords) @> ARRAY[${`=${phrase}`}]
       AND ${whereSelected(suggestion)} ORDER BY i.name, i.id LIMIT ${suggestion.limit}`
}

function beginnings({ phrase }: ParsedText, suggestion: Suggestion, scope: Scope): Prisma.Sql {
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
               AND ${whereSelected(suggestion)}
             ORDER BY ${beginning}, i.id LIMIT ${suggestion.limit}
          ) AS one
     ORDER BY ltrim(one.beginning) COLLATE "C", one.id LIMIT ${suggestion.limit}`
}

/**
 * Divides grams into groups. There is one group more than the grams that a name or keyword may lack, so it has all grams of at least one
 * group. Each group gets some of the first grams and some of the last.
 */
function groupsOf(grams: readonly string[], level: number): string[][] {
  const count = grams.length - level + 1
  const groupOf = (n: number) => (Math.floor(n / count) % 2 === 0 ? n % count : count - 1 - (n % count))
  return Array.from({ length: count }, (_, group) => grams.filter((_gram, n) => groupOf(n) === group))
}

/** SQL condition: the item `i` has all grams of one of the groups. */
function hasOneOf(groups: string[][]): Prisma.Sql {
  const hasGroup = (group: string[]) => Prisma.sql`letter_grams(i.folded_name, i.folded_keywords) @> ${group}::text[]`
  return Prisma.join(groups.map(hasGroup), ' OR ')
}

/**
 * The grams with the rare ones first, as the statistics of the index know them, and the common ones. So each group has a rare gram if there
 * are enough, and few items have a whole group. Without statistics the same items are found, only later.
 */
async function readShares(
  sql: SqlReader,
  grams: readonly string[],
  commonShare: number,
): Promise<{ rareFirst: string[]; common: ReadonlySet<string> }> {
  const rows = await sql.$queryRaw<{ gram: string; isCommon: boolean }[]>`
    SELECT given.gram, coalesce(common.share > ${commonShare}, false) AS "isCommon"
      FROM unnest(${[...grams]}::text[]) WITH ORDINALITY AS given (gram, n)
      LEFT JOIN ${gramShares('items_letter_grams_idx')} AS common ON common.gram = given.gram
     ORDER BY coalesce(common.share, 0), given.n`
  return {
    rareFirst: rows.map(({ gram }) => gram),
    common: new Set(rows.flatMap(({ gram, isCommon }) => (isCommon ? gram : []))),
  }
}
