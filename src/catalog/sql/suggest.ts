import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { HalfTyped } from '../hangul.ts'
import type { Selection } from '../selection.ts'
import {
  type Candidate,
  firstLetters,
  idsInOrder,
  isAtLevel,
  ONE_MISTAKE,
  type ParsedText,
  parseText,
  type Ranked,
  rankCandidates,
  sharedLevels,
} from '../suggestions.ts'
import { BEGINNING, begins, itemsEqualTo, LETTER_GRAMS, ownersOf, ownItems } from './letters.ts'
import { among, itemsOf, type Scope, select, whereSelected } from './select.ts'
import { gramShares } from './words.ts'

/*
 * Items that are probably meant by a text. PostgreSQL finds candidates by indexes, and TypeScript ranks them (suggestions.ts).
 */

/** The maximum number of compared items, and of those of each group of grams: a common word is in 100,000 of 1,000,000 names. */
const MAX_COMPARED = 1_000

/** The maximum number of items that are read by a group, of which those count that match the filters. */
const MAX_READ = 20_000

/** The maximum number of grams of a group, and of a single group. More take longer to look up than the items that they exclude. */
const GRAMS_OF_GROUP = 3
const GRAMS_OF_ONE = 9

/** A text, and which items it may mean. */
export interface Suggestion extends Selection {
  text: string
  limit: number
}

/**
 * The ids of the items that are probably meant, best first.
 * @param maxCompared is the maximum number of compared items, and of those of each group of grams
 */
export async function fetchSuggestions(
  reader: SqlReader,
  suggestion: Suggestion,
  scope: Scope,
  maxCompared = MAX_COMPARED,
): Promise<string[]> {
  const parsed = await readText(reader, suggestion.text)
  if (parsed.phrase === '') return []
  const ranked = await findMeant(reader, parsed, { ...suggestion, maxCompared }, scope)
  return idsInOrder(ranked).slice(0, suggestion.limit)
}

async function readText(reader: SqlReader, text: string): Promise<ParsedText> {
  const [row] = await reader.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  return parseText(row?.letters ?? '')
}

/**
 * Equal names and keywords, and names that begin with the text, come before all others. The others come in the order of their shared grams.
 * So the search goes on to fewer shared grams only while it has found too few items.
 */
async function findMeant(
  reader: SqlReader,
  parsed: ParsedText,
  { maxCompared, ...suggestion }: Suggestion & Pick<Groups, 'maxCompared'>,
  scope: Scope,
): Promise<Ranked[]> {
  const { phrase, halfTyped } = parsed
  const where = whereSelected(suggestion)
  const limit = Prisma.sql`LIMIT ${suggestion.limit}`
  const places = [equalItems(parsed, where, scope, limit), beginnings(firstOf([phrase]), where, scope, limit)]
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
  const grams = await readRarestFirst(reader, [...parsed.grams])
  for (const level of sharedLevels(grams.length)) {
    const lengths = level < grams.length - ONE_MISTAKE ? [] : lengthsLike(phrase)
    const items = inGroups({ groups: groupsOf(grams, level), lengths, maxCompared }, where, scope)
    ranked.push(...rankCandidates(parsed, await readCandidates(reader, items)))
    const found = new Set(ranked.flatMap((each) => (isAtLevel(each, level) ? each.candidate.id : [])))
    if (found.size >= suggestion.limit) break
  }
  return ranked
}

/** The items with an equal name or keyword. */
function equalItems({ phrase }: ParsedText, where: Prisma.Sql, scope: Scope, limit: Prisma.Sql): Prisma.Sql {
  const equal = itemsEqualTo(
    { names: Prisma.sql`${[phrase]}::text[]`, keyword: Prisma.sql`${phrase}` },
    where,
    scope,
    Prisma.sql`ORDER BY i.name, i.id ${limit}`,
  )
  return Prisma.sql`SELECT id FROM (${equal}) AS equal ORDER BY name, id ${limit}`
}

/** The items whose names begin with one of the phrases, in the order of their letters. */
function beginnings(phrases: Prisma.Sql, where: Prisma.Sql, scope: Scope, limit: Prisma.Sql): Prisma.Sql {
  const first = select(
    Prisma.sql`i.id, ${BEGINNING} AS beginning`,
    ownItems(begins(Prisma.sql`begun.phrase`), where),
    Prisma.sql`ORDER BY ${BEGINNING}, i.id ${limit}`,
  )
  return Prisma.sql`
    SELECT one.id FROM ${ownersOf(scope)}, unnest(${phrases}) AS begun (phrase), LATERAL (${first}) AS one
     ORDER BY one.beginning, one.id ${limit}`
}

/** An array. */
function firstOf(phrases: readonly string[]): Prisma.Sql {
  return Prisma.sql`${phrases.map(firstLetters)}::text[]`
}

