import type { ChangeFeed } from '../../database/change-feed.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { givenFilters } from '../filters.ts'
import { walksIds } from '../plan.ts'
import { onlyCategory, type Selection } from '../selection.ts'
import { type BoxContent, countInBox, itemsInCells } from './box.ts'
import { boundedLines } from './export.ts'
import { FEATURE_LINES } from './export-lines.ts'
import { ItemCache } from './item-cache.ts'
import { ownerTable, totalOf } from './item-list.ts'
import { allOf, among, type Items, select, whereSelected } from './select.ts'

/*
 * Items of a dataset as GeoJSON features (RFC 7946), in order of id: pages by keyset. One statement finds the ids of a page. Then PostgreSQL writes the features, in several
 * statements at the same time, because this takes most of the time.
 */

/** Which items of a dataset are selected. */
export type FeatureSelection = Omit<Selection, 'text' | 'circle'>

/** A part of the selected items: those after an id or after a number of items, and their maximum number. */
export interface FeatureWindow extends FeatureSelection {
  after?: string | undefined
  offset?: number | undefined
  limit: number
  /** Called with the estimated size of the page in bytes, before its features are read. It may throw. */
  reserve?: (bytes: number) => void
}

export interface FeaturePage {
  /** Texts of GeoJSON features, joined with commas. A text is never empty. */
  features: readonly string[]
  /** Number of features on the page. It can be less than the limit before the end, because the size of a page is limited. */
  count: number
  /** Number of selected items on all pages. */
  total: number
  /** The id after which the next page starts; undefined on the last page. */
  next: string | undefined
}

/** Number of features that one statement writes. */
const PART_SIZE = 2_500
/** A part ends after the feature that reaches this number of bytes, so that a page takes at most some 16 MB of memory. */
const MAX_PART_BYTES = 4 * 1024 * 1024

/** The estimated size of a feature: a whole part has its greatest size then. */
const FEATURE_BYTES = MAX_PART_BYTES / PART_SIZE

/** The number of selected items and of all items, the cells of the box if the selection has one, and the ends of pages. */
interface Match {
  total: number
  size: number
  cells?: BoxContent['cells']
  bookmarks: Bookmark[]
}

/**
 * The id of a selected item, and the number of selected items up to it. The next page by `offset` starts there, and skips nothing. A
 * bookmark of a later state than its match misleads nobody: that state is visible on this server then, so each reader's read log finds it.
 */
interface Bookmark {
  offset: number
  id: string
}

/** A match has at most about so many bookmarks. */
const MAX_BOOKMARKS = 100

/** Ranges of cells in memory, about 100 bytes each. An entry without a box counts as a hundred. */
const MAX_CACHED_CELLS = 100_000

/** The numbers of selected items, so that the next pages count nothing. */
export type FeatureCounts = ItemCache<Match>

/** Creates an empty cache. */
export function cacheFeatureCounts(changeFeed: ChangeFeed): FeatureCounts {
  return new ItemCache(changeFeed, { limit: MAX_CACHED_CELLS, sizeOf: ({ cells = [] }) => 100 + cells.length })
}

/** What a page is read from. */
interface FeatureSource {
  reader: SqlReader
  datasetId: string
  /** The counts of earlier pages. In a transaction there are none, and statements can't run at the same time. */
  counts: FeatureCounts | undefined
}

/** Reads a page. */
export async function fetchFeaturePage(
  source: FeatureSource,
  { limit, reserve, after, offset = 0, ...selection }: FeatureWindow,
): Promise<FeaturePage> {
  const match = await findMatch(source, selection)
  const { total } = match
  if (offset >= total) return { features: [], count: 0, total, next: undefined }
  const bookmark = match.bookmarks.findLast((known) => known.offset <= offset)
  const start =
    after === undefined ? { after: bookmark?.id, skip: offset - (bookmark?.offset ?? 0) } : { after, skip: 0 }
  // One more id shows whether there is a next page.
  const ids = await fetchIds(source, { ...start, limit: limit + 1, ...selection }, match)
  reserve?.(Math.min(ids.length, limit) * FEATURE_BYTES)
  const starts = Array.from({ length: Math.ceil(Math.min(ids.length, limit) / PART_SIZE) }, (_, n) => n * PART_SIZE)
  const parts = await fetchParts(
    source,
    starts.map((start) => ids.slice(start, Math.min(start + PART_SIZE, limit))),
  )
  // The page ends with the first part that is not complete.
  const end = parts.findIndex(({ count }) => count < PART_SIZE)
  const complete = end === -1 ? parts : parts.slice(0, end + 1)
  const written = complete.reduce((sum, part) => sum + part.count, 0)
  const next = written < ids.length ? ids[written - 1] : undefined
  if (next !== undefined && after === undefined) addBookmark(match, { offset: offset + written, id: next })
  return { features: complete.map((part) => part.features).filter((text) => text !== ''), count: written, total, next }
}

/** Adds a bookmark, unless one is near. They are in order. */
function addBookmark({ bookmarks, total }: Match, bookmark: Bookmark): void {
  const isNear = (known: Bookmark) => Math.abs(known.offset - bookmark.offset) * MAX_BOOKMARKS < total
  if (!bookmarks.some(isNear))
    bookmarks.splice(bookmarks.findLastIndex(({ offset }) => offset < bookmark.offset) + 1, 0, bookmark)
}

