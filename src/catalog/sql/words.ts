import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Selection } from '../selection.ts'
import { whereSelected } from './select.ts'

/*
 * Finds items by the words of a text, by an index of grams: pairs of adjacent characters of names and keywords, and some single ones. PostgreSQL
 * folds names and texts, and takes both apart (`name_grams`), so that they can't differ.
 */

/** A folded text, and its words. A text of invisible characters or punctuation has none, and finds nothing. */
export interface FoldedText {
  words: readonly string[]
  phrase: string
  /** Its rarest grams; none for a single frequent letter. */
  grams: readonly string[]
  /**
   * The share of all items that may have it, if words do not depend on each other: that of the rarest gram of each word, by PostgreSQL's
   * statistics. It is 0 if they do not know a gram.
   */
  share: number
  /** Whether the index of grams finds few items: one of its grams is rare. */
  isRare: boolean
}

/**
 * A larger share of the items has a common gram. For a text of common grams PostgreSQL would read all items, and compute the grams of each,
 * which takes 8 µs; a comparison of its name with the words takes less than one.
 */
export const COMMON_SHARE = 0.2

/**
 * So many of the rarest grams go into the condition of the index; the words decide. Each more takes longer to read than the few items that it
 * spares: `elementary school` has 14, which take 40 ms instead of 6 in 1,000,000 names.
 */
const MOST_GRAMS = 4

/**
 * Folds a text.
 * @param commonShare is the share of the items above which a gram is common
 */
export async function foldText(reader: SqlReader, text: string, commonShare = COMMON_SHARE): Promise<FoldedText> {
  const [row] = await reader.$queryRaw<{ folded: string; grams: string[]; shares: number[] }[]>`
    WITH text AS MATERIALIZED (SELECT fold_name(${text}) AS folded),
         known AS MATERIALIZED (
           SELECT word.n, given.gram::text, coalesce(common.share, 0)::float8 AS share
             FROM text
            CROSS JOIN string_to_table(folded, ' ') WITH ORDINALITY AS word (word, n)
            CROSS JOIN unnest(name_grams(word.word)) AS given (gram)
             LEFT JOIN ${gramShares('items_grams_idx')} AS common ON common.gram = given.gram::text)
    SELECT folded,
           ARRAY(SELECT gram FROM known GROUP BY gram, share ORDER BY share, length(gram) DESC LIMIT ${MOST_GRAMS}) AS grams,
           ARRAY(SELECT min(share) FROM known GROUP BY n) AS shares
      FROM text`
  const { folded: phrase = '', grams = [], shares = [] } = row ?? {}
  const isRare = Math.min(1, ...shares) <= commonShare
  const share = shares.reduce((product, one) => product * one, 1)
  return { words: phrase === '' ? [] : phrase.split(' '), phrase, grams, share, isRare }
}

/** SQL for the common grams of an index, and the share of all items that has each (gram, share), by PostgreSQL's statistics. */
export function gramShares(index: 'items_grams_idx' | 'items_letter_grams_idx'): Prisma.Sql {
  return Prisma.sql`(
    SELECT gram, share FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (gram, share)
     WHERE schemaname = current_schema() AND tablename = ${index} AND gram IS NOT NULL)`
}

/** SQL condition: the item `i` matches a selection, and has the words of its text. */
export function whereWith(text: FoldedText | undefined, selection: Omit<Selection, 'text'>): Prisma.Sql {
  const whereWords = whereSelected(selection, text?.words)
  if (!text?.isRare) return whereWords
  return Prisma.sql`item_grams(i.folded_name, i.folded_keywords) @> ${text.grams}::text[]::bigint[] AND ${whereWords}`
}

/** SQL condition: the item `i` matches a selection, which may have a text. */
export async function whereFound(reader: SqlReader, selection: Selection, commonShare?: number): Promise<Prisma.Sql> {
  const { text } = selection
  return whereWith(text === undefined ? undefined : await foldText(reader, text, commonShare), selection)
}
