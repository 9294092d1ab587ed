import type { Connection } from './connection.ts'
import { at } from './question.ts'
import { latitudeOf } from './sql.ts'
import type { State } from './world.ts'

/** Compares the content of the database with a state. Returns the columns of the tables that differ, with both contents. */
export async function differences(connection: Connection, { catalog, keys }: State): Promise<string[]> {
  const tables = {
    'id, slug, name, description, status, visibility FROM datasets': catalog.datasets.map(
      ({ id, slug, name, description, status, visibility }) => [id, slug, name, description, status, visibility],
    ),
    'id, dataset_id, name, parent_item_id, category_code, round(latitude, 4)::text FROM items': catalog.items.map(
      (item) => [item.id, item.datasetId, item.name, item.parentId, item.category, latitudeOf(item)],
    ),
    'id, item_id, alt_text, sort_order FROM images': catalog.images.map(({ id, itemId, altText, sortOrder }) => [
      id,
      itemId,
      altText,
      sortOrder,
    ]),
    'api_key_id, dataset_id FROM grants': keys.flatMap(({ id, grants }) => grants.map((grant) => [id, grant])),
    'id, access_tiers, revoked_at IS NOT NULL FROM api_keys': keys.map(({ id, tiers, isRevoked }) => [
      id,
      tiers,
      isRevoked,
    ]),
  }
  const problems: string[] = []
  for (const [what, expected] of Object.entries(tables)) {
    const rows = await connection.execute(`SELECT json_build_array(${what.replace(' FROM', ') AS row FROM')}`)
    const stored = textOf(rows.map((row) => at(row, 'row')))
    const modelled = textOf(expected)
    if (stored !== modelled) problems.push(`${what} in the database: ${stored}`, `in the model: ${modelled}`)
  }
  return problems
}

function textOf(rows: readonly unknown[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join(' ')
}
