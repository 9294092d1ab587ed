import { type Item, Prisma } from '../generated/prisma/client.ts'
import { ITEM_COLUMNS } from './items.ts'

/*
 * Items around a point. Prisma knows neither geography nor distance. What is near, how far and in what order is
 * PostGIS's word on the WGS 84 spheroid: ST_DWithin and ST_Distance (decisions.md section 3).
 */

/** A circle: degrees and metres. */
export interface Circle {
  latitude: number
  longitude: number
  radius: number
}

export type NearbyWindow = Circle & { limit: number; offset: number }

/** An item and its distance in metres from the centre. */
export interface NearbyItem {
  distance: number
  item: Item
}

/** The datasets to search. */
type Scope = readonly string[]

/** For each scope the window of its items in the circle, nearest first, in one statement. */
export async function fetchNearbyPages(
  prisma: Prisma.TransactionClient,
  window: NearbyWindow,
  scopes: readonly Scope[],
): Promise<NearbyItem[][]> {
  const rows = await prisma.$queryRaw<(Item & { scope: number; distance: number })[]>`
    SELECT scope.n::integer AS scope, page.distance, ${ITEM_COLUMNS}
      FROM ${scopeTable(scopes)}
     CROSS JOIN LATERAL (
            SELECT i.id, ST_Distance(i.location, ${centre(window)}) AS distance FROM items i
             WHERE ${isWithin(window)}
             ORDER BY distance, i.id
             LIMIT ${window.limit} OFFSET ${window.offset}::bigint
          ) AS page
      JOIN items i ON i.id = page.id
     ORDER BY page.distance, i.id`
  const pages = scopes.map((): NearbyItem[] => [])
  for (const { scope, distance, ...item } of rows) pages[scope - 1]?.push({ distance, item })
  return pages
}

/** How many items of each scope lie in the circle, in one statement. */
export async function countNearby(
  prisma: Prisma.TransactionClient,
  circle: Circle,
  scopes: readonly Scope[],
): Promise<number[]> {
  const rows = await prisma.$queryRaw<{ total: number }[]>`
    SELECT (SELECT count(*) FROM items i WHERE ${isWithin(circle)})::integer AS total
      FROM ${scopeTable(scopes)}
     ORDER BY scope.n`
  return rows.map((row) => row.total)
}

/** PostgreSQL's arrays are rectangular, and scopes are not: each is an array in text. */
function scopeTable(scopes: readonly Scope[]): Prisma.Sql {
  const datasetIds = scopes.map((ids) => `{${ids.join(',')}}`)
  return Prisma.sql`unnest(${datasetIds}::text[]) WITH ORDINALITY AS scope (dataset_ids, n)`
}

function isWithin(circle: Circle): Prisma.Sql {
  return Prisma.sql`i.dataset_id = ANY (scope.dataset_ids::uuid[])
    AND ST_DWithin(i.location, ${centre(circle)}, ${circle.radius}::float8)`
}

function centre({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography`
}
