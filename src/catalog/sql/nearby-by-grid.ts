import { Prisma } from '../../generated/prisma/client.ts'
import type { Fetched } from '../page.ts'
import { BITS_PER_LEVEL, type CubeLevel, coverOf, distancesTo, type Point, pointAt } from './ecef-grid.ts'
import {
  centreOf,
  fetchedOf,
  isInCircle,
  type NearbyItem,
  type NearbyRow,
  type NearbyWindow,
  nodesOf,
  type Scope,
} from './nearby.ts'

/*
 * A nearby search that looks at the counts of cubes and not at the points in them: cubes that are surely inside the circle are
 * summed, those surely outside left out, and only at the rim are points tested. For the page, only the points of those cubes are
 * measured that may hold one of its places. Where a cube may be either, the cubes in it are looked at instead, down to 128 metres.
 * The answer is exactly that of nearby.ts, whose words for distance and nearness are used for every point that is looked at.
 */

/** Cubes around a circle that hold no more points than this are searched at once. */
const FEW_POINTS = 500
/** Points of a cube with no more than this are tested rather than its cubes looked up. */
const SMALL_CUBE = 16

/** A cube and how many items of a dataset lie in it, between which distances in metres from the centre. */
interface CountedCube {
  level: CubeLevel
  cube: number
  /** The dataset's place in the scope, from 1. */
  dataset: number
  n: number
  nearest: number
  farthest: number
}

/** As the database tells of cubes: number, dataset, items. */
type CubeRow = [cube: number, dataset: number, n: number]

/** What is searched, and through what. */
interface Search {
  prisma: Prisma.TransactionClient
  window: NearbyWindow
  scope: Scope
  centre: Point
}

/** A window of the items in a circle, nearest first, and how many there are in all. */
export async function searchNearby(
  prisma: Prisma.TransactionClient,
  window: NearbyWindow,
  scope: Scope,
): Promise<Fetched<NearbyItem>> {
  const centre = pointAt(window.latitude, window.longitude)
  const { level, cubes } = coverOf(centre, window.radius)
  const bits = level * BITS_PER_LEVEL
  const [first] = await prisma.$queryRaw<(NearbyRow & { cover: string | null })[]>`
    WITH cover AS MATERIALIZED (
      SELECT cube, dataset_id, n FROM cube_counts
       WHERE level = ${level} AND cube = ANY (${cubes}::bigint[]) AND dataset_id = ANY (${[...scope]}::uuid[])
    ), size AS MATERIALIZED (
      SELECT coalesce(sum(n), 0) <= ${FEW_POINTS} AS is_small FROM cover
    ), part AS (
      SELECT cube << ${bits}::integer AS first, (cube + 1) << ${bits}::integer AS "end", dataset_id
        FROM size CROSS JOIN cover WHERE is_small
    ), hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window)}) AS distance
        FROM part ${ITEMS_OF_PART} WHERE ${isInCircle(window)}
    )
    SELECT ${nodesOf(window)} AS nodes, (SELECT count(*) FROM hit)::integer AS total, (
             SELECT json_agg(json_build_array(cube, array_position(${[...scope]}::uuid[], dataset_id), n))
               FROM cover WHERE NOT size.is_small
           )::text AS cover
      FROM size`
  if (!first) throw new TypeError('A search has no answer')
  if (first.cover === null) return fetchedOf(first)
  const search = { prisma, window, scope, centre }
  const counted = countedCubes(search, level, JSON.parse(first.cover))
  return measure(search, await refine(search, { before: 0, inside: 0, rim: [], band: counted }))
}

function countedCubes({ centre }: Search, level: CubeLevel, rows: readonly CubeRow[]): CountedCube[] {
  return rows.map(([cube, dataset, n]) => ({ level, cube, dataset, n, ...distancesTo(centre, level, cube) }))
}

/** What is known of the circle. */
interface Findings {
  /** How many items surely come before the page. */
  before: number
  /** How many items are surely in the circle, apart from those in cubes below. */
  inside: number
  /** Cubes that the rim may go through. */
  rim: CountedCube[]
  /** Cubes that may hold a place of the page. */
  band: CountedCube[]
}

/** Looks into the cubes that may be either, until all that are left are small. */
async function refine(search: Search, found: Findings): Promise<Findings> {
  const sorted = sortOut(search.window, found)
  const isOpen = ({ level, n }: CountedCube) => level > 0 && n > SMALL_CUBE
  const open = [...sorted.rim, ...sorted.band].filter(isOpen)
  if (open.length === 0) return sorted
  const children = await Promise.all(
    ([1, 2, 3] as const).map((level) =>
      fetchCubesIn(
        search,
        level,
        open.filter((cube) => cube.level === level),
      ),
    ),
  )
  const isShut = (cube: CountedCube) => !isOpen(cube)
  const band = [...sorted.band.filter(isShut), ...children.flat()]
  return refine(search, { ...sorted, rim: sorted.rim.filter(isShut), band })
}

