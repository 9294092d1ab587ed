import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { givenFilters } from '../filters.ts'
import type { Fetched } from '../page.ts'
import { countsAtOnce, FEW_POINTS } from '../plan.ts'
import { BITS_PER_LEVEL, type Cover, type CubeLevel, coverOf, distancesTo, type Point, pointAt } from './ecef-grid.ts'
import type { Scope } from './item-list.ts'
import { type CubeRow, matchingOfPart, readMatchingCubes, testFew } from './matching-cubes.ts'
import { itemsOf, type NearbyWindow } from './nearby.ts'
import { centreOf, whereInCircle } from './where.ts'

/*
 * A nearby search with the counts of the ECEF grid. It has exactly the result of nearby.ts, and reads far fewer points:
 *
 * - For the total, it adds up the counts of the cubes inside the circle. It tests the points of the cubes on the boundary only.
 * - For the page, it measures only the points of the candidates: the cubes that may contain an item of the page.
 * - It replaces a large boundary cube or candidate by the smaller cubes in it, down to an edge of 128 metres.
 *
 * The stored counts are of all items. With filters, the cubes have the numbers of matching items (matching-cubes.ts).
 */

/** A cube with at most this many points is not replaced by smaller cubes. */
const SMALL_CUBE_POINTS = 16

/** A cube, the number `n` of a dataset's items in it, and bounds for their distance from the centre in metres. */
interface CountedCube {
  level: CubeLevel
  cube: number
  /** Index of the dataset in the scope, from 1. */
  dataset: number
  n: number
  nearest: number
  farthest: number
}

/** Sends the statements of a search. */
export interface SearchStatements {
  /** Runs the first statement. */
  start: (search: NearbyStart) => Promise<NearbyStartRow>
  /** Runs a later statement. */
  refine: <Result>(run: (sql: SqlReader) => Promise<Result>) => Promise<Result>
}

/** The parameters of a search. */
interface Search {
  refine: SearchStatements['refine']
  window: NearbyWindow
  scope: Scope
  centre: Point
}

/** The parameters of the first statement of a search. */
export interface NearbyStart {
  window: NearbyWindow
  scope: Scope
  /** The cubes of the circle. */
  cover: Cover
}

/** A row of the first statement. */
export interface NearbyStartRow extends Fetched {
  /** Pairs of id and revision of the datasets, as JSON. */
  revisions: string
  /** The cubes of the circle as JSON; null if they have few points, and the row is the result. */
  cover: string | null
}

/** Returns a window of the items in a circle, nearest first, and the total. */
export async function searchNearby(
  window: NearbyWindow,
  scope: Scope,
  { start, refine }: SearchStatements,
): Promise<Fetched> {
  const { latitude, longitude, radius } = window.circle
  const centre = pointAt(latitude, longitude)
  const cover = coverOf(centre, radius)
  const first = await start({ window, scope, cover })
  if (first.cover === null) return first
  const search = { refine, window, scope, centre }
  const all = countedCubes(search, cover.level, JSON.parse(first.cover))
  if (givenFilters(window).length === 0) return findByCounts(search, all)
  const { few, size } = await refine((sql) => testFew(sql, window, scope, FEW_POINTS))
  if (few) return few
  if (!countsAtOnce(window, { points: all.reduce((sum, { n }) => sum + n, 0), size })) {
    return findByCounts(search, await countIn(search, cover.level, all))
  }
  const { level, cubes } = await refine((sql) => readMatchingCubes(sql, window, scope, cover))
  return findByCounts(search, countedCubes(search, level, cubes))
}

/** Finds the window by the numbers of matching items in the cubes of the circle. */
async function findByCounts(search: Search, counted: CountedCube[]): Promise<Fetched> {
  return measure(search, await divide(search, { before: 0, inside: 0, boundary: [], candidates: counted }))
}

/** Runs the first statements of several searches as one statement. Returns their rows in the order of the searches. */
export async function startSearches(sql: SqlReader, searches: readonly NearbyStart[]): Promise<NearbyStartRow[]> {
  const selects = searches.map(
    (search, place) => Prisma.sql`SELECT ${place}::integer AS place, one.* FROM (${selectStart(search)}) AS one`,
  )
  const rows = await sql.$queryRaw<(NearbyStartRow & { place: number })[]>(Prisma.join(selects, ' UNION ALL '))
  return rows.sort((a, b) => a.place - b.place)
}

