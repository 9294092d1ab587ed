import type { ClientBase } from 'pg'
import { renumberImages } from './renumbered-images.ts'

/** A row that can't be imported: the index of its file in the manifest, its line, and the reason. */
export interface BadRow {
  file: number
  line: number
  reason: string
  /** What rows have in common whose reasons differ only in a value. */
  kind?: string | undefined
  /** The first row with the same id, of a row that repeats an id. */
  first?: { file: number; line: number }
}

/** The place of the first row of a window. */
const FIRST = `json_build_object('file', first_value(file) OVER w, 'line', first_value(line) OVER w) AS first`

/**
 * Statements that delete bad rows from the staging table `t`, and return the file, line, reason and kind of each. $1 is the UUID of the
 * dataset. $2 says whether the dataset keeps items that are not in the files. A statement that needs neither still names both,
 * because PostgreSQL must know the type of each parameter.
 */
const CHECKS: readonly ((t: string) => string)[] = [
  // An externalId that no item has stands for an id. Another item can have that id: one that was imported with `id`.
  (t) => `
    DELETE FROM ${t} AS bad
     USING (SELECT s.n, other.external_id AS owner
              FROM ${t} AS s JOIN ${t} AS other ON other.id = s.id AND other.external_id IS DISTINCT FROM s.external_id
             WHERE NOT s.has_own_id
               AND (other.has_own_id
                    OR NOT EXISTS (SELECT FROM items AS i WHERE i.dataset_id = $1 AND i.external_id = s.external_id))
             UNION ALL
            SELECT s.n, i.external_id FROM ${t} AS s JOIN items AS i ON i.id = s.id
             WHERE $2 AND NOT s.has_own_id AND i.dataset_id = $1 AND i.external_id <> s.external_id) AS taken
     WHERE taken.n = bad.n
    RETURNING bad.file, bad.line,
              'the externalId ' || bad.external_id || ' stands for the id ' || bad.id || ', which is the id of '
              || coalesce('the item with the externalId ' || taken.owner, 'another row')
              || '; add another id to the row of ' || bad.external_id AS reason,
              'an externalId stands for the id of another item' AS kind`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING (SELECT n, row_number() OVER w AS nth, ${FIRST} FROM ${t} WINDOW w AS (PARTITION BY id ORDER BY n)) AS same
     WHERE same.n = bad.n AND same.nth > 1
       AND $1::uuid IS NOT NULL AND $2::boolean IS NOT NULL
    RETURNING bad.file, bad.line,
              CASE WHEN has_own_id THEN 'the id ' || bad.id ELSE 'the externalId ' || bad.external_id END
              || ' stands twice in this import' AS reason, 'an id or externalId stands twice in this import' AS kind, same.first`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING (SELECT n, row_number() OVER w AS nth, ${FIRST}
              FROM ${t} WHERE external_id IS NOT NULL WINDOW w AS (PARTITION BY external_id ORDER BY n)) AS same
     WHERE same.n = bad.n AND same.nth > 1
       AND $1::uuid IS NOT NULL AND $2::boolean IS NOT NULL
    RETURNING bad.file, bad.line, 'the externalId ' || bad.external_id || ' stands twice in this import' AS reason,
              'an id or externalId stands twice in this import' AS kind, same.first`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING items AS i
     WHERE i.id = bad.id AND i.dataset_id <> $1 AND $2::boolean IS NOT NULL
    RETURNING bad.file, bad.line, 'the id ' || bad.id || ' belongs to an item of another dataset' AS reason,
              'the id belongs to an item of another dataset' AS kind`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING items AS i
     WHERE $2 AND i.dataset_id = $1 AND i.external_id = bad.external_id AND i.id <> bad.id
       AND NOT EXISTS (SELECT FROM ${t} AS other WHERE other.id = i.id)
    RETURNING bad.file, bad.line, 'the externalId ' || bad.external_id || ' belongs to the item ' || i.id AS reason,
              'the externalId belongs to an item with another id' AS kind`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING (SELECT s.n, image ->> 'id' AS id,
                   row_number() OVER w AS nth, ${FIRST}
              FROM ${t} AS s CROSS JOIN jsonb_array_elements(s.images) AS image
            WINDOW w AS (PARTITION BY image ->> 'id' ORDER BY s.n)) AS same
     WHERE same.n = bad.n AND same.nth > 1
       AND $1::uuid IS NOT NULL AND $2::boolean IS NOT NULL
    RETURNING bad.file, bad.line, 'the image id ' || same.id || ' stands twice in this import' AS reason,
              'an image id stands twice in this import' AS kind, same.first`,
  (t) => `
    DELETE FROM ${t} AS bad
     USING ${t} AS s
     CROSS JOIN jsonb_array_elements(s.images) AS image
      JOIN images AS taken ON taken.id = (image ->> 'id')::uuid AND taken.item_id <> s.id
      JOIN items AS i ON i.id = taken.item_id
     WHERE bad.n = s.n
       AND (i.dataset_id <> $1 OR ($2 AND NOT EXISTS (SELECT FROM ${t} AS other WHERE other.id = i.id)))
    RETURNING bad.file, bad.line, 'the image id ' || taken.id || ' belongs to another item' AS reason,
              'the image id belongs to another item' AS kind`,
]

/** Deletes rows whose parent does not exist. A deleted row may be the parent of another row, so this runs until it finds none. */
const checkParents = (t: string) => `
  DELETE FROM ${t} AS bad
   WHERE coalesce(bad.parent_item_id::text, bad.parent_external_id) IS NOT NULL
     AND NOT EXISTS (SELECT FROM ${t} AS parent WHERE parent.id = bad.parent_item_id)
     AND NOT EXISTS (SELECT FROM items AS kept
                      WHERE $2 AND kept.id = bad.parent_item_id AND kept.dataset_id = $1)
  RETURNING bad.file, bad.line,
            'the parent ' || coalesce(bad.parent_external_id, bad.parent_item_id::text) || ' is not there' AS reason,
            'the parent is not there' AS kind`

/** Deletes rows that are not descendants of a root item: each is its own ancestor, or a descendant of such an item. */
const checkCycles = (t: string) => `
  WITH RECURSIVE node AS (
    SELECT id, parent_item_id FROM ${t}
     UNION ALL
    SELECT i.id, i.parent_item_id FROM items AS i
     WHERE $2 AND i.dataset_id = $1 AND NOT EXISTS (SELECT FROM ${t} AS s WHERE s.id = i.id)
  ), reached AS (
    SELECT id FROM node WHERE parent_item_id IS NULL
     UNION ALL
    SELECT node.id FROM node JOIN reached ON node.parent_item_id = reached.id
  )
  DELETE FROM ${t} AS bad
   WHERE bad.parent_item_id IS NOT NULL AND NOT EXISTS (SELECT FROM reached WHERE reached.id = bad.id)
  RETURNING bad.file, bad.line, 'its parents form a cycle' AS reason`

/** Sets the id of rows without an id to that of the stored item with the same `externalId`. Finds parents by `externalId`. */
async function resolveExternalIds(
  session: ClientBase,
  t: string,
  datasetId: string,
  keepMissing: boolean,
): Promise<void> {
  await session.query(
    `UPDATE ${t} AS s SET id = i.id, is_renumbered = true FROM items AS i
      WHERE NOT s.has_own_id AND i.dataset_id = $1 AND i.external_id = s.external_id AND i.id <> s.id`,
    [datasetId],
  )
  await renumberImages(session, t)
  await session.query(
    `UPDATE ${t} AS s SET parent_item_id = parent.id FROM ${t} AS parent
      WHERE parent.external_id = s.parent_external_id`,
  )
  if (!keepMissing) return
  await session.query(
    `UPDATE ${t} AS s SET parent_item_id = i.id FROM items AS i
      WHERE s.parent_item_id IS NULL AND i.dataset_id = $1 AND i.external_id = s.parent_external_id`,
    [datasetId],
  )
}

/** Deletes the staged rows that conflict with other rows or with the database. Returns them by file and line. */
export async function removeBadRows(
  session: ClientBase,
  table: string,
  datasetId: string,
  keepMissing: boolean,
): Promise<BadRow[]> {
  const bad: BadRow[] = []
  const remove = async (sql: string) => {
    const { rows } = await session.query<BadRow>(sql, [datasetId, keepMissing])
    bad.push(...rows)
    return rows.length
  }
  await resolveExternalIds(session, table, datasetId, keepMissing)
  for (const check of CHECKS) await remove(check(table))
  while ((await remove(checkParents(table))) > 0);
  await remove(checkCycles(table))
  return bad.sort((a, b) => a.file - b.file || a.line - b.line)
}
