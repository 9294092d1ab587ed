import { NEVER_PREPARE } from '../../database/never-prepare.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { type FilterValues, givenFilters, splitFilters } from '../filters.ts'
import type { JsonText } from '../models.ts'
import type { Fetched, Window } from '../page.ts'
import { FEW_IN_BOX, planBox, planSearch } from '../plan.ts'
import { itemsAt, jsonText } from '../projection.ts'
import type { Circle, Selection } from '../selection.ts'
import { countInBox, itemsInCells } from './box.ts'
import { ownerTable, type Scope, totalOf } from './item-list.ts'
import { itemsOf } from './nearby.ts'
import { centreOf, whereInName, whereSelected } from './where.ts'

/*
 * Items by name or keyword, in a box, or both (docs/graphql.md). PostgreSQL folds names and texts, so that both are folded by the same code.
 */

/** A part of the list of the found items. */
export interface SearchWindow extends Selection, Window {}

/** A folded text: its words, and the words with single spaces between them. */
interface FoldedText {
  words: readonly string[]
  phrase: string
  /** Whether the index of grams finds few items: one of its grams is rare. */
  isRare: boolean
}

/**
 * A larger share of the items has a common gram. For a text of common grams PostgreSQL would read all items, and compute the grams of each,
 * which takes 20 µs; a comparison of its name with the words takes less than one.
 */
const COMMON_SHARE = 0.2

/**
 * A part of the list, and the total. Items in a circle are in the order of their distance, others by name.
 * @param commonShare is the share of the items above which a gram is common
 */
export async function fetchSearchPage(
  reader: SqlReader,
  window: SearchWindow,
  scope: Scope,
  { commonShare = COMMON_SHARE } = {},
): Promise<Fetched> {
  const plan = planSearch(window)
  switch (plan.way) {
    case 'grid':
    case 'circle': {
      const text = window.text === undefined ? undefined : await foldText(reader, window.text, commonShare)
      return fetchNearest(reader, { ...window, circle: plan.circle }, scope, text)
    }
    case 'words': {
      const text = await foldText(reader, plan.text, commonShare)
      const { items, words } = candidatesFor(text, scope)
      return fetchFrom(reader, items, window, text, words)
    }
    case 'box':
      return fetchInBox(reader, window, plan.within, scope)
    case 'none':
      return { json: '[]', total: 0 }
  }
}

async function fetchInBox(
  reader: SqlReader,
  window: SearchWindow,
  within: BoundingBox,
  scope: Scope,
): Promise<Fetched> {
  const { total, cells } = await countInBox(reader, within, scope)
  const isPastEnd = window.offset >= total || window.limit === 0
  if (isPastEnd && givenFilters(window).length === 0) return { json: '[]', total }
  const way =
    total <= FEW_IN_BOX
      ? 'cells'
      : planBox({ total, size: await sizeOf(reader, scope, splitFilters(window).codes) }, window)
  switch (way) {
    case 'names':
      return { json: await walkNames(reader, window, scope), total }
    case 'codes':
      return fetchFrom(reader, Prisma.sql`${allItems(scope)} AND ${NEVER_PREPARE} true`, window)
    case 'cells':
      return fetchFrom(reader, itemsInCells(cells, scope, window), window)
  }
}

/**
 * Reads all found items among the candidates.
 * @param candidates is FROM and the beginning of WHERE
 * @param words are the words of the text that a candidate may lack
 */
async function fetchFrom(
  reader: SqlReader,
  candidates: Prisma.Sql,
  window: SearchWindow,
  text?: FoldedText,
  words: readonly string[] = text?.words ?? [],
): Promise<Fetched> {
  const { limit, offset } = window
  const [row] = await reader.$queryRaw<Fetched[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, i.name, ${rankOf(text)} AS rank ${candidates} AND ${whereSelected(window, words)}
    )
    SELECT (SELECT count(*) FROM hit)::integer AS total,
           ${itemsFrom(window, Prisma.sql`SELECT * FROM hit ORDER BY rank, name, id LIMIT ${limit} OFFSET ${offset}::bigint`)} AS json`
  return row ?? { json: '[]', total: 0 }
}

/** Reads the items in a circle. PostgreSQL chooses between the index of grams and the one of locations. */
async function fetchNearest(
  reader: SqlReader,
  window: SearchWindow & { circle: Circle },
  scope: Scope,
  text: FoldedText | undefined,
): Promise<Fetched> {
  const { items, words } = text ? candidatesFor(text, scope) : { items: allItems(scope), words: [] }
  const [row] = await reader.$queryRaw<Fetched[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window.circle)}) AS distance ${items} AND ${whereSelected(window, words)}
    )
    SELECT ${itemsOf(window)} AS json, (SELECT count(*) FROM hit)::integer AS total`
  return row ?? { json: '[]', total: 0 }
}

/** The number of items of the datasets that have the codes. */
async function sizeOf(reader: SqlReader, scope: Scope, codes: FilterValues): Promise<number> {
  const owners = scope.map((datasetId) => ({ datasetId, parentItemId: null }))
  const [row] = await reader.$queryRaw<{ n: number }[]>`
    SELECT coalesce(sum(${totalOf({ among: 'all', ...codes })}), 0)::float8 AS n FROM ${ownerTable(owners)}`
  return row?.n ?? 0
}

