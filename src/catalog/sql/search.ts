import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { type FilterValues, givenFilters, splitFilters } from '../filters.ts'
import type { JsonText } from '../models.ts'
import type { Fetched, Window } from '../page.ts'
import { FEW_IN_BOX, planBox, planSearch } from '../plan.ts'
import type { Selection } from '../selection.ts'
import { countInBox, itemsInCells } from './box.ts'
import { ownerTable, totalOf } from './item-list.ts'
import {
  allOf,
  among,
  hitsInCircle,
  type Items,
  itemsOf,
  pageOfHits,
  type Scope,
  select,
  TOTAL_OF_HITS,
  whereInName,
  whereSelected,
} from './select.ts'
import { COMMON_SHARE, type FoldedText, foldText, whereWith } from './words.ts'

/*
 * Items by name or keyword, in a box, or both (docs/graphql.md).
 */

/** A part of the list of the found items. */
export interface SearchWindow extends Selection, Window {}

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
  const text = window.text === undefined ? undefined : await foldText(reader, window.text, commonShare)
  switch (plan.way) {
    case 'grid':
    case 'circle': {
      // PostgreSQL chooses between the index of grams and the one of locations.
      const { circle: _, ...others } = window
      const hits = hitsInCircle(plan.circle, itemsWith(text, scope, others))
      return fetchHits(reader, hits, pageOfHits(window, 'distance'))
    }
    case 'words':
      return fetchFrom(reader, itemsWith(text, scope, window), window, text)
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
  if (way === 'names') return { json: await walkNames(reader, window, scope), total }
  const items =
    way === 'codes' ? among(itemsOf(scope), Prisma.sql`${NEVER_PREPARE} true`) : itemsInCells(cells, scope, window)
  return fetchFrom(reader, among(items, whereSelected(window)), window)
}

/** Reads a window of the items by the rank of the text, then by name, and counts them. */
function fetchFrom(reader: SqlReader, items: Items, window: SearchWindow, text?: FoldedText): Promise<Fetched> {
  const hits = select(Prisma.sql`i.id, i.name, ${rankOf(text)} AS rank`, items)
  return fetchHits(reader, Prisma.sql`hit AS MATERIALIZED (${hits})`, pageOfHits(window, 'name'))
}

async function fetchHits(reader: SqlReader, hits: Prisma.Sql, page: Prisma.Sql): Promise<Fetched> {
  const [row] = await reader.$queryRaw<Fetched[]>`WITH ${hits} SELECT ${TOTAL_OF_HITS} AS total, ${page} AS json`
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
  const items = {
    from: Prisma.sql`items i`,
    where: Prisma.sql`i.dataset_id = owner.dataset_id AND ${whereSelected(window)}`,
  }
  const first = select(
    Prisma.sql`0 AS rank, i.id, i.name`,
    items,
    Prisma.sql`ORDER BY i.name, i.id LIMIT ${window.offset + window.limit}::bigint`,
  )
  const hits = Prisma.sql`unnest(${[...scope]}::uuid[]) AS owner (dataset_id) CROSS JOIN LATERAL (${first})`
  const [row] = await reader.$queryRaw<{ json: JsonText }[]>`SELECT ${pageOfHits(window, 'name', hits)} AS json`
  return row?.json ?? '[]'
}

/** The items of the datasets that match a selection and have the words of its text. */
function itemsWith(text: FoldedText | undefined, scope: Scope, selection: Selection): Items {
  return among(itemsOf(scope), whereWith(text, selection))
}

/**
 * 0 for a name or keyword that is equal to the text, 1 for a name that begins with it, 2 for other names with every word, 3 for
 * the rest.
 */
function rankOf(text: FoldedText | undefined): Prisma.Sql {
  if (!text) return Prisma.sql`0`
  const { phrase, words } = text
  // A text of invisible characters has no words.
  const isInName = allOf(words.map(whereInName))
  return Prisma.sql`CASE WHEN i.folded_name = ${phrase} OR strpos(i.folded_keywords, ${`\n${phrase}\n`}) > 0 THEN 0
                         WHEN starts_with(i.folded_name, ${phrase}) THEN 1
                         WHEN i.folded_keywords = '' OR (${isInName}) THEN 2 ELSE 3 END`
}
