import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Image, parseImage, type RawJson } from '../models.ts'
import { IMAGE_RECORD, type ItemProjection, itemsAt, jsonText, objectText, selectMembers } from '../projection.ts'
import { anyOf, type Scope } from './select.ts'

/*
 * Items and images by id. The statement reads the content of a row only if its dataset is in the scope of the key. So how long it takes
 * says nothing about the content of a hidden item.
 */

/** UUIDs to look up, and the datasets that the key may access. */
interface Lookup {
  ids: readonly string[]
  scope: Scope
}

/** An item or an image. */
export interface LookupRow {
  id: string
  datasetId: string
  /** Revision of the dataset. */
  revision: bigint
  /** A JSON object; null if the dataset is not in the scope. */
  json: RawJson | null
}

/** Returns the items in the order of the ids; null for an item that does not exist. */
export function fetchItems(
  reader: SqlReader,
  lookup: Lookup,
  projection: ItemProjection,
): Promise<(LookupRow | null)[]> {
  return fetchRows(reader, lookup, selectMembers(projection), {
    id: Prisma.sql`i.id`,
    from: Prisma.sql`items i`,
  })
}

/** Returns the images as records, in the order of the ids; null for an image that does not exist. */
export function fetchImages(reader: SqlReader, lookup: Lookup): Promise<(LookupRow | null)[]> {
  return fetchRows(reader, lookup, IMAGE_RECORD, {
    id: Prisma.sql`m.id`,
    // The items come first: TRUNCATE locks items before images, and the opposite order would be a deadlock.
    from: Prisma.sql`items i JOIN images m ON m.item_id = i.id`,
  })
}

async function fetchRows(
  reader: SqlReader,
  { ids, scope }: Lookup,
  columns: Prisma.Sql,
  { id, from }: { id: Prisma.Sql; from: Prisma.Sql },
): Promise<(LookupRow | null)[]> {
  const rows = await reader.$queryRaw<LookupRow[]>`
    SELECT ${id} AS id, i.dataset_id AS "datasetId", (SELECT revision FROM datasets WHERE id = i.dataset_id) AS revision,
           CASE WHEN i.dataset_id = ${anyOf(scope)} THEN ${objectText(columns)} END AS json
      FROM ${from} WHERE ${id} = ANY (${[...ids]}::uuid[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((given) => byId.get(given) ?? null)
}

/** Returns the images of items as records, by `sortOrder`, then id. */
export async function fetchImagesOf(reader: SqlReader, itemIds: readonly string[]): Promise<Image[]> {
  const rows = await reader.$queryRaw<{ json: RawJson }[]>`
    SELECT ${objectText(IMAGE_RECORD)} AS json FROM images m
     WHERE m.item_id = ANY (${[...itemIds]}::uuid[]) ORDER BY m.sort_order, m.id`
  return rows.map(({ json }) => parseImage(json))
}

/** Returns the items that exist as a JSON array, in the order of the ids. It does not check access. */
export async function fetchInOrder(
  reader: SqlReader,
  ids: readonly string[],
  projection: ItemProjection,
): Promise<RawJson> {
  const places = Prisma.sql`SELECT place.rank, place.id FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS place (id, rank)`
  const items = jsonText(itemsAt(places, Prisma.sql`place.rank`, projection))
  const [row] = await reader.$queryRaw<{ json: RawJson }[]>`SELECT ${items} AS json`
  return row?.json ?? '[]'
}
