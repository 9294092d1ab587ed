import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { HalfTyped } from '../hangul.ts'
import type { Selection } from '../selection.ts'
import {
  type Candidate,
  firstLetters,
  idsInOrder,
  isAtLevel,
  type ParsedText,
  parseText,
  type Ranked,
  rankCandidates,
  sharedLevels,
} from '../suggestions.ts'
import { among, type Items, itemsOf, type Scope, select, whereSelected } from './select.ts'
import { gramShares } from './words.ts'

/*
 * Items that are probably meant by a text. PostgreSQL finds candidates by indexes, and TypeScript ranks them (suggestions.ts).
 */

/** The maximum number of compared items, which have the shortest names: a common word is in 100,000 of 1,000,000 names. */
const MAX_COMPARED = 1_000

/** Up to this number, items are read at once to find the shortest names; more of them are read by the lengths of their names. */
const MAX_READ = 10_000

/** A smaller share of the items has a rare gram. */
const RARE_SHARE = 0.0005

/** A text, and which items it may mean. */
export interface Suggestion extends Selection {
  text: string
  limit: number
}

interface Bounds {
  maxCompared: number
  maxRead: number
}

/**
 * The ids of the items that are probably meant, best first.
 * @param maxCompared is the maximum number of compared items
 * @param maxRead is the maximum number of items that are read at once
 */
export async function fetchSuggestions(
  reader: SqlReader,
  suggestion: Suggestion,
  scope: Scope,
  { maxCompared = MAX_COMPARED, maxRead = MAX_READ } = {},
): Promise<string[]> {
  const parsed = await readText(reader, suggestion.text)
  if (parsed.phrase === '') return []
  const ranked = await findMeant(reader, parsed, { ...suggestion, maxCompared, maxRead }, scope)
  return idsInOrder(ranked).slice(0, suggestion.limit)
}

async function readText(reader: SqlReader, text: string): Promise<ParsedText> {
  const [row] = await reader.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  return parseText(row?.letters ?? '')
}

/**
 * Equal names and keywords, and names that begin with the text, come before all others. The others come in the order of their shared grams.
 * So the search goes on to fewer shared grams only while it has found too few items, and until it has compared the maximum.
 */
async function findMeant(
  reader: SqlReader,
  parsed: ParsedText,
  { maxCompared, maxRead, ...suggestion }: Suggestion & Bounds,
  scope: Scope,
): Promise<Ranked[]> {
  const { phrase, halfTyped } = parsed
  const where = whereSelected(suggestion)
  const limit = Prisma.sql`LIMIT ${suggestion.limit}`
  const places = [equalItems(parsed, where, scope, limit), beginnings(spaced([phrase]), where, scope, limit)]
  if (halfTyped) {
    const hasPattern = Prisma.sql`letters_of(i.folded_name) ~ ${halfTyped.pattern.source} AND ${where}`
    places.push(beginnings(prefixesOf(halfTyped), hasPattern, scope, limit))
  }
  const union = Prisma.join(places, ') UNION (', '(', ')')
  const first = parsed.isShort
    ? await readCandidates(reader, Prisma.sql`(${union}) AS place JOIN items i ON i.id = place.id`)
    : []
  const ranked = rankCandidates(parsed, first)
  if (ranked.length >= suggestion.limit) return ranked
  const { grams, rare } = await readShares(reader, [...parsed.grams])
  for (const level of sharedLevels(grams.length)) {
    const groups = groupsOf(grams, rare, level)
    const items = among(itemsOf(scope), Prisma.sql`(${whereOneOf(groups)})`, where)
    const candidates = await readCandidates(reader, shortest(items, { maxCompared, maxRead }))
    ranked.push(...rankCandidates(parsed, candidates))
    const found = new Set(ranked.flatMap((each) => (isAtLevel(each, level) ? each.candidate.id : [])))
    if (found.size >= suggestion.limit || candidates.length === maxCompared) break
  }
  return ranked
}

