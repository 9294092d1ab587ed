import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { FilterValues } from '../filters.ts'
import type { Fetched, Window } from '../page.ts'
import { itemsAt, jsonText } from '../projection.ts'
import type { Circle } from '../selection.ts'
import type { Scope } from './item-list.ts'
import { centreOf, whereSelected } from './where.ts'

/*
 * Items around a point, from plain PostGIS. ST_DWithin and ST_Distance on the WGS 84 spheroid decide which items are in the
 * circle, and in what order (docs/rest.md). Prisma has no geography type.
 */

/** A part of the list of the items in a circle that have the values of the filters, nearest first. */
export interface NearbyWindow extends FilterValues, Window {
  circle: Circle
}

/** Returns the window and the total for each scope, in the order of the scopes. Takes one statement. */
export async function fetchNearbyPages(
  sql: SqlReader,
  window: NearbyWindow,
  scopes: readonly Scope[],
): Promise<Fetched[]> {
  return sql.$queryRaw<Fetched[]>`
    SELECT page.json, page.total
      FROM ${scopeTable(scopes)}
     CROSS JOIN LATERAL (
            WITH hit AS MATERIALIZED (
              SELECT i.id, ST_Distance(i.location, ${centreOf(window.circle)}) AS distance FROM items i
               WHERE i.dataset_id = ANY (scope.dataset_ids::uuid[]) AND ${whereSelected(window)}
            )
            SELECT ${itemsOf(window)} AS json, (SELECT count(*) FROM hit)::integer AS total
          ) AS page
     ORDER BY scope.n`
}

/** SQL for the items of a window of the table `hit` (id, distance), as JSON text. */
export function itemsOf({ limit, offset, projection }: Window): Prisma.Sql {
  // In subqueries, so that PostgreSQL finds a plan for all limits no worse than one for this limit, and does not plan each search anew.
  const places = Prisma.sql`
    SELECT id, distance FROM hit ORDER BY distance, id LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
  return jsonText(itemsAt(places, Prisma.sql`place.distance, place.id`, projection, ['distance']))
}

/**
 * SQL for the table `scope` (dataset_ids, n). Each scope is an array as text, because scopes differ in length and PostgreSQL's
 * arrays are rectangular.
 */
function scopeTable(scopes: readonly Scope[]): Prisma.Sql {
  const datasetIds = scopes.map((ids) => `{${ids.join(',')}}`)
  return Prisma.sql`unnest(${datasetIds}::text[]) WITH ORDINALITY AS scope (dataset_ids, n)`
}