function selectStart({ window, scope, cover: { level, cubes } }: NearbyStart): Prisma.Sql {
  const bits = level * BITS_PER_LEVEL
  return Prisma.sql`
    WITH cover AS MATERIALIZED (
      SELECT cube, dataset_id, n FROM cube_counts
       WHERE level = ${level} AND cube = ANY (${cubes}::bigint[]) AND dataset_id = ANY (${[...scope]}::uuid[])
    ), size AS MATERIALIZED (
      SELECT coalesce(sum(n), 0) <= ${FEW_POINTS} AS is_small FROM cover
    ), part AS (
      SELECT cube << ${bits}::integer AS first, (cube + 1) << ${bits}::integer AS "end", dataset_id
        FROM size CROSS JOIN cover WHERE is_small
    ), hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window.circle)}) AS distance
        FROM part ${itemsOfPart(window)} WHERE ${whereInCircle(window.circle)}
    )
    SELECT ${itemsOf(window)} AS json, (SELECT count(*) FROM hit)::integer AS total, (
             SELECT json_agg(json_build_array(cube, array_position(${[...scope]}::uuid[], dataset_id), n))
               FROM cover WHERE NOT size.is_small
           )::text AS cover, (
             SELECT array_to_json(ARRAY(SELECT ARRAY[id::text, revision::text] FROM datasets
              WHERE id = ANY (${[...scope]}::uuid[])))
           )::text AS revisions
      FROM size`
}

function countedCubes({ centre }: Search, level: CubeLevel, rows: readonly CubeRow[]): CountedCube[] {
  return rows.map(([cube, dataset, n]) => ({ level, cube, dataset, n, ...distancesTo(centre, level, cube) }))
}

/** The state of a search. */
interface SearchState {
  /** Number of items that come before the page. */
  before: number
  /** Number of items inside the circle that are not in boundary cubes or candidates. */
  inside: number
  /** Cubes that may be partly inside the circle. */
  boundary: CountedCube[]
  /** Cubes that may contain an item of the page. */
  candidates: CountedCube[]
}

/** Replaces large boundary cubes and candidates by smaller cubes, until no large one is left. */
async function divide(search: Search, unclassified: SearchState): Promise<SearchState> {
  const state = classify(search.window, unclassified)
  const isLarge = ({ level, n }: CountedCube) => level > 0 && n > SMALL_CUBE_POINTS
  const isSmall = (cube: CountedCube) => !isLarge(cube)
  const large = [...state.boundary, ...state.candidates].filter(isLarge)
  if (large.length === 0) return state
  const children = await Promise.all(
    ([1, 2, 3] as const).map((level) =>
      countIn(
        search,
        levelBelow(level),
        large.filter((cube) => cube.level === level),
      ),
    ),
  )
  const candidates = [...state.candidates.filter(isSmall), ...children.flat()]
  return divide(search, { ...state, boundary: state.boundary.filter(isSmall), candidates })
}

/**
 * Classifies each candidate. It stays a candidate, becomes a boundary cube, is counted as inside the circle, or is dropped
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
  for (const cube of candidates) {
    if (cube.nearest > radius) continue
    if (cube.farthest >= start && cube.nearest <= end) state.candidates.push(cube)
    else if (cube.farthest > radius) state.boundary.push(cube)
    else {
      state.inside += cube.n
      if (cube.farthest < start) state.before += cube.n
    }
  }
  return state
}

/**
 * Adds up the items of the cubes in the order of a bound. Returns the bound (metres) at which the sum reaches `count`, at least 1. It selects and does
 * not sort (quickselect): 20,000 cubes keep the event loop busy for 2 ms, and with a sort for 11.
 */
function distanceAt(cubes: readonly CountedCube[], bound: 'nearest' | 'farthest', count: number): number | undefined {
  const pivot = cubes[cubes.length >> 1]?.[bound]
  if (pivot === undefined) return undefined
  const nearer = cubes.filter((cube) => cube[bound] < pivot)
  const itemsNearer = sumOf(nearer)
  if (itemsNearer >= count) return distanceAt(nearer, bound, count)
  const itemsAtPivot = sumOf(cubes.filter((cube) => cube[bound] === pivot))
  if (itemsNearer + itemsAtPivot >= count) return pivot
  const farther = cubes.filter((cube) => cube[bound] > pivot)
  return distanceAt(farther, bound, count - itemsNearer - itemsAtPivot)
}

