import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { rangesOf } from '../box.ts'
import { type Cover, coverOf, distancesTo, type Point, pointAt } from '../circle.ts'
import { type FilterValues, givenFilters, whereFilters } from '../filters.ts'
import type { Fetched, Window } from '../page.ts'
import { countsAtOnce, FEW_POINTS } from '../plan.ts'
import type { Circle } from '../selection.ts'
import { bitsBelow, COUNTED_ZOOMS, tileOfNumber } from '../tile.ts'
import {
  among,
  anyOf,
  fetchTogether,
  hitsInCircle,
  itemsOf,
  itemsOfPart,
  itemsOfParts,
  pageOfHits,
  type Scope,
  select,
  TOTAL_OF_HITS,
  whereInCircle,
} from './select.ts'

/*
 * A nearby search with the counts of map tiles. It has exactly the result of plain PostGIS, and reads far fewer points:
 *
 * - For the total, it adds up the counts of the tiles inside the circle. It tests the points of the tiles on the boundary only.
 * - For the page, it measures only the points of the candidates: the tiles that may contain an item of the page.
 * - It replaces a large boundary tile or candidate by the smaller tiles in it, down to zoom 20, some 30 metres wide.
 *
 * The stored counts are of all items. With filters, the tiles have the numbers of matching items. The index on cells has the codes, so
 * filters by codes read no items. The other filters read the items of the tiles; if these are many, they read all matching items at once
 * instead, in the order of the table.
 */

/** A part of the list of the items in a circle that have the values of the filters, nearest first. */
export interface NearbyWindow extends FilterValues, Window {
  circle: Circle
}

/** The number of a tile, the index of a dataset in the scope from 1, and the number of its items in the tile. */
type TileRow = [number: number, dataset: number, n: number]

/** The zooms to which tiles are divided. The index on cells counts the items of the last one. */
const ZOOMS = [...COUNTED_ZOOMS, 20] as const
/** A tile with at most this many points is not replaced by smaller tiles. */
const SMALL_TILE_POINTS = 16

/** A tile, the number `n` of a dataset's items in it, and bounds for their distance from the centre in metres. */
interface CountedTile {
  z: number
  number: number
  /** Index of the dataset in the scope, from 1. */
  dataset: number
  n: number
  nearest: number
  farthest: number
}

/** The parameters of a search. */
interface Search {
  reader: SqlReader
  window: NearbyWindow
  scope: Scope
  centre: Point
}

/** The first statement of a search: its parameters, and the tiles of the circle. */
export interface SearchStart {
  window: NearbyWindow
  scope: Scope
  cover: Cover
}

/** A row of the first statement. */
export interface StartRow extends Fetched {
  /** The revisions of the datasets in the scope, in its order, as a JSON array of texts; null for an empty scope. */
  revisions: string | null
  /** The counted tiles of the cover as JSON; null if they have few points, and the row is the result. */
  cover: string | null
}

/**
 * Returns a window of the items in a circle, nearest first, and the total.
 * @param start runs the first statement, which requests may share
 */
export async function searchNearby(
  reader: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  start = (search: SearchStart) => startSearches(reader, [search]).then(([row]) => row),
): Promise<Fetched> {
  const cover = coverOf(window.circle)
  const first = await start({ window, scope, cover })
  if (!first) throw new TypeError('The search returned no row')
  if (first.cover === null) return first
  const search = { reader, window, scope, centre: pointAt(window.circle.latitude, window.circle.longitude) }
  const zoom = countedZoomOf(cover)
  const all = countedTiles(search, zoom, JSON.parse(first.cover))
  if (givenFilters(window).length === 0) return findByCounts(search, all)
  const { few, size } = await testFew(reader, window, scope, FEW_POINTS)
  if (few) return few
  if (!countsAtOnce(window, { points: all.reduce((sum, { n }) => sum + n, 0), size })) {
    return findByCounts(search, await countIn(search, zoom, all))
  }
  const { z, tiles } = await readMatchingTiles(reader, window, scope, cover)
  return findByCounts(search, countedTiles(search, z, tiles))
}

