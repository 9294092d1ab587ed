import type { ChangeFeed } from '../../database/change-feed.ts'
import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { BoundingBox } from '../box.ts'
import { type FilterValues, givenFilters, pickFilters, splitFilters } from '../filters.ts'
import type { RawJson } from '../models.ts'
import type { Fetched, Window } from '../page.ts'
import { FEW_IN_BOX, planBox, planSearch } from '../plan.ts'
import { onlyCategory, type Selection } from '../selection.ts'
import { countInBox, itemsInCells } from './box.ts'
import { fetchInOrder } from './by-id.ts'
import { findFirst, READ_BOUNDS, type ReadBounds } from './frequent-text.ts'
import { ItemCache } from './item-cache.ts'
import { ownerTable, totalOf } from './item-list.ts'
import { rankOf } from './ranks.ts'
import {
  among,
  hitsInCircle,
  type Items,
  itemsOf,
  pageOfHits,
  type Scope,
  select,
  TOTAL_OF_HITS,
  whereNear,
  whereSelected,
} from './select.ts'
import { COMMON_SHARE, type FoldedText, foldText, whereFound, whereWith } from './words.ts'

/*
 * Items by name or keyword, in a box, or both (docs/graphql.md).
 */

/** A part of the list of the found items. */
export interface SearchWindow extends Selection, Window {}

/** The totals of texts, so that the next pages count nothing. */
export type TextTotals = ItemCache<number>

/** Bytes of keys. */
const MAX_TOTALS = 4 * 1024 * 1024

/** Creates an empty cache. */
export function cacheTextTotals(changeFeed: ChangeFeed): TextTotals {
  return new ItemCache(changeFeed, { limit: MAX_TOTALS, sizeOf: () => 8 })
}

/** When a text is common or frequent. */
interface TextBounds extends ReadBounds {
  /** A larger share of the items has a common gram (words.ts). */
  commonShare: number
  /** At least so many items may have a frequent text. */
  frequent: number
}
const BOUNDS: TextBounds = { commonShare: COMMON_SHARE, frequent: 10_000, ...READ_BOUNDS }

/** A part of the list, and the total. Items in a circle are in the order of their distance, others by name. */
export async function fetchSearchPage(
  reader: SqlReader,
  window: SearchWindow,
  scope: Scope,
  given: Partial<TextBounds> = {},
): Promise<Fetched> {
  const bounds = { ...BOUNDS, ...given }
  const plan = planSearch(window)
  switch (plan.way) {
    case 'grid':
    case 'circle': {
      const { circle: _, ...others } = window
      const hits = hitsInCircle(
        plan.circle,
        among(itemsOf(scope), whereNear(plan.circle), await whereFound(reader, others, bounds.commonShare)),
      )
      return fetchHits(reader, hits, pageOfHits(window, 'distance'))
    }
    case 'words':
      return fetchWords(
        reader,
        { ...window, text: await foldText(reader, plan.text, bounds.commonShare) },
        scope,
        bounds,
      )
    case 'box':
      return fetchInBox(reader, window, plan.within, scope)
    case 'none':
      return { json: '[]', total: 0 }
  }
}

/** A search for a folded text. */
type TextWindow = Omit<SearchWindow, 'text'> & { text: FoldedText }

/** A page that ends later is found among all items with the text. */
const LAST_OF_FREQUENT = 1_000

/**
 * A window of the items with a text. The total is null if the window is full, and found without the others. They are found by the grams of the
 * text, or by the cells of a box with fewer items than may have the text.
 */
async function fetchWords(
  reader: SqlReader,
  { text, ...window }: TextWindow,
  scope: Scope,
  { frequent, ...bounds }: TextBounds,
): Promise<Fetched> {
  if (text.words.length === 0) return { json: '[]', total: 0 }
  const { offset, limit, projection } = window
  const mayHave = text.share === 0 ? 0 : text.share * (await sizeOf(reader, scope, {}))
  const count = offset + limit
  if (mayHave >= frequent && limit > 0 && count <= LAST_OF_FREQUENT) {
    const ids = await findFirst(reader, { ...window, ...bounds, text, scope, count })
    if (ids) return { json: await fetchInOrder(reader, ids.slice(offset), projection), total: null }
  }
  const box = mayHave >= frequent && window.within ? await countInBox(reader, window.within, scope) : undefined
  const items =
    box && box.total <= mayHave
      ? among(itemsInCells(box.cells, scope, window), whereSelected(window, text.words))
      : among(itemsOf(scope), whereWith(text, window))
  return limit === 0 ? { json: '[]', total: await countAll(reader, items) } : fetchFrom(reader, items, window, text)
}

async function countAll(reader: SqlReader, items: Items): Promise<number> {
  const [row] = await reader.$queryRaw<{ n: number }[]>`${select(Prisma.sql`count(*)::integer AS n`, items)}`
  return row?.n ?? 0
}

async function fetchInBox(
  reader: SqlReader,
  window: SearchWindow,
  within: BoundingBox,
  scope: Scope,
): Promise<Fetched> {
  const filters = pickFilters(window)
  const categoryCode = onlyCategory(filters)
  const isCounted = categoryCode !== undefined || givenFilters(filters).length === 0
  const { total, cells } = await countInBox(reader, within, scope, categoryCode)
  if (isCounted && (window.offset >= total || window.limit === 0)) return { json: '[]', total }
  const way =
    total <= FEW_IN_BOX && categoryCode === undefined
      ? 'cells'
      : planBox({ total, size: await sizeOf(reader, scope, splitFilters(filters).codes) }, window, isCounted)
  if (way === 'names') return { json: await walkNames(reader, window, scope), total }
  const items =
    way === 'codes' ? among(itemsOf(scope), Prisma.sql`${NEVER_PREPARE} true`) : itemsInCells(cells, scope, window)
  return fetchFrom(reader, among(items, whereSelected(window)), window)
}

/** Reads a window of the items by the rank of the text, then by name, and counts them. */
function fetchFrom(reader: SqlReader, items: Items, window: Window, text?: FoldedText): Promise<Fetched> {
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
async function walkNames(reader: SqlReader, window: SearchWindow, scope: Scope): Promise<RawJson> {
  const planning = givenFilters(window).length > 0 ? NEVER_PREPARE : Prisma.empty
  const items = {
    from: Prisma.sql`items i`,
    where: Prisma.sql`i.dataset_id = owner.dataset_id AND ${whereSelected(window)} ${planning}`,
  }
  const first = select(
    Prisma.sql`0 AS rank, i.id, i.name`,
    items,
    Prisma.sql`ORDER BY i.name, i.id LIMIT ${window.offset + window.limit}::bigint`,
  )
  const hits = Prisma.sql`unnest(${[...scope]}::uuid[]) AS owner (dataset_id) CROSS JOIN LATERAL (${first})`
  const [row] = await reader.$queryRaw<{ json: RawJson }[]>`SELECT ${pageOfHits(window, 'name', hits)} AS json`
  return row?.json ?? '[]'
}