/** Leaves in the band those of its cubes that may hold a place of the page. */
function sortOut({ radius, offset, limit }: NearbyWindow, { before, inside, rim, band }: Findings): Findings {
  // All that is nearer than this comes before the page: it is `offset` items at the most.
  const start = distanceAt(band, 'nearest', offset + 1 - before) ?? Number.POSITIVE_INFINITY
  // So many are surely within this, the page's last among them.
  const end = distanceAt(band, 'farthest', offset + limit - before) ?? radius
  const sorted: Findings = { before, inside, rim: [...rim], band: [] }
  for (const cube of band) {
    if (cube.nearest > radius) continue
    if (cube.farthest >= start && cube.nearest <= end) sorted.band.push(cube)
    else if (cube.farthest > radius) sorted.rim.push(cube)
    else {
      sorted.inside += cube.n
      if (cube.farthest < start) sorted.before += cube.n
    }
  }
  return sorted
}

/** The bound of the cube with which the items, taken cube by cube in the order of that bound, come to `count`. */
function distanceAt(cubes: readonly CountedCube[], bound: 'nearest' | 'farthest', count: number): number | undefined {
  let sum = 0
  for (const cube of cubes.toSorted((a, b) => a[bound] - b[bound])) {
    sum += cube.n
    if (sum >= count) return cube[bound]
  }
  return undefined
}

async function fetchCubesIn(search: Search, level: 1 | 2 | 3, parents: readonly CountedCube[]): Promise<CountedCube[]> {
  if (parents.length === 0) return []
  const levelBelow = ([0, 1, 2] as const)[level - 1] ?? 0
  const [row] = await search.prisma.$queryRaw<{ cubes: string | null }[]>`
    SELECT json_agg(json_build_array(counted.cube, parent.dataset, counted.n))::text AS cubes
      FROM unnest(${parents.map(({ cube }) => cube)}::bigint[], ${parents.map(({ dataset }) => dataset)}::integer[])
           AS parent (cube, dataset)
     CROSS JOIN LATERAL (
            SELECT cube, n FROM cube_counts
             WHERE level = ${levelBelow} AND dataset_id = (${[...search.scope]}::uuid[])[parent.dataset]
               AND cube >= (parent.cube << ${BITS_PER_LEVEL}::integer)
               AND cube < ((parent.cube + 1) << ${BITS_PER_LEVEL}::integer)
            OFFSET 0
          ) AS counted`
  return countedCubes(search, levelBelow, JSON.parse(row?.cubes ?? '[]'))
}

/** Tests the points of the rim, and measures those that may be on the page. */
async function measure({ prisma, window, scope }: Search, found: Findings): Promise<Fetched<NearbyItem>> {
  const { before, inside, rim, band } = found
  const [row] = await prisma.$queryRaw<(NearbyRow & { rim: number })[]>`
    WITH hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window)}) AS distance
        FROM ${itemsIn(band, scope)} WHERE ${isInCircle(window)}
    )
    SELECT ${nodesOf({ ...window, offset: window.offset - before })} AS nodes,
           (SELECT count(*) FROM hit)::integer AS total,
           (SELECT count(*) FROM ${itemsIn(rim, scope)} WHERE ${isInCircle(window)})::integer AS rim`
  if (!row) throw new TypeError('A search has no answer')
  return fetchedOf({ ...row, total: inside + row.total + row.rim })
}

/** The items `i` (id, location) in cubes. */
function itemsIn(cubes: readonly CountedCube[], scope: Scope): Prisma.Sql {
  const first = cubes.map(({ level, cube }) => cube * 2 ** (level * BITS_PER_LEVEL))
  const end = cubes.map(({ level, cube }) => (cube + 1) * 2 ** (level * BITS_PER_LEVEL))
  const datasets = cubes.map(({ dataset }) => scope[dataset - 1] ?? '')
  return Prisma.sql`unnest(${first}::bigint[], ${end}::bigint[], ${datasets}::uuid[]) AS part (first, "end", dataset_id)
                    ${ITEMS_OF_PART}`
}

/** By the index on dataset and cube. OFFSET 0 keeps the planner from joining by the index on places, anew for every part. */
const ITEMS_OF_PART = Prisma.sql`CROSS JOIN LATERAL (
  SELECT i.id, i.location FROM items i
   WHERE i.dataset_id = part.dataset_id AND i.cube >= part.first AND i.cube < part."end" OFFSET 0
) AS i`