/** Finds the window by the numbers of matching items in the tiles of the circle. */
async function findByCounts(search: Search, counted: CountedTile[]): Promise<Fetched> {
  return measure(search, await divide(search, { before: 0, inside: 0, boundary: [], candidates: counted }))
}

/** The lowest zoom with stored counts of the parts of a cover. */
function countedZoomOf({ z }: Cover): number {
  return COUNTED_ZOOMS.find((zoom) => zoom >= z) ?? z
}

/** Runs the first statements of several searches as one. Returns their rows in the order of the searches. */
export function startSearches(reader: SqlReader, searches: readonly SearchStart[]): Promise<StartRow[]> {
  return fetchTogether<StartRow>(reader, searches.map(selectFirst))
}

/** The first statement of a search. It tests few points at most, so it does not delay the others for long. */
function selectFirst({ window, scope, cover }: SearchStart): Prisma.Sql {
  const zoom = countedZoomOf(cover)
  const bits = 2 * (zoom - cover.z)
  const cellBits = bitsBelow(cover.z)
  const ranges = rangesOf(cover.tiles)
  const [firsts, ends] = [ranges.map(({ first }) => first), ranges.map(({ end }) => end)]
  return Prisma.sql`
    WITH cover AS MATERIALIZED (
      SELECT range.*, counted.*
        -- PostgreSQL would estimate by the given values, find that better than a plan for all values, and plan each search anew.
        FROM (SELECT ${firsts}::bigint[] AS firsts, ${ends}::bigint[] AS ends, ${[...scope]}::uuid[] AS scope,
                     ${zoom}::smallint AS level OFFSET 0) AS given
       CROSS JOIN unnest(given.firsts, given.ends) AS range (first, after_last)
       CROSS JOIN LATERAL (
              SELECT cell, dataset_id, n FROM tile_counts AS t
               WHERE dataset_id = ANY (given.scope) AND t.level = given.level
                 AND cell >= range.first << ${bits}::integer AND cell < range.after_last << ${bits}::integer
              OFFSET 0
            ) AS counted
    ), size AS MATERIALIZED (
      SELECT coalesce(sum(n), 0) <= ${FEW_POINTS} AS is_small FROM cover
    ), part AS (
      SELECT DISTINCT first << ${cellBits}::integer AS first, after_last << ${cellBits}::integer AS "end", dataset_id
        FROM size CROSS JOIN cover WHERE is_small
    ), ${hitsInCircle(window.circle, itemsOfParts(Prisma.sql`part`, window))}
    SELECT ${pageOfHits(window, 'distance')} AS json, ${TOTAL_OF_HITS} AS total, (
             SELECT json_agg(json_build_array(cell, array_position(${[...scope]}::uuid[], dataset_id), n))
               FROM cover WHERE NOT size.is_small
           )::text AS cover, (
             SELECT json_agg(d.revision::text ORDER BY given.n)
               FROM unnest(${[...scope]}::uuid[]) WITH ORDINALITY AS given (id, n) LEFT JOIN datasets AS d USING (id)
           )::text AS revisions
      FROM size`
}

function countedTiles({ centre }: Search, z: number, rows: readonly TileRow[]): CountedTile[] {
  return rows.map(([number, dataset, n]) => {
    const { nearest, farthest } = distancesTo(centre, tileOfNumber(z, number))
    return { z, number, dataset, n, nearest, farthest }
  })
}

/** The state of a search. */
interface SearchState {
  /** Number of items that come before the page. */
  before: number
  /** Number of items inside the circle that are not in boundary tiles or candidates. */
  inside: number
  /** Tiles that may be partly inside the circle. */
  boundary: CountedTile[]
  /** Tiles that may contain an item of the page. */
  candidates: CountedTile[]
}

