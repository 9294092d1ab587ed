import type { Connection } from './connection.ts'
import { latitudeOf } from './sql.ts'
import type { State } from './world.ts'

/** Compares the content of the database with a state. Returns the tables that differ, with both contents. */
export async function differences(connection: Connection, { catalog, keys }: State): Promise<string[]> {
  const expected = {
    datasets: catalog.datasets.map((each) => [
      each.id,
      each.slug,
      each.name,
      each.description,
      each.status,
      each.visibility,
    ]),
    items: catalog.items.map((each) => [
      each.id,
      each.datasetId,
      each.name,
      each.parentId,
      each.category,
      latitudeOf(each),
    ]),
    images: catalog.images.map((each) => [each.id, each.itemId, each.altText, each.sortOrder]),
    grants: keys.flatMap(({ id, grants }) => grants.map((grant) => [id, grant])),
    api_keys: keys.map(({ id, tiers, isRevoked }) => [id, tiers, isRevoked]),
  }
  const columns = {
    datasets: 'id, slug, name, description, status, visibility',
    items: 'id, dataset_id, name, parent_item_id, category_code, round(latitude, 4)::text',
    images: 'id, item_id, alt_text, sort_order',
    grants: 'api_key_id, dataset_id',
    api_keys: 'id, access_tiers, revoked_at IS NOT NULL',
  }
  const problems: string[] = []
  for (const table of ['datasets', 'items', 'images', 'grants', 'api_keys'] as const) {
    const rows = await connection.execute(`SELECT json_build_array(${columns[table]}) AS row FROM ${table}`)
    const stored = textOf(rows.map((row) => contentOf(row)))
    const modelled = textOf(expected[table])
    if (stored !== modelled) problems.push(`${table} in the database: ${stored}`, `${table} in the model: ${modelled}`)
  }
  return problems
}

function contentOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'row' in row ? row.row : undefined
}

function textOf(rows: readonly unknown[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join(' ')
}
