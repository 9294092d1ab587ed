import { Prisma } from '../../generated/prisma/client.ts'
import type { FilterValues } from '../filters.ts'
import type { Window } from '../page.ts'
import { itemsAt, jsonText } from '../projection.ts'
import type { Circle } from '../selection.ts'

/*
 * Items around a point. ST_DWithin and ST_Distance on the WGS 84 spheroid decide which items are in the circle, and in what order
 * (docs/rest.md). Prisma has no geography type.
 */

/** A part of the list of the items in a circle that have the values of the filters, nearest first. */
export interface NearbyWindow extends FilterValues, Window {
  circle: Circle
}

/** SQL for the items of a window of the table `hit` (id, distance), as JSON text. */
export function itemsOf({ limit, offset, projection }: Window): Prisma.Sql {
  // In subqueries, so that PostgreSQL finds a plan for all limits no worse than one for this limit, and does not plan each search anew.
  const places = Prisma.sql`
    SELECT id, distance FROM hit ORDER BY distance, id LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
  return jsonText(itemsAt(places, Prisma.sql`place.distance, place.id`, projection, ['distance']))
}
