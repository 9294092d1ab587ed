import { Prisma } from '../../generated/prisma/client.ts'
import { type ItemProjection, itemColumns } from '../item-columns.ts'
import type { Item } from '../models.ts'
import type { Fetched } from '../page.ts'

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

export interface NearbyWindow extends Circle {
  limit: number
  offset: number
  projection: ItemProjection
}

/** An item and its distance in metres from the centre. */
export interface NearbyItem {
  distance: number
  item: Item
}

/** The datasets to search. */
export type Scope = readonly string[]

/** For each scope the window of its items in the circle, nearest first, and how many there are in all, in one statement. */
export async function fetchNearbyPages(
  prisma: Prisma.TransactionClient,
  window: NearbyWindow,
  scopes: readonly Scope[],
): Promise<Fetched<NearbyItem>[]> {
  const rows = await prisma.$queryRaw<NearbyRow[]>`
    SELECT page.nodes, page.total
      FROM ${scopeTable(scopes)}
     CROSS JOIN LATERAL (
            WITH hit AS MATERIALIZED (
              SELECT i.id, ST_Distance(i.location, ${centreOf(window)}) AS distance FROM items i
               WHERE i.dataset_id = ANY (scope.dataset_ids::uuid[]) AND ${isInCircle(window)}
            )
            SELECT ${nodesOf(window, 'hit')} AS nodes, (SELECT count(*) FROM hit)::integer AS total
          ) AS page
     ORDER BY scope.n`
  return rows.map(fetchedOf)
}

export interface NearbyRow {
  nodes: string | null
  total: number
}

/** A row's page. */
export function fetchedOf({ nodes, total }: NearbyRow): Fetched<NearbyItem> {
  return { nodes: nodes === null ? [] : JSON.parse(nodes), total }
}

/** An expression for the window of the table `hits` (id, distance), in JSON. */
export function nodesOf({ limit, offset, projection }: NearbyWindow, hits: 'hit'): Prisma.Sql {
  return Prisma.sql`(
    SELECT json_agg(node) FROM (
      SELECT place.distance, to_json(item) AS item
        FROM (SELECT id, distance FROM ${Prisma.raw(hits)} ORDER BY distance, id
               LIMIT ${limit} OFFSET ${offset}::bigint) AS place
       CROSS JOIN LATERAL (SELECT ${itemColumns(projection)} FROM items i WHERE i.id = place.id) AS item
       ORDER BY place.distance, place.id
    ) AS node
  )::text`
}

/** PostgreSQL's arrays are rectangular, and scopes are not: each is an array in text. */
function scopeTable(scopes: readonly Scope[]): Prisma.Sql {
  const datasetIds = scopes.map((ids) => `{${ids.join(',')}}`)
  return Prisma.sql`unnest(${datasetIds}::text[]) WITH ORDINALITY AS scope (dataset_ids, n)`
}

/** Whether the item `i` is in the circle. */
export function isInCircle(circle: Circle): Prisma.Sql {
  return Prisma.sql`ST_DWithin(i.location, ${centreOf(circle)}, ${circle.radius}::float8)`
}

/** The middle of the circle, as PostGIS's geography. */
export function centreOf({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography`
}