/**
 * Returns the match of a selection, from memory if it is there. A read whose dataset has changed since its list was read runs again, and
 * a list that shows a change comes only after the feed has announced it, which makes the cache drop the match.
 */
async function findMatch(source: FeatureSource, selection: FeatureSelection): Promise<Match> {
  const { datasetId, counts } = source
  const known = counts?.lookup([datasetId], selection)
  if (known?.value) return known.value
  const match = await countMatches(source, selection)
  known?.store(match)
  return match
}

type Part = Awaited<ReturnType<typeof fetchFeatures>>

async function fetchParts(source: FeatureSource, idsOfParts: readonly string[][]): Promise<Part[]> {
  if (source.counts) return Promise.all(idsOfParts.map((ids) => fetchFeatures(source, ids)))
  const parts: Part[] = []
  for (const ids of idsOfParts) parts.push(await fetchFeatures(source, ids))
  return parts
}

/**
 * Writes items of a dataset as features. The ids are in order. Items that do not exist are left out, and so are the last ones if the
 * features are too long.
 */
export async function fetchFeatures(
  { reader, datasetId }: Pick<FeatureSource, 'reader' | 'datasetId'>,
  ids: readonly string[],
): Promise<{ features: string; count: number }> {
  // One text: pg would escape each element of an array. A subquery, because a plan for all values would take the text apart for each row.
  const listed = Prisma.sql`SELECT unnest(string_to_array(${ids.join()}, ',')::uuid[])`
  const items = Prisma.sql`i.dataset_id = ${datasetId}::uuid AND i.id IN (${listed}) ORDER BY i.id`
  const [row] = await reader.$queryRaw<{ features: string; count: number }[]>`
    SELECT count(*)::integer AS count, coalesce(string_agg(line, ',' ORDER BY id), '') AS features
      FROM ${boundedLines(FEATURE_LINES, items, MAX_PART_BYTES)}`
  if (!row) throw new TypeError('The statement returned no row')
  return row
}

async function countMatches(source: FeatureSource, selection: FeatureSelection): Promise<Match> {
  const { reader, datasetId } = source
  const { within, updatedFrom, updatedTo, ...filters } = selection
  const isDated = updatedFrom !== undefined || updatedTo !== undefined
  const categoryCode = onlyCategory(filters)
  const content = within && (await countInBox(reader, within, [datasetId], categoryCode))
  const isCounted = content && !isDated && (categoryCode !== undefined || givenFilters(filters).length === 0)
  const total =
    isDated || (within && !isCounted)
      ? Prisma.sql`(${select(Prisma.sql`count(*)`, candidates(source, selection, content?.cells))})::integer`
      : totalOf({ among: 'all', ...filters })
  const [row] = await reader.$queryRaw<{ total: number; size: number }[]>`
    SELECT ${total} AS total, ${totalOf({ among: 'all' })} AS size FROM ${owner(source)}`
  if (!row) throw new TypeError('The statement returned no row')
  const counted = { ...row, bookmarks: [] }
  return content ? { ...counted, ...(isCounted && { total: content.total }), cells: content.cells } : counted
}

/** Ids after one of them, without the first ones. */
interface IdWindow extends Omit<FeatureWindow, 'offset'> {
  skip: number
}

/**
 * Reads ids in order. PostgreSQL either walks all items in order of id until the page is complete, or reads all selected items and
 * sorts them.
 */
async function fetchIds(
  source: FeatureSource,
  { after, skip, limit, ...selection }: IdWindow,
  { total, size, cells }: Match,
): Promise<string[]> {
  const isWalk = walksIds({ total, size }, skip + limit)
  const items = candidates(source, selection, isWalk ? undefined : cells)
  const rest = after === undefined ? items : among(items, Prisma.sql`i.id > ${after}::uuid`)
  // OFFSET 0 stops PostgreSQL from walking.
  const found = select(Prisma.sql`i.id`, rest, isWalk ? Prisma.empty : Prisma.sql`OFFSET 0`)
  const rows = await source.reader.$queryRaw<{ ids: string }[]>`
    SELECT array_to_string(ARRAY(
             SELECT found.id FROM ${owner(source)} CROSS JOIN LATERAL (${found}) AS found
              ORDER BY found.id LIMIT ${limit} OFFSET ${skip}), ',') AS ids`
  const ids = rows[0]?.ids ?? ''
  return ids === '' ? [] : ids.split(',')
}

function owner({ datasetId }: FeatureSource): Prisma.Sql {
  return ownerTable([{ datasetId, parentItemId: null }])
}

/** The selected items of the table `owner`. `cells` are the cells of the box. */
function candidates({ datasetId }: FeatureSource, selection: FeatureSelection, cells?: BoxContent['cells']): Items {
  const conditions = [Prisma.sql`i.dataset_id = owner.dataset_id`, whereSelected(selection)]
  const from = Prisma.sql`items i`
  return cells ? among(itemsInCells(cells, [datasetId], selection), ...conditions) : { from, where: allOf(conditions) }
}