/** Replaces large boundary tiles and candidates by smaller tiles, until no large one is left. */
async function divide(search: Search, unclassified: SearchState): Promise<SearchState> {
  const state = classify(search.window, unclassified)
  const isLarge = ({ z, n }: CountedTile) => z < ZOOMS[4] && n > SMALL_TILE_POINTS
  const isSmall = (tile: CountedTile) => !isLarge(tile)
  const large = [...state.boundary, ...state.candidates].filter(isLarge)
  if (large.length === 0) return state
  const byZoom = Map.groupBy(large, ({ z }) => ZOOMS.find((zoom) => zoom > z) ?? z)
  const children = await Promise.all([...byZoom].map(([zoom, tiles]) => countIn(search, zoom, tiles)))
  const candidates = [...state.candidates.filter(isSmall), ...children.flat()]
  return divide(search, { ...state, boundary: state.boundary.filter(isSmall), candidates })
}

/**
 * Classifies each candidate. It stays a candidate, becomes a boundary tile, is counted as inside the circle, or is dropped
 * because it is outside the circle.
 */
function classify(
  { circle: { radius }, offset, limit }: NearbyWindow,
  { before, inside, boundary, candidates }: SearchState,
): SearchState {
  // At most `offset` items are nearer than this, so the page starts here or farther away.
  const start = distanceAt(candidates, 'nearest', offset + 1 - before) ?? Number.POSITIVE_INFINITY
  // At least `offset + limit` items are within this distance, so the page ends here or nearer. A search for the total has no page.
  const end = distanceAt(candidates, 'farthest', Math.max(1, offset + limit - before)) ?? radius
  const state: SearchState = { before, inside, boundary: [...boundary], candidates: [] }
  for (const tile of candidates) {
    if (tile.nearest > radius) continue
    if (tile.farthest >= start && tile.nearest <= end) state.candidates.push(tile)
    else if (tile.farthest > radius) state.boundary.push(tile)
    else {
      state.inside += tile.n
      if (tile.farthest < start) state.before += tile.n
    }
  }
  return state
}

/**
 * Adds up the items of the tiles in the order of a bound. Returns the bound (metres) at which the sum reaches `count`, at least 1. It selects and does
 * not sort (quickselect): 20,000 tiles keep the event loop busy for 2 ms, and with a sort for 11.
 */
function distanceAt(tiles: readonly CountedTile[], bound: 'nearest' | 'farthest', count: number): number | undefined {
  const pivot = tiles[tiles.length >> 1]?.[bound]
  if (pivot === undefined) return undefined
  const nearer = tiles.filter((tile) => tile[bound] < pivot)
  const itemsNearer = sumOf(nearer)
  if (itemsNearer >= count) return distanceAt(nearer, bound, count)
  const itemsAtPivot = sumOf(tiles.filter((tile) => tile[bound] === pivot))
  if (itemsNearer + itemsAtPivot >= count) return pivot
  const farther = tiles.filter((tile) => tile[bound] > pivot)
  return distanceAt(farther, bound, count - itemsNearer - itemsAtPivot)
}

function sumOf(tiles: readonly CountedTile[]): number {
  return tiles.reduce((sum, { n }) => sum + n, 0)
}

/** Returns the tiles of a zoom that are in the given tiles and have matching items. */
async function countIn(search: Search, zoom: number, tiles: readonly CountedTile[]): Promise<CountedTile[]> {
  const [row] = await search.reader.$queryRaw<{ tiles: string | null }[]>`
    SELECT json_agg(json_build_array(counted.tile, array_position(${[...search.scope]}::uuid[], part.dataset_id), counted.n))::text AS tiles
      FROM ${partsOf(tiles, search.scope)} CROSS JOIN LATERAL (${countsOfPart(search.window, zoom)} OFFSET 0) AS counted`
  return countedTiles(search, zoom, JSON.parse(row?.tiles ?? '[]'))
}

/** SQL for the tiles of a zoom in the part, and their numbers of matching items. */
function countsOfPart(window: NearbyWindow, zoom: number): Prisma.Sql {
  const bits = bitsBelow(zoom)
  return givenFilters(window).length === 0 && zoom <= COUNTED_ZOOMS[3]
    ? Prisma.sql`
      SELECT cell AS tile, n FROM tile_counts
       WHERE dataset_id = part.dataset_id AND level = ${zoom}::smallint
         AND cell >= (part.first >> ${bits}::integer) AND cell < (part."end" >> ${bits}::integer)`
    : select(
        Prisma.sql`i.tile_cell >> ${bits}::integer AS tile, count(*)::integer AS n`,
        itemsOfPart(window),
        Prisma.sql`GROUP BY 1`,
      )
}

