import { NEVER_PREPARE } from '../../database/never-prepare.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Cover } from '../circle.ts'
import { type FilterValues, splitFilters, whereFilters } from '../filters.ts'
import type { Fetched } from '../page.ts'
import { bitsBelow, COUNTED_ZOOMS } from '../tile.ts'
import type { Scope } from './item-list.ts'
import { itemsOf, type NearbyWindow } from './nearby.ts'
import { centreOf, whereInCircle } from './where.ts'

/*
 * The items of tiles that have the values of filters. The index on cells has the codes, so filters by codes read no items. The other
 * filters read the items of the tiles; if these are many, they read all matching items at once instead, in the order of the table.
 */

/** The number of a tile, the index of a dataset in the scope from 1, and the number of its items in the tile. */
export type TileRow = [number: number, dataset: number, n: number]

/** The window from all matching items, if they are at most `limit`; and the number of all items of the datasets. */
export async function testFew(
  reader: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  limit: number,
): Promise<{ few: Fetched | undefined; size: number }> {
  const [row] = await reader.$queryRaw<(Fetched & { matching: number; size: number })[]>`
    WITH matching AS MATERIALIZED (
      SELECT i.id, i.location FROM items i
       WHERE i.dataset_id = ANY (${[...scope]}::uuid[]) AND ${whereFilters(window)} LIMIT ${limit + 1}
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

/** Reads the tiles of the cover that have matching items. They are smaller than the cover's, because one reading is enough then. */
export async function readMatchingTiles(
  reader: SqlReader,
  window: NearbyWindow,
  scope: Scope,
  cover: Cover,
): Promise<{ z: number; tiles: TileRow[] }> {
  const z = Math.min(cover.z + 5, COUNTED_ZOOMS[3])
  const [row] = await reader.$queryRaw<{ tiles: string | null }[]>`
    SELECT json_agg(json_build_array(tile, array_position(${[...scope]}::uuid[], dataset_id), n))::text AS tiles
      FROM (SELECT i.tile_cell >> ${bitsBelow(z)}::integer AS tile, i.dataset_id, count(*) AS n FROM items i
             WHERE i.dataset_id = ANY (${[...scope]}::uuid[]) AND ${NEVER_PREPARE} ${whereFilters(window)}
             GROUP BY 1, 2) AS counted
     WHERE tile >> ${2 * (z - cover.z)}::integer = ANY (${cover.tiles}::bigint[])`
  return { z, tiles: JSON.parse(row?.tiles ?? '[]') }
}

/**
 * SQL for FROM and the beginning of WHERE: the matching items `i` of the table `part` (first, end), through the index on dataset, cell and
 * codes. Without OFFSET 0 the planner would use the index on locations, or that of a filter, and read all matching items for each part.
 * @param dataset SQL on the right of `dataset_id =`
 */
export function matchingOfPart(filters: FilterValues, dataset = Prisma.sql`part.dataset_id`): Prisma.Sql {
  const { codes, texts } = splitFilters(filters)
  return Prisma.sql`(
    SELECT * FROM items i
     WHERE i.dataset_id = ${dataset} AND i.tile_cell >= part.first AND i.tile_cell < part."end"
       AND ${whereFilters(codes)} OFFSET 0
  ) AS i WHERE ${whereFilters(texts)}`
}
