import { NEVER_PREPARE } from '../../database/never-prepare.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type FilterValues, givenFilters, hasFilterValues, textFilters } from '../filters.ts'
import type { Fetched } from '../page.ts'
import { BITS_PER_LEVEL, type Cover, type CubeLevel } from './ecef-grid.ts'
import type { Scope } from './item-list.ts'
import { itemsOf, type NearbyWindow } from './nearby.ts'
import { centreOf, whereInCircle } from './where.ts'

/*
 * The items of cubes that have the values of filters. The index on cubes has the codes, so filters by codes read no items. The other
 * filters read the items of the cubes; if these are many, they read all matching items at once instead, in the order of the table.
 */

/** A cube, the index of a dataset in the scope from 1, and the number of its items in the cube. */
export type CubeRow = [cube: number, dataset: number, n: number]

/** The window from all matching items, if they are at most `limit`; and the number of all items of the datasets. */
export async function testFew(
  sql: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  limit: number,
): Promise<{ few: Fetched | undefined; size: number }> {
  const [row] = await sql.$queryRaw<(Fetched & { matching: number; size: number })[]>`
    WITH matching AS MATERIALIZED (
      SELECT i.id, i.location FROM items i
       WHERE i.dataset_id = ANY (${[...scope]}::uuid[]) AND ${hasFilterValues(window)} LIMIT ${limit + 1}
    ), hit AS MATERIALIZED (
      SELECT i.id, ST_Distance(i.location, ${centreOf(window.circle)}) AS distance FROM matching i
       WHERE (SELECT count(*) FROM matching) <= ${limit} AND ${whereInCircle(window.circle)}
    )
    SELECT ${itemsOf(window)} AS json, (SELECT count(*) FROM hit)::integer AS total,
           (SELECT count(*) FROM matching)::integer AS matching,
           (SELECT coalesce(sum(n), 0) FROM item_counts
             WHERE dataset_id = ANY (${[...scope]}::uuid[]) AND list = 'all')::float8 AS size`
  if (!row) throw new TypeError('The search returned no row')
  const { json, total, matching, size } = row
  return { few: matching <= limit ? { json, total } : undefined, size }
}

/** Reads the cubes of the cover that have matching items. They are smaller than the cover's, because one reading is enough then. */
export async function readMatchingCubes(
  sql: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  cover: Cover,
): Promise<{ level: CubeLevel; cubes: CubeRow[] }> {
  const level = ([0, 0, 1, 1] as const)[cover.level]
  const bits = (cover.level - level) * BITS_PER_LEVEL
  const [row] = await sql.$queryRaw<{ cubes: string | null }[]>`
    SELECT json_agg(json_build_array(cube, array_position(${[...scope]}::uuid[], dataset_id), n))::text AS cubes
      FROM (SELECT i.cube >> ${level * BITS_PER_LEVEL}::integer AS cube, i.dataset_id, count(*) AS n FROM items i
             WHERE i.dataset_id = ANY (${[...scope]}::uuid[]) AND ${NEVER_PREPARE} ${hasFilterValues(window)}
             GROUP BY 1, 2) AS counted
     WHERE cube >> ${bits}::integer = ANY (${cover.cubes}::bigint[])`
  return { level, cubes: JSON.parse(row?.cubes ?? '[]') }
}

/**
 * SQL for FROM and WHERE of the matching items `i` of the part (first, end, dataset_id), through the index on dataset, cube and codes.
 * Without OFFSET 0 the planner would use the index on locations, or that of a filter, and read all matching items for each part.
 */
export function matchingOfPart(window: FilterValues): Prisma.Sql {
  const texts = textFilters(window)
  const codes = Object.fromEntries(givenFilters(window).filter(([filter]) => texts[filter] === undefined))
  return Prisma.sql`(
    SELECT * FROM items i
     WHERE i.dataset_id = part.dataset_id AND i.cube >= part.first AND i.cube < part."end" AND ${hasFilterValues(codes)} OFFSET 0
  ) AS i WHERE ${hasFilterValues(texts)}`
}
