import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Circle } from '../circle.ts'
import { type FilterValues, hasFilterValues } from '../filters.ts'
import { type ItemProjection, itemColumns, projectionKey, type RawNearby, rawItemColumns } from '../item-columns.ts'
import { guardProjection, type Item } from '../models.ts'
import type { Fetched } from '../page.ts'
import type { Scope } from './item-list.ts'

/*
 * Items around a point, from plain PostGIS. ST_DWithin and ST_Distance on the WGS 84 spheroid decide which items are in the
 * circle, and in what order (docs/rest.md). Prisma has no geography type.
 */

/** A part of the list of the items in a circle that have the values of the filters, nearest first. */
export interface NearbyWindow extends Circle, FilterValues {
  limit: number
  offset: number
  projection: ItemProjection
  /** Replaces `projection`: PostgreSQL writes the JSON that clients receive. */
  raw?: RawNearby | undefined
}

/** A text that is equal for equal windows. */
export function nearbyKey({ projection, raw, ...window }: NearbyWindow): string {
  return JSON.stringify(window) + projectionKey(raw ?? projection)
}

/** An item, and its distance from the centre in metres. */
export interface NearbyItem {
  distance: number
  item: Item
}

/** Returns the window and the total for each scope, in the order of the scopes. Takes one statement. */
export async function fetchNearbyPages(
  sql: SqlReader,
  window: NearbyWindow,
  scopes: readonly Scope[],
): Promise<Fetched<NearbyItem>[]> {
  const rows = await sql.$queryRaw<NearbyRow[]>`
    SELECT page.nodes, page.total
      FROM ${scopeTable(scopes)}
     CROSS JOIN LATERAL (
            WITH hit AS MATERIALIZED (
              SELECT i.id, ST_Distance(i.location, ${centreOf(window)}) AS distance FROM items i
               WHERE i.dataset_id = ANY (scope.dataset_ids::uuid[]) AND ${isInCircle(window)} AND ${hasFilterValues(window)}
            )
            SELECT ${nodesOf(window)} AS nodes, (SELECT count(*) FROM hit)::integer AS total
          ) AS page
     ORDER BY scope.n`
  return rows.map((row) => fetchedOf(row, window))
}

/** A row of a search: the window as a JSON array, and the total number of items in the circle. */
export interface NearbyRow {
  nodes: string
  total: number
}

/** The content of a row. */
export function fetchedOf({ nodes, total }: NearbyRow, { raw }: NearbyWindow): Fetched<NearbyItem> {
  if (raw) return { nodes: [], rawJson: withJsonNumbers(nodes), total }
  const found: NearbyItem[] = JSON.parse(nodes)
  for (const { item } of found) guardProjection(item)
  return { nodes: found, total }
}

/** PostgreSQL writes 0.00001 as 1e-05. JSON.stringify writes it as 0.00001. */
function withJsonNumbers(nodes: string): string {
  if (!nodes.includes('e-')) return nodes
  return nodes.replace(/"distance":([\d.]+e-\d+)/g, (_, distance: string) => `"distance":${Number(distance)}`)
}

/** SQL for a window of the table `hit` (id, distance), as a JSON array. */
export function nodesOf(window: NearbyWindow): Prisma.Sql {
  return Prisma.sql`array_to_json(ARRAY(
    SELECT node FROM (
      SELECT ${nodeColumns(window)}
        FROM (SELECT id, distance FROM hit ORDER BY distance, id
               LIMIT ${window.limit} OFFSET ${window.offset}::bigint) AS place
        JOIN items i ON i.id = place.id
       ORDER BY place.distance, place.id
    ) AS node
  ))::text`
}

function nodeColumns({ projection, raw }: NearbyWindow): Prisma.Sql {
  if (!raw) return Prisma.sql`place.distance, ${rowOf(itemColumns(projection))} AS item`
  const columns = raw.members.map((member) => {
    if (member === 'distance') return Prisma.sql`place.distance`
    const item = rawItemColumns(member.item)
    return raw.isFlat ? item : Prisma.sql`${rowOf(item)} AS item`
  })
  return Prisma.join(columns)
}

/** SQL for an object with these members. */
function rowOf(columns: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT row_to_json(item) FROM (SELECT ${columns}) AS item)`
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

/** SQL for the centre, as a PostGIS geography. In a subquery, so that PostgreSQL computes it once and not for each item. */
export function centreOf({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`(SELECT ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography)`
}
