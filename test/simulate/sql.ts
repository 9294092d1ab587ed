import { type Catalog, type Dataset, type Image, type Item, type Key, POINT, type State } from './world.ts'

/** A statement of SQL with its parameters. */
export interface Statement {
  text: string
  values: unknown[]
}

const sql = (text: string, ...values: unknown[]): Statement => ({ text, values })

/** The statements that lead from one state to another, in an order that the constraints allow. */
export function statementsBetween(before: State, after: State): Statement[] {
  const items = changes(before.catalog.items, after.catalog.items)
  const removed = new Set(items.removed.map(({ id }) => id))
  // The removal of an item removes its images. One of them can come back for another item.
  const images = changes(
    before.catalog.images.filter(({ itemId }) => !removed.has(itemId)),
    after.catalog.images,
  )
  return [
    sql('SET CONSTRAINTS ALL DEFERRED'),
    ...images.removed.map(({ id }) => sql('DELETE FROM images WHERE id = $1', id)),
    ...items.removed.map(({ id }) => sql('DELETE FROM items WHERE id = $1', id)),
    ...datasetStatements(before.catalog, after.catalog),
    ...itemStatements(items),
    ...imageStatements(images),
    ...after.keys.flatMap((key, n) => keyStatements(before.keys[n] ?? key, key)),
  ]
}

/** The statements that make the items and images of a state anew, after TRUNCATE. */
export function refillStatements(before: State, after: State): Statement[] {
  const none: State = { ...before, catalog: { ...before.catalog, items: [], images: [] } }
  return [sql('TRUNCATE items CASCADE'), ...statementsBetween(none, after)]
}

/** The statements that fill an empty database, with the hashes of the keys. */
export function initialStatements({ catalog, keys }: State, hashes: readonly Buffer[]): Statement[] {
  const noKeys = keys.map((key) => ({ ...key, tiers: [], grants: [] }))
  return [
    ...keys.map(({ id }, n) =>
      sql('INSERT INTO api_keys (id, name, hash, created_at) VALUES ($1, $2, $3, now())', id, `key ${n}`, hashes[n]),
    ),
    ...statementsBetween({ catalog: { datasets: [], items: [], images: [] }, keys: noKeys }, { catalog, keys }),
  ]
}

function datasetStatements(before: Catalog, after: Catalog): Statement[] {
  const { removed, added, changed } = changes(before.datasets, after.datasets)
  const slugOf = (id: string) => before.datasets.find((each) => each.id === id)?.slug
  // Two datasets can exchange their slugs.
  const moved = changed.filter(({ id, slug }) => slug !== slugOf(id))
  return [
    ...removed.map(({ id }) => sql('DELETE FROM datasets WHERE id = $1', id)),
    ...moved.map(({ id }) => sql('UPDATE datasets SET slug = $2 WHERE id = $1', id, `slug-of-${id.slice(0, 8)}`)),
    ...added.map((dataset) =>
      sql(
        `INSERT INTO datasets (id, slug, name, description, status, visibility, access_tier, attribution, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'Simulation', now(), now())`,
        ...valuesOfDataset(dataset),
      ),
    ),
    ...changed.map((dataset) =>
      sql(
        `UPDATE datasets SET slug = $2, name = $3, description = $4, status = $5, visibility = $6, access_tier = $7 WHERE id = $1`,
        ...valuesOfDataset(dataset),
      ),
    ),
  ]
}

const valuesOfDataset = ({ id, slug, name, description, status, visibility, accessTier }: Dataset) =>
  [id, slug, name, description, status, visibility, accessTier] as const

function itemStatements({ added, changed }: Changes<Item>): Statement[] {
  return [
    ...added.map((item) =>
      sql(
        `INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, parent_item_id, latitude,
                            longitude, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${POINT.longitude}, $9, now())`,
        ...valuesOfItem(item),
        createdAt(item),
      ),
    ),
    ...changed.map((item) =>
      sql(
        `UPDATE items SET dataset_id = $2, name = $3, description = $4, administrative_area_code = $5, category_code = $6,
                          parent_item_id = $7, latitude = $8 WHERE id = $1`,
        ...valuesOfItem(item),
      ),
    ),
  ]
}

const valuesOfItem = (item: Item) => {
  const { id, datasetId, name, description, area, category, parentId } = item
  return [id, datasetId, name, description, area, category, parentId, latitudeOf(item)] as const
}

/** The latitude of an item in degrees. */
export function latitudeOf({ step }: Item): string {
  return (POINT.latitude + step / 10_000).toFixed(4)
}

/** The time when an item was created, in ISO 8601. */
export function createdAt({ createdDay }: Item): string {
  return new Date(Date.UTC(2026, 0, 1 + createdDay)).toISOString()
}

function imageStatements({ added, changed }: Changes<Image>): Statement[] {
  const values = ({ id, itemId, altText, sortOrder }: Image) => [id, itemId, altText, sortOrder] as const
  return [
    ...added.map((image) =>
      sql(
        `INSERT INTO images (id, item_id, alt_text, sort_order, original_url, cdn_url, thumbnail_small_url, thumbnail_medium_url,
                             thumbnail_large_url, is_primary)
         VALUES ($1, $2, $3, $4, 'https://a.example', 'https://a.example', 'https://a.example', 'https://a.example', 'https://a.example', false)`,
        ...values(image),
      ),
    ),
    ...changed.map((image) =>
      sql('UPDATE images SET item_id = $2, alt_text = $3, sort_order = $4 WHERE id = $1', ...values(image)),
    ),
  ]
}

function keyStatements(before: Key, after: Key): Statement[] {
  const { id } = after
  const isUpdated = String(before.tiers) !== String(after.tiers) || before.isRevoked !== after.isRevoked
  const update = sql(
    'UPDATE api_keys SET access_tiers = $2, revoked_at = CASE WHEN $3 THEN now() END WHERE id = $1',
    ...[id, after.tiers, after.isRevoked],
  )
  const removed = before.grants.filter((grant) => !after.grants.includes(grant))
  const added = after.grants.filter((grant) => !before.grants.includes(grant))
  return [
    ...(isUpdated ? [update] : []),
    ...removed.map((grant) => sql('DELETE FROM grants WHERE api_key_id = $1 AND dataset_id = $2', id, grant)),
    ...added.map((grant) =>
      sql('INSERT INTO grants (api_key_id, dataset_id, created_at) VALUES ($1, $2, now())', id, grant),
    ),
  ]
}

interface Changes<Value> {
  removed: Value[]
  added: Value[]
  changed: Value[]
}

/** Compares two lists of records by their ids. Records that did not change are the same objects. */
function changes<Value extends { id: string }>(before: readonly Value[], after: readonly Value[]): Changes<Value> {
  const old = new Map(before.map((record) => [record.id, record]))
  const kept = new Set(after.map(({ id }) => id))
  return {
    removed: before.filter(({ id }) => !kept.has(id)),
    added: after.filter(({ id }) => !old.has(id)),
    changed: after.filter((record) => old.has(record.id) && old.get(record.id) !== record),
  }
}