/** Tests the points of the boundary tiles, and measures the points of the candidates. */
async function measure({ reader, window, scope }: Search, state: SearchState): Promise<Fetched> {
  const { before, inside, boundary, candidates } = state
  const onBoundary = among(itemsOfParts(partsOf(boundary, scope), window), whereInCircle(window.circle))
  const [row] = await reader.$queryRaw<(Fetched & { total: number; boundary: number })[]>`
    WITH ${hitsInCircle(window.circle, itemsOfParts(partsOf(candidates, scope), window))}
    SELECT ${pageOfHits({ ...window, offset: window.offset - before }, 'distance')} AS json, ${TOTAL_OF_HITS} AS total,
           (${select(Prisma.sql`count(*)::integer`, onBoundary)}) AS boundary`
  if (!row) throw new TypeError('The search returned no row')
  return { json: row.json, total: inside + row.total + row.boundary }
}

/** SQL for the table `part` (first, end, dataset_id): tiles, each as a range of cells. */
function partsOf(tiles: readonly CountedTile[], scope: Scope): Prisma.Sql {
  const numbers = tiles.map(({ number }) => number)
  const bits = tiles.map(({ z }) => bitsBelow(z))
  const datasets = tiles.map(({ dataset }) => scope[dataset - 1] ?? '')
  return Prisma.sql`(
      SELECT number << bits AS first, (number + 1) << bits AS "end", dataset_id
        FROM unnest(${numbers}::bigint[], ${bits}::integer[], ${datasets}::uuid[]) AS tile (number, bits, dataset_id)
    ) AS part`
}

/** The window from all matching items, if they are at most `limit`; and the number of all items of the datasets. */
async function testFew(
  reader: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  limit: number,
): Promise<{ few: Fetched | undefined; size: number }> {
  const first = select(
    Prisma.sql`i.id, i.location`,
    among(itemsOf(scope), whereFilters(window)),
    Prisma.sql`LIMIT ${limit + 1}`,
  )
  const few = { from: Prisma.sql`matching i`, where: Prisma.sql`(SELECT count(*) FROM matching) <= ${limit}` }
  const [row] = await reader.$queryRaw<(Fetched & { matching: number; size: number })[]>`
    WITH matching AS MATERIALIZED (${first}),
         ${hitsInCircle(window.circle, few)}
    SELECT ${pageOfHits(window, 'distance')} AS json, ${TOTAL_OF_HITS} AS total,
           (SELECT count(*) FROM matching)::integer AS matching,
           (SELECT coalesce(sum(n), 0) FROM item_counts
             WHERE dataset_id = ${anyOf(scope)} AND list = 'all')::float8 AS size`
  if (!row) throw new TypeError('The search returned no row')
  const { json, total, matching, size } = row
  return { few: matching <= limit ? { json, total } : undefined, size }
}

/** Reads the tiles of the cover that have matching items. They are smaller than the cover's, because one reading is enough then. */
async function readMatchingTiles(
  reader: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  cover: Cover,
): Promise<{ z: number; tiles: TileRow[] }> {
  const z = Math.min(cover.z + 5, COUNTED_ZOOMS[3])
  const columns = Prisma.sql`i.tile_cell >> ${bitsBelow(z)}::integer AS tile, i.dataset_id, count(*) AS n`
  const matching = among(itemsOf(scope), Prisma.sql`${NEVER_PREPARE} ${whereFilters(window)}`)
  const [row] = await reader.$queryRaw<{ tiles: string | null }[]>`
    SELECT json_agg(json_build_array(tile, array_position(${[...scope]}::uuid[], dataset_id), n))::text AS tiles
      FROM (${select(columns, matching, Prisma.sql`GROUP BY 1, 2`)}) AS counted
     WHERE tile >> ${2 * (z - cover.z)}::integer = ANY (${cover.tiles}::bigint[])`
  return { z, tiles: JSON.parse(row?.tiles ?? '[]') }
}