/** The grams of letters of an item, and `=` before each whole keyword. An index has them. */
export const LETTER_GRAMS = Prisma.sql`letter_grams(i.folded_name, i.folded_keywords)`

/** The first letters of a name. An index has them. */
export const BEGINNING = Prisma.sql`left(letters_of(i.folded_name), 50) COLLATE "C"`

/** The items with an equal name, whose letters may have a space before and after it, or with an equal keyword. */
function equalItems({ phrase }: ParsedText, where: Prisma.Sql, scope: Scope, limit: Prisma.Sql): Prisma.Sql {
  const names = [phrase, ` ${phrase}`, `${phrase} `, ` ${phrase} `]
  const isEqual = Prisma.sql`(${BEGINNING} = ANY (${names}::text[]) OR ${LETTER_GRAMS} @> ARRAY[${`=${phrase}`}])`
  return select(Prisma.sql`i.id`, among(itemsOf(scope), isEqual, where), Prisma.sql`ORDER BY i.name, i.id ${limit}`)
}

/** The items whose names begin with one of the phrases, in the order of their letters. */
function beginnings(phrases: Prisma.Sql, where: Prisma.Sql, scope: Scope, limit: Prisma.Sql): Prisma.Sql {
  const begun = among(ownItems(Prisma.sql`begun.phrase`), where)
  const first = select(
    Prisma.sql`i.id, ${BEGINNING} AS beginning`,
    begun,
    Prisma.sql`ORDER BY ${BEGINNING}, i.id ${limit}`,
  )
  return Prisma.sql`
    SELECT one.id FROM unnest(${[...scope]}::uuid[]) AS owner (dataset_id)
     CROSS JOIN LATERAL unnest(${phrases}) AS begun (phrase)
     CROSS JOIN LATERAL (${first}) AS one
     ORDER BY ltrim(one.beginning) COLLATE "C", one.id ${limit}`
}

/** The items of `owner` whose letters begin with a phrase. No letter is beyond the last code point. */
function ownItems(phrase: Prisma.Sql): Items {
  const begins = Prisma.sql`${BEGINNING} >= ${phrase} AND ${BEGINNING} < ${phrase} || ${'\u{10ffff}'}`
  return { from: Prisma.sql`items i`, where: Prisma.sql`i.dataset_id = owner.dataset_id AND ${begins}` }
}

/** An array. The letters of a name that begins with a bracket or another separator begin with a space. */
function spaced(phrases: readonly string[]): Prisma.Sql {
  return Prisma.sql`${phrases.flatMap((phrase) => [phrase, ` ${phrase}`].map(firstLetters))}::text[]`
}

/** So many names are compared with a pattern at once. To search for each of a thousand prefixes takes longer. */
const FEW_NAMES = 2_000

/** An array: the prefixes of a half-typed text, or the start of all of them in a dataset where few names have it. */
function prefixesOf({ prefixes, start }: HalfTyped): Prisma.Sql {
  if (start === undefined) return spaced(prefixes)
  const near = select(Prisma.empty, ownItems(Prisma.sql`${start}::text`), Prisma.sql`LIMIT ${FEW_NAMES + 1}`)
  const isMany = Prisma.sql`(SELECT count(*) > ${FEW_NAMES} FROM (${near}) AS near)`
  return Prisma.sql`CASE WHEN ${isMany} THEN ${spaced(prefixes)} ELSE ${spaced([start])} END`
}

/**
 * Divides grams into groups. There is one group more than the grams that a name or keyword may lack, so it has all grams of at least one
 * group. Groups without a rare gram get most of the others, in turn: then each has grams of all words, and few items have all of them.
 */
