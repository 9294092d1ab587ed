import { setImmediate } from 'node:timers/promises'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Candidate, isAtLevel, type ParsedText, type Ranked, rankCandidates } from '../suggestions.ts'

/*
 * Reads the items that share enough grams with a text (suggest.ts). If they are many, only those with the shortest names are compared.
 */

/**
 * If more items than this share enough grams with a text, only those with the shortest names are compared: to compare all of them would
 * take seconds for a word of 300,000 names.
 */
const MAX_COMPARED = 2_000

/** An id before all others. */
const NIL = '00000000-0000-0000-0000-000000000000'

/** The index has the lengths of names up to this; longer names have it too. */
const MAX_LENGTH = 100

/** Where the index does not help, the items are read in parts, and each part is larger than the one before, up to this factor. */
const MAX_GROWTH = 8

/** They take two to three milliseconds. */
const RANKED_AT_ONCE = 1_000

/** Items that may share enough grams with a text. */
export interface Search {
  /** Whether they are few enough to find them by the index; otherwise they are all items. */
  isSelective: boolean
  parsed: ParsedText
  mostAtOnce: number
  /** The number of grams that they need. */
  level: number
  /** FROM and the beginning of WHERE. */
  items: Prisma.Sql
}

/** Those of the items that share enough grams; if they are many, those with the shortest names. */
export async function findCandidates(sql: SqlReader, search: Search): Promise<Ranked[]> {
  if (!search.isSelective) return shortest(await findInOrder(sql, search, search.items, MAX_COMPARED))
  const [row] = await sql.$queryRaw<{ lengths: number[]; candidates: string | null }[]>`
    WITH found AS MATERIALIZED (SELECT i.id, i.name, i.folded_name, i.folded_keywords ${search.items}),
    first AS MATERIALIZED (SELECT * FROM found LIMIT ${search.mostAtOnce + 1}),
    size AS MATERIALIZED (SELECT count(*) <= ${search.mostAtOnce} AS is_all FROM first)
    SELECT ARRAY(SELECT length(folded_name) FROM first, size WHERE NOT is_all ORDER BY 1) AS lengths,
           (SELECT json_agg(candidate)::text FROM (SELECT ${CANDIDATE} FROM first i, size WHERE is_all) AS candidate) AS candidates`
  return shortest(
    row && row.lengths.length > 0
      ? await findByLength(sql, search, row.lengths)
      : await rankAtLevel(search, JSON.parse(row?.candidates ?? '[]')),
  )
}

/**
 * Reads the items by the lengths of their names, until enough of them share enough grams.
 * @param lengths are those of some of the items, in order: they tell how many lengths to read at once
 */
async function findByLength(sql: SqlReader, search: Search, lengths: readonly number[]): Promise<Ranked[]> {
  let found: Ranked[] = []
  let length = 0
  for (let share = 1 / 32; found.length < MAX_COMPARED && length < MAX_LENGTH; share *= 2) {
    const last = Math.min(lengths[Math.floor(share * lengths.length)] ?? MAX_LENGTH, MAX_LENGTH)
    const keys = Array.from({ length: last - length }, (_, n) => `\n${length + 1 + n}`)
    if (keys.length === 0) continue
    const hasLength = Prisma.sql`letter_grams(i.folded_name, i.folded_keywords) && ${keys}::text[]`
    const items = Prisma.sql`${search.items} AND ${hasLength}`
    found = found.concat(await findInOrder(sql, search, items, MAX_COMPARED - found.length))
    length = last
  }
  return found
}

/**
 * Reads items by the length of their names, then id, until `count` of them share enough grams. 100,000 names may have one length.
 * @param items is FROM and the beginning of WHERE
 */
async function findInOrder(sql: SqlReader, search: Search, items: Prisma.Sql, count: number): Promise<Ranked[]> {
  const { mostAtOnce } = search
  let found: Ranked[] = []
  let after: Pick<Candidate, 'length' | 'id'> = { length: 0, id: NIL }
  for (let growth = 1; ; growth = Math.min(2 * growth, MAX_GROWTH)) {
    const limit = growth * (mostAtOnce + 1)
    const isAfter = Prisma.sql`(length(i.folded_name), i.id) > (${after.length}::integer, ${after.id}::uuid)`
    const candidates = await readCandidates(
      sql,
      Prisma.sql`${items} AND ${isAfter} ORDER BY length(i.folded_name), i.id LIMIT ${limit}`,
    )
    found = found.concat(await rankAtLevel(search, candidates))
    const last = candidates.at(-1)
    if (last === undefined || candidates.length < limit || found.length >= count) return found
    after = last
  }
}

/** The candidates that share enough grams. Between two thousands of them, other requests use the processor. */
async function rankAtLevel({ parsed, level }: Search, candidates: readonly Candidate[]): Promise<Ranked[]> {
  const ranked: Ranked[] = []
  for (let first = 0; first < candidates.length; first += RANKED_AT_ONCE) {
    if (first > 0) await setImmediate()
    const some = rankCandidates(parsed, candidates.slice(first, first + RANKED_AT_ONCE))
    ranked.push(...some.filter((each) => isAtLevel(each, level)))
  }
  return ranked
}

function shortest(ranked: readonly Ranked[]): Ranked[] {
  const byLength = ({ candidate: a }: Ranked, { candidate: b }: Ranked) => a.length - b.length || (a.id < b.id ? -1 : 1)
  return ranked.toSorted(byLength).slice(0, MAX_COMPARED)
}

/** @param items is FROM and the beginning of WHERE */
export async function readCandidates(sql: SqlReader, items: Prisma.Sql): Promise<Candidate[]> {
  // Prisma takes far longer than JSON.parse for thousands of rows.
  const [row] = await sql.$queryRaw<{ candidates: string | null }[]>`
    SELECT json_agg(candidate)::text AS candidates FROM (SELECT ${CANDIDATE} ${items}) AS candidate`
  return JSON.parse(row?.candidates ?? '[]')
}

/** SQL for the `Candidate` of an item `i`. */
const CANDIDATE = Prisma.sql`
  i.id, i.name, letters_of(i.folded_name) AS letters,
  CASE WHEN i.folded_keywords = '' THEN '' ELSE letters_of(i.folded_keywords) END AS keywords, length(i.folded_name) AS length`
