import { Prisma } from '../../generated/prisma/client.ts'
import { type ItemProjection, itemColumns } from '../item-columns.ts'
import { guardProjection, type Item } from '../models.ts'
import type { Fetched } from '../page.ts'

/*
 * Items around a point, from plain PostGIS. ST_DWithin and ST_Distance on the WGS 84 spheroid decide which items are in the
 * circle, and in what order (decisions.md section 3). Prisma has no geography type.
 */

/** A circle on the spheroid: centre in degrees, radius in metres. */
export interface Circle {
  latitude: number
  longitude: number
  radius: number
}

/** A part of the list of the items in a circle, nearest first. */
export interface NearbyWindow extends Circle {
  limit: number
  offset: number
  projection: ItemProjection
}

/** An item, and its distance from the centre in metres. */
export interface NearbyItem {
  distance: number
  item: Item
}

/** UUIDs of the datasets to search. */
export type Scope = readonly string[]

/** Returns the window and the total for each scope, in the order of the scopes. Takes one statement. */
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
            SELECT ${nodesOf(window)} AS nodes, (SELECT count(*) FROM hit)::integer AS total
          ) AS page
     ORDER BY scope.n`
  return rows.map(fetchedOf)
}

/** A row of a search: the window as JSON (null if it is empty), and the total number of items in the circle. */
export interface NearbyRow {
  nodes: string | null
  total: number
}

/** Parses a row. */
export function fetchedOf({ nodes, total }: NearbyRow): Fetched<NearbyItem> {
  const found: NearbyItem[] = nodes === null ? [] : JSON.parse(nodes)
  for (const { item } of found) guardProjection(item)
  return { nodes: found, total }
}

/** SQL for a window of the table `hit` (id, distance), as JSON. */
export function nodesOf({ limit, offset, projection }: NearbyWindow): Prisma.Sql {
  return Prisma.sql`(
    SELECT json_agg(node) FROM (
      SELECT place.distance, to_json(item) AS item
        FROM (SELECT id, distance FROM hit ORDER BY distance, id
               LIMIT ${limit} OFFSET ${offset}::bigint) AS place
       CROSS JOIN LATERAL (SELECT ${itemColumns(projection)} FROM items i WHERE i.id = place.id) AS item
       ORDER BY place.distance, place.id
    ) AS node
  )::text`
}

/**
 * SQL for the table `scope` (dataset_ids, n). Each scope is an array as text, because scopes differ in length and PostgreSQL's
 * arrays are rectangular.
 */
function scopeTable(scopes: readonly Scope[]): Prisma.Sql {
  const datasetIds = scopes.map((ids) => `{${ids.join(',')}}`)
  return Prisma.sql`unnest(${datasetIds}::text[]) WITH ORDINALITY AS scope (dataset_ids, n)`
}

/** SQL condition: the item `i` is in the circle. */
export function isInCircle(circle: Circle): Prisma.Sql {
  return Prisma.sql`ST_DWithin(i.location, ${centreOf(circle)}, ${circle.radius}::float8)`
}

/** SQL for the centre, as a PostGIS geography. */
export function centreOf({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography`
}