function sumOf(cubes: readonly CountedCube[]): number {
  return cubes.reduce((sum, { n }) => sum + n, 0)
}

/** Returns the cubes of a level that are in the given cubes and have matching items. */
async function countIn(search: Search, level: CubeLevel, cubes: readonly CountedCube[]): Promise<CountedCube[]> {
  if (cubes.length === 0) return []
  const [row] = await search.refine(
    (sql) => sql.$queryRaw<{ cubes: string | null }[]>`
    SELECT json_agg(json_build_array(counted.cube, array_position(${[...search.scope]}::uuid[], part.dataset_id), counted.n))::text AS cubes
      FROM ${partsOf(cubes, search.scope)} CROSS JOIN LATERAL (${countsOfPart(search.window, level)} OFFSET 0) AS counted`,
  )
  return countedCubes(search, level, JSON.parse(row?.cubes ?? '[]'))
}

function levelBelow(level: 1 | 2 | 3): CubeLevel {
  return ([0, 1, 2] as const)[level - 1] ?? 0
}

/** SQL for the cubes of a level in the part, and their numbers of matching items. */
function countsOfPart(window: NearbyWindow, level: CubeLevel): Prisma.Sql {
  const bits = level * BITS_PER_LEVEL
  return givenFilters(window).length === 0
    ? Prisma.sql`
      SELECT cube, n FROM cube_counts
       WHERE level = ${level} AND dataset_id = part.dataset_id
         AND cube >= (part.first >> ${bits}::integer) AND cube < (part."end" >> ${bits}::integer)`
    : Prisma.sql`
      SELECT i.cube >> ${bits}::integer AS cube, count(*)::integer AS n FROM ${matchingOfPart(window)} GROUP BY 1`
}

/** Tests the points of the boundary cubes, and measures the points of the candidates. */
async function measure({ refine, window, scope }: Search, state: SearchState): Promise<Fetched> {
  const { before, inside, boundary, candidates } = state
  const [row] = await refine(
    (sql) => sql.$queryRaw<(Fetched & { total: number; boundary: number })[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window.circle)}) AS distance
        FROM ${itemsIn(window, candidates, scope)} WHERE ${whereInCircle(window.circle)}
    )
    SELECT ${itemsOf({ ...window, offset: window.offset - before })} AS json,
           (SELECT count(*) FROM hit)::integer AS total,
           (SELECT count(*) FROM ${itemsIn(window, boundary, scope)} WHERE ${whereInCircle(window.circle)})::integer AS boundary`,
  )
  if (!row) throw new TypeError('The search returned no row')
  return { json: row.json, total: inside + row.total + row.boundary }
}

/** SQL for the table `i` (id, location) of the matching items in cubes. */
function itemsIn(window: NearbyWindow, cubes: readonly CountedCube[], scope: Scope): Prisma.Sql {
  return Prisma.sql`${partsOf(cubes, scope)} ${itemsOfPart(window)}`
}

/** SQL for the table `part` (first, end, dataset_id): cubes, each as a range of numbers of the smallest cubes. */
function partsOf(cubes: readonly CountedCube[], scope: Scope): Prisma.Sql {
  const first = cubes.map(({ level, cube }) => cube * 2 ** (level * BITS_PER_LEVEL))
  const end = cubes.map(({ level, cube }) => (cube + 1) * 2 ** (level * BITS_PER_LEVEL))
  const datasets = cubes.map(({ dataset }) => scope[dataset - 1] ?? '')
  return Prisma.sql`unnest(${first}::bigint[], ${end}::bigint[], ${datasets}::uuid[]) AS part (first, "end", dataset_id)`
}

/** SQL that joins the matching items of each part. */
function itemsOfPart(window: NearbyWindow): Prisma.Sql {
  return Prisma.sql`CROSS JOIN LATERAL (SELECT i.id, i.location FROM ${matchingOfPart(window)} OFFSET 0) AS i`
}