function groupsOf(grams: readonly string[], rare: number, level: number): string[][] {
  const groups = Array.from({ length: grams.length - level + 1 }, (): string[] => [])
  const withRare = groups.slice(0, rare)
  const others = groups.slice(rare)
  const turns = [...others, ...others, ...others, ...others, ...groups]
  for (const [n, gram] of grams.entries()) {
    const group = withRare[n] ?? turns[(n - withRare.length) % turns.length]
    group?.push(gram)
  }
  return groups
}

/** SQL condition: the item `i` has all grams of one of the groups. */
function whereOneOf(groups: string[][]): Prisma.Sql {
  const whereGroup = (group: string[]) => Prisma.sql`${LETTER_GRAMS} @> ${group}::text[]`
  return Prisma.join(groups.map(whereGroup), ' OR ')
}

/** Shares of the items that have the lengths which are read at once. */
const PARTS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32]

/**
 * SQL for a table `i` of the items, or of the ones with the shortest names if there are too many. The index has the length of a name as a gram, 100 for
 * longer ones. The lengths of some items tell how many lengths to read at once.
 */
function shortest(items: Items, { maxCompared, maxRead }: Bounds): Prisma.Sql {
  const columns = Prisma.sql`i.id, i.name, i.folded_name, i.folded_keywords`
  const inOrder = Prisma.sql`ORDER BY length(i.folded_name), i.id LIMIT ${maxCompared}`
  const lengths = Prisma.sql`ARRAY(SELECT E'\\n' || n FROM generate_series(part.shortest, part.longest) AS n)`
  return Prisma.sql`
    (WITH first AS MATERIALIZED (${select(columns, items, Prisma.sql`LIMIT ${maxRead + 1}`)}),
          size AS MATERIALIZED (SELECT count(*) <= ${maxRead} AS is_all FROM first),
          part AS MATERIALIZED (
            SELECT lag(longest, 1, 0) OVER (ORDER BY longest) + 1 AS shortest, longest
              FROM (SELECT 100 AS longest UNION SELECT unnest(percentile_disc(${PARTS}::float8[]) WITHIN GROUP
                           (ORDER BY least(length(folded_name), 100))) FROM first) AS lengths ORDER BY longest)
          (SELECT * FROM first i WHERE (SELECT is_all FROM size) ${inOrder})
          UNION ALL
          (SELECT i.* FROM part
            CROSS JOIN LATERAL (${select(columns, among(items, Prisma.sql`${LETTER_GRAMS} && ${lengths}`), inOrder)}) AS i
            WHERE NOT (SELECT is_all FROM size) LIMIT ${maxCompared})) AS i`
}

/**
 * The grams with the rare ones first, as the statistics of the index know them, and the number of rare ones. Without statistics PostgreSQL
 * reads more.
 */
async function readShares(reader: SqlReader, grams: readonly string[]): Promise<{ grams: string[]; rare: number }> {
  const rows = await reader.$queryRaw<{ gram: string; isRare: boolean }[]>`
    SELECT given.gram, coalesce(common.share, 0) < ${RARE_SHARE} AS "isRare"
      FROM unnest(${[...grams]}::text[]) WITH ORDINALITY AS given (gram, n)
      LEFT JOIN ${gramShares('items_letter_grams_idx')} AS common ON common.gram = given.gram
     ORDER BY 2 DESC, given.n`
  return { grams: rows.map(({ gram }) => gram), rare: rows.filter(({ isRare }) => isRare).length }
}

/** @param items is the table `i` of the items */
export async function readCandidates(reader: SqlReader, items: Prisma.Sql): Promise<Candidate[]> {
  // Prisma takes far longer than JSON.parse for thousands of rows.
  const [row] = await reader.$queryRaw<{ candidates: string | null }[]>`
    SELECT json_agg(candidate)::text AS candidates FROM (
      SELECT i.id, i.name, letters_of(i.folded_name) AS letters,
             CASE WHEN i.folded_keywords = '' THEN '' ELSE letters_of(i.folded_keywords) END AS keywords
        FROM ${items}) AS candidate`
  return JSON.parse(row?.candidates ?? '[]')
}