/** So many names are compared with a pattern at once. To search for each of a thousand prefixes takes longer. */
const FEW_NAMES = 2_000

/** An array: the prefixes of a half-typed text, or the start of all of them in a dataset where few names have it. */
function prefixesOf({ prefixes, start }: HalfTyped): Prisma.Sql {
  if (start === undefined) return firstOf(prefixes)
  const near = select(Prisma.empty, ownItems(begins(Prisma.sql`${start}::text`)), Prisma.sql`LIMIT ${FEW_NAMES + 1}`)
  const isMany = Prisma.sql`(SELECT count(*) > ${FEW_NAMES} FROM (${near}) AS near)`
  return Prisma.sql`CASE WHEN ${isMany} THEN ${firstOf(prefixes)} ELSE ${firstOf([start])} END`
}

/** Groups of grams by which items are found. */
interface Groups {
  groups: string[][]
  /** Lengths of names. Items with such a name are found in a group that too many items have. */
  lengths: number[]
  maxCompared: number
}

/**
 * Divides the rarest grams into groups. There is one group more than the grams that a name or keyword may lack, so it has all grams of
 * at least one group.
 */
function groupsOf(grams: readonly string[], level: number): string[][] {
  const groups = Array.from({ length: grams.length - level + 1 }, (): string[] => [])
  // There and back, so that the rarest gram is with the most common one, and no group has many items.
  const turns = [...groups, ...groups.toReversed()]
  const rarest = grams.slice(0, Math.max(GRAMS_OF_ONE, groups.length * GRAMS_OF_GROUP))
  for (const [n, gram] of rarest.entries()) turns[n % turns.length]?.push(gram)
  return groups
}

/** The lengths of the names that a text is, with one letter more or less. */
function lengthsLike(phrase: string): number[] {
  const { length } = [...phrase]
  return [length - 1, length, length + 1]
}

/**
 * SQL for a table `i` of the items that have all grams of most groups; an item that lacks few grams has most groups. Of a group that too many
 * items have, some are read, and those whose names have one of the lengths: the index has the length of a name as a gram.
 */
function inGroups({ groups, lengths, maxCompared }: Groups, where: Prisma.Sql, scope: Scope): Prisma.Sql {
  const limit = Prisma.sql`LIMIT ${maxCompared}`
  const withGrams = (grams: Prisma.Sql) => {
    // PostgreSQL plans a materialized table for all of its rows. With the limit in it, it reads the whole table instead of the index.
    const all = select(Prisma.sql`i.ctid, i.*`, among(itemsOf(scope), Prisma.sql`${LETTER_GRAMS} @> ${grams}`))
    const some = Prisma.sql`(SELECT * FROM with_grams LIMIT ${MAX_READ}) AS i`
    const found = select(Prisma.sql`i.ctid, length(i.folded_name) AS length`, { from: some, where }, limit)
    return Prisma.sql`WITH with_grams AS MATERIALIZED (${all}) ${found}`
  }
  return Prisma.sql`
    (WITH part AS MATERIALIZED (
            SELECT n, string_to_array(grams, E'\\n') AS grams
              FROM unnest(${groups.map((group) => group.join('\n'))}::text[]) WITH ORDINALITY AS part (grams, n)),
          found AS MATERIALIZED (
            SELECT part.n, place.* FROM part CROSS JOIN LATERAL (${withGrams(Prisma.sql`part.grams`)}) AS place),
          crowded AS MATERIALIZED (
            SELECT part.grams[:2] || (E'\\n' || length) AS grams FROM part CROSS JOIN unnest(${lengths}::integer[]) AS length
             WHERE n IN (SELECT n FROM found GROUP BY n HAVING count(*) = ${maxCompared}))
     SELECT i.* FROM (
       (SELECT ctid FROM found GROUP BY ctid, length ORDER BY count(*) DESC, length ${limit})
       UNION
       (SELECT place.ctid FROM crowded CROSS JOIN LATERAL (${withGrams(Prisma.sql`crowded.grams`)}) AS place ${limit})) AS best
       JOIN items i ON i.ctid = best.ctid) AS i`
}

/** The grams in the order of their shares of the items, as the statistics of the index know them. Without statistics PostgreSQL reads more. */
async function readRarestFirst(reader: SqlReader, grams: readonly string[]): Promise<string[]> {
  const rows = await reader.$queryRaw<{ gram: string }[]>`
    SELECT given.gram FROM unnest(${[...grams]}::text[]) WITH ORDINALITY AS given (gram, n)
      LEFT JOIN ${gramShares('items_letter_grams_idx')} AS common ON common.gram = given.gram
     ORDER BY coalesce(common.share, 0), given.n`
  return rows.map(({ gram }) => gram)
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