/** Reads items in the order of their names until the page is complete. */
async function walkNames(reader: SqlReader, window: SearchWindow, scope: Scope): Promise<JsonText> {
  const { limit, offset } = window
  const [row] = await reader.$queryRaw<{ json: JsonText }[]>`
    SELECT ${itemsFrom(
      window,
      Prisma.sql`
        SELECT 0 AS rank, one.id, one.name FROM unnest(${[...scope]}::uuid[]) AS owner (dataset_id)
         CROSS JOIN LATERAL (
                SELECT i.id, i.name FROM items i WHERE i.dataset_id = owner.dataset_id AND ${whereSelected(window)}
                 ORDER BY i.name, i.id LIMIT ${offset + limit}::bigint
              ) AS one
         ORDER BY one.name, one.id LIMIT ${limit} OFFSET ${offset}::bigint`,
    )} AS json`
  return row?.json ?? '[]'
}

/** SQL for the items at the places (rank, name, id), as JSON text. */
function itemsFrom({ projection }: SearchWindow, places: Prisma.Sql): Prisma.Sql {
  return jsonText(itemsAt(places, Prisma.sql`place.rank, place.name, place.id`, projection))
}

/** @see https://www.unicode.org/reports/tr44/#White_Space */
const WHITE_SPACE = /\p{White_Space}+/u

export async function foldText(reader: SqlReader, text: string, commonShare = COMMON_SHARE): Promise<FoldedText> {
  const [row] = await reader.$queryRaw<{ folded: string; common: string[] }[]>`
    SELECT fold_name(${text}) AS folded,
           ARRAY(SELECT gram FROM ${gramShares('items_grams_idx')} AS common WHERE share > ${commonShare}) AS common`
  const words = (row?.folded ?? '').split(WHITE_SPACE).filter((word) => word !== '')
  const isRare = words.some((word) => gramsOf(word).some((gram) => !row?.common.includes(gram)))
  return { words, phrase: words.join(' '), isRare }
}

/** SQL for the common grams of an index, and the share of all items that has each (gram, share), by PostgreSQL's statistics. */
export function gramShares(index: 'items_grams_idx' | 'items_letter_grams_idx'): Prisma.Sql {
  return Prisma.sql`(
    SELECT gram, share FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (gram, share)
     WHERE schemaname = current_schema() AND tablename = ${index} AND gram IS NOT NULL)`
}

/** Items among which a text finds some, and the words of the text that they may lack. */
interface Candidates {
  /** FROM and the beginning of WHERE. */
  items: Prisma.Sql
  words: readonly string[]
}

/** The items with the grams of a text, or all items if the index does not help to find them. */
function candidatesFor({ words, isRare }: FoldedText, scope: Scope): Candidates {
  if (!isRare) return { items: allItems(scope), words }
  return {
    items: Prisma.sql`${allItems(scope)} AND ${whereGrams(words)}`,
    // A word of one or two characters is a gram, so the index has found it.
    words: words.filter((word) => [...word].length > 2),
  }
}

/** SQL condition: the item `i` matches a selection, which may have a text. */
export async function whereFound(reader: SqlReader, { text, ...selection }: Selection): Promise<Prisma.Sql> {
  if (text === undefined) return whereSelected(selection)
  const { words, isRare } = await foldText(reader, text)
  const where = whereSelected(selection, words)
  return isRare ? Prisma.sql`${whereGrams(words)} AND ${where}` : where
}

/** SQL condition that every item has whose name and keywords have the words. An index answers it. */
function whereGrams(words: readonly string[]): Prisma.Sql {
  return Prisma.sql`item_grams(i.folded_name, i.folded_keywords) @> ${words.flatMap(gramsOf)}::text[]`
}

/** FROM and the beginning of WHERE. */
export function allItems(scope: Scope): Prisma.Sql {
  return Prisma.sql`FROM items i WHERE i.dataset_id = ANY (${[...scope]}::uuid[])`
}

/** The pairs of adjacent characters of a word, or its only character. The SQL function `name_grams` gives them for a name. */
function gramsOf(word: string): string[] {
  const characters = [...word]
  return characters.length === 1 ? characters : characters.slice(1).map((next, n) => `${characters[n]}${next}`)
}

/**
 * 0 for a name or keyword that is equal to the text, 1 for a name that begins with it, 2 for other names with every word, 3 for
 * the rest.
 */
function rankOf(text: FoldedText | undefined): Prisma.Sql {
  if (!text) return Prisma.sql`0`
  const { phrase, words } = text
  // A text of invisible characters has no words.
  const isInName = Prisma.join([Prisma.sql`true`, ...words.map(whereInName)], ' AND ')
  return Prisma.sql`CASE WHEN i.folded_name = ${phrase} OR strpos(i.folded_keywords, ${`\n${phrase}\n`}) > 0 THEN 0
                         WHEN starts_with(i.folded_name, ${phrase}) THEN 1
                         WHEN i.folded_keywords = '' OR (${isInName}) THEN 2 ELSE 3 END`
}
