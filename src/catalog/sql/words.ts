import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Selection } from '../selection.ts'
import { whereSelected } from './select.ts'

/*
 * Finds items by the words of a text, by an index of grams: the characters of names and keywords, and pairs of adjacent ones. PostgreSQL folds
 * names and texts, so that both are folded by the same code.
 */

/** A folded text: its words, and the words with single spaces between them. */
export interface FoldedText {
  words: readonly string[]
  phrase: string
  /** The share of all items that have its rarest gram, by PostgreSQL's statistics: 0 if they do not know the gram. */
  share: number
  /** Whether the index of grams finds few items: one of its grams is rare. */
  isRare: boolean
}

/**
 * A larger share of the items has a common gram. For a text of common grams PostgreSQL would read all items, and compute the grams of each,
 * which takes 20 µs; a comparison of its name with the words takes less than one.
 */
export const COMMON_SHARE = 0.2

/** @see https://www.unicode.org/reports/tr44/#White_Space */
const WHITE_SPACE = /\p{White_Space}+/u

/**
 * Folds a text.
 * @param commonShare is the share of the items above which a gram is common
 */
export async function foldText(reader: SqlReader, text: string, commonShare = COMMON_SHARE): Promise<FoldedText> {
  const [row] = await reader.$queryRaw<{ folded: string; share: number }[]>`
    SELECT folded, coalesce((
             SELECT min(coalesce(common.share, 0))
               FROM unnest(name_grams(folded)) AS gram LEFT JOIN ${gramShares('items_grams_idx')} AS common USING (gram)
           ), 1)::float8 AS share
      FROM fold_name(${text}) AS folded`
  const { folded = '', share = 1 } = row ?? {}
  const words = folded.split(WHITE_SPACE).filter((word) => word !== '')
  return { words, phrase: words.join(' '), share, isRare: share <= commonShare }
}

/** SQL for the common grams of an index, and the share of all items that has each (gram, share), by PostgreSQL's statistics. */
export function gramShares(index: 'items_grams_idx' | 'items_letter_grams_idx'): Prisma.Sql {
  return Prisma.sql`(
    SELECT gram, share FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (gram, share)
     WHERE schemaname = current_schema() AND tablename = ${index} AND gram IS NOT NULL)`
}

/** SQL condition: the item `i` matches a selection, and has the words of its text. */
export function whereWith(text: FoldedText | undefined, selection: Omit<Selection, 'text'>): Prisma.Sql {
  if (!text?.isRare) return whereSelected(selection, text?.words)
  // A word of one or two characters is a gram, so the index has found it.
  const longWords = text.words.filter((word) => [...word].length > 2)
  return Prisma.sql`${whereGrams(text.words)} AND ${whereSelected(selection, longWords)}`
}

/** SQL condition: the item `i` matches a selection, which may have a text. */
export async function whereFound(reader: SqlReader, selection: Selection, commonShare?: number): Promise<Prisma.Sql> {
  const { text } = selection
  return whereWith(text === undefined ? undefined : await foldText(reader, text, commonShare), selection)
}

/** SQL condition that every item has whose name and keywords have the words. An index answers it. */
function whereGrams(words: readonly string[]): Prisma.Sql {
  return Prisma.sql`item_grams(i.folded_name, i.folded_keywords) @> ${words.flatMap(gramsOf)}::text[]`
}

/** The pairs of adjacent characters of a word, or its only character. The SQL function `name_grams` gives them for a name. */
function gramsOf(word: string): string[] {
  const characters = [...word]
  return characters.length === 1 ? characters : characters.slice(1).map((next, n) => `${characters[n]}${next}`)
}
