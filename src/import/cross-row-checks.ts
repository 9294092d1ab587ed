import type { RowIdentity } from '../rows/problem.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import type { BadRow } from './stage-files.ts'
import { keepItems, renumberImages, type Staged, stageBadRows, whereKept } from './staging.ts'

/** The place of the first row of a window. */
const FIRST = sql`json_build_object('file', first_value(file) OVER w, 'line', first_value(line) OVER w) AS first`

/** What the statements below are made of. */
interface Tables {
  /** The staging table. */
  t: SqlText
  /** SQL for whether an item `i` of the dataset stays, if the staging table lacks it. */
  stays: SqlText
}

/** What each statement returns of a row that it deletes. */
const BAD = sql`bad.file, bad.line, bad.id, bad.external_id AS "externalId"`

/** Deletes the rows whose value in a column an earlier row has. `name` is SQL for the field that they share. */
const checkRepeated =
  (column: SqlText, name: SqlText) =>
  ({ t }: Tables) =>
    sql`
    DELETE FROM ${t} AS bad
     USING (SELECT n, row_number() OVER w AS nth, ${FIRST} FROM ${t}
             WHERE ${column} IN (SELECT ${column} FROM ${t} GROUP BY ${column} HAVING count(*) > 1)
            WINDOW w AS (PARTITION BY ${column} ORDER BY n)) AS same
     WHERE same.n = bad.n AND same.nth > 1
       AND $1::uuid IS NOT NULL
    RETURNING ${BAD}, 'same ' || ${name} AS reason,
              CASE ${name} WHEN 'id' THEN bad.id::text ELSE bad.external_id END AS value, same.first`

/**
 * Statements that delete bad rows from the staging table, and return what names each, with the reason and kind. $1 is the UUID of the
 * dataset. A statement that does not need it still names it, because PostgreSQL must know the type of each parameter.
 */
const CHECKS: readonly ((tables: Tables) => SqlText)[] = [
  // An externalId that no item has stands for an id. Another item can have that id: one that was imported with `id`.
  ({ t, stays }) => sql`
    DELETE FROM ${t} AS bad
     USING (SELECT s.n, other.external_id AS owner
              FROM ${t} AS s JOIN ${t} AS other ON other.id = s.id AND other.external_id IS DISTINCT FROM s.external_id
             WHERE NOT s.has_own_id
               AND (other.has_own_id
                    OR NOT EXISTS (SELECT FROM items AS i WHERE i.dataset_id = $1 AND i.external_id = s.external_id))
             UNION ALL
            SELECT s.n, i.external_id FROM ${t} AS s JOIN items AS i ON i.id = s.id
             WHERE ${stays} AND NOT s.has_own_id AND i.dataset_id = $1 AND i.external_id <> s.external_id) AS taken
     WHERE taken.n = bad.n
    RETURNING ${BAD}, 'the externalId gives an id that another item has; add another id to the row' AS reason,
              bad.external_id || ' gives ' || bad.id || ', the id of '
              || coalesce('the item with the externalId ' || taken.owner, 'another row') AS value`,
  checkRepeated(sql`id`, sql`CASE WHEN bad.has_own_id THEN 'id' ELSE 'externalId' END`),
  checkRepeated(sql`external_id`, sql`'externalId'`),
  ({ t }) => sql`
    DELETE FROM ${t} AS bad
     USING (SELECT i.id, 'belongs to an item of the dataset ' || d.slug
                         || '; give the manifest that slug, or leave out the columns of "id" and "images"' AS belongs
              FROM items AS i JOIN datasets AS d ON d.id = i.dataset_id WHERE d.id <> $1) AS other
     WHERE other.id = bad.id
    RETURNING ${BAD}, 'the id ' || belongs AS reason, bad.id::text AS value`,
  ({ t, stays }) => sql`
    DELETE FROM ${t} AS bad
     USING items AS i
     WHERE ${stays} AND i.dataset_id = $1 AND i.external_id = bad.external_id AND i.id <> bad.id
       AND NOT EXISTS (SELECT FROM ${t} AS other WHERE other.id = i.id)
    RETURNING ${BAD}, 'the externalId belongs to an item with another id' AS reason,
              bad.external_id || ' belongs to ' || i.id AS value`,
  ({ t }) => sql`
    DELETE FROM ${t} AS bad
     USING (SELECT s.n, image ->> 'id' AS id,
                   row_number() OVER w AS nth, ${FIRST}
              FROM ${t} AS s CROSS JOIN jsonb_array_elements(s.images) AS image
            WINDOW w AS (PARTITION BY image ->> 'id' ORDER BY s.n)) AS same
     WHERE same.n = bad.n AND same.nth > 1
       AND $1::uuid IS NOT NULL
    RETURNING ${BAD}, 'same id of an image' AS reason, same.id AS value, same.first`,
  ({ t, stays }) => sql`
    DELETE FROM ${t} AS bad
     USING ${t} AS s
     CROSS JOIN jsonb_array_elements(s.images) AS image
      JOIN images AS taken ON taken.id = (image ->> 'id')::uuid AND taken.item_id <> s.id
      JOIN items AS i ON i.id = taken.item_id
     WHERE bad.n = s.n
       AND (i.dataset_id <> $1 OR (${stays} AND NOT EXISTS (SELECT FROM ${t} AS other WHERE other.id = i.id)))
    RETURNING ${BAD}, 'the id of an image belongs to another item' AS reason, taken.id::text AS value`,
]

/** Deletes rows whose parent does not exist. A deleted row may be the parent of another row, so this runs until it finds none. */
const checkParents = ({ t, stays }: Tables) => sql`
  DELETE FROM ${t} AS bad
   WHERE coalesce(bad.parent_item_id::text, bad.parent_external_id) IS NOT NULL
     AND NOT EXISTS (SELECT FROM ${t} AS parent WHERE parent.id = bad.parent_item_id)
     AND NOT EXISTS (SELECT FROM items AS i
                      WHERE ${stays} AND i.id = bad.parent_item_id AND i.dataset_id = $1)
  RETURNING ${BAD},
            'the parent is not there' AS reason, coalesce(bad.parent_external_id, bad.parent_item_id::text) AS value`

/** Deletes rows that are not descendants of a root item: each is its own ancestor, or a descendant of such an item. */
const checkCycles = ({ t, stays }: Tables) => sql`
  WITH RECURSIVE node AS (
    SELECT id, parent_item_id FROM ${t}
     UNION ALL
    SELECT i.id, i.parent_item_id FROM items AS i
     WHERE ${stays} AND i.dataset_id = $1 AND NOT EXISTS (SELECT FROM ${t} AS s WHERE s.id = i.id)
  ), reached AS (
    SELECT id FROM node WHERE parent_item_id IS NULL
     UNION ALL
    SELECT node.id FROM node JOIN reached ON node.parent_item_id = reached.id
  )
  DELETE FROM ${t} AS bad
   WHERE bad.parent_item_id IS NOT NULL AND NOT EXISTS (SELECT FROM reached WHERE reached.id = bad.id)
  RETURNING ${BAD}, 'its parents form a cycle' AS reason`

/** Sets the id of rows without an id to that of the stored item with the same `externalId`. */
async function resolveExternalIds(session: SqlSession, t: SqlText, datasetId: string): Promise<void> {
  const { rowCount } = await session.query(
    sql`UPDATE ${t} AS s SET id = i.id, is_renumbered = true FROM items AS i
      WHERE NOT s.has_own_id AND i.dataset_id = $1 AND i.external_id = s.external_id AND i.id <> s.id`,
    [datasetId],
  )
  if (rowCount !== 0) await renumberImages(session, t)
}

/**
 * Finds parents by `externalId` among the rows that are left, and then among the items that stay. It runs before each search for rows
 * without their parent, because a bad row that was deleted may have had the `externalId` of another row or item.
 */
async function resolveParents(session: SqlSession, { t, stays }: Tables, datasetId: string): Promise<void> {
  const { rowCount } = await session.query(
    sql`UPDATE ${t} AS s SET parent_item_id = found.parent_id
       FROM (SELECT child.n, coalesce(parent.id, i.id) AS parent_id
               FROM ${t} AS child LEFT JOIN ${t} AS parent ON parent.external_id = child.parent_external_id
               LEFT JOIN items AS i ON ${stays} AND i.dataset_id = $1 AND i.external_id = child.parent_external_id
              WHERE child.parent_external_id IS NOT NULL) AS found
      WHERE found.n = s.n AND found.parent_id IS DISTINCT FROM s.parent_item_id`,
    [datasetId],
  )
  // Without statistics, the search for cycles compares each row with each other one.
  if (rowCount !== null && rowCount > 0) await session.query(sql`ANALYZE ${t} (parent_item_id)`)
}

interface Checks extends Staged {
  /** Whether all items stay that the files lack. */
  keepMissing: boolean
  /** Whether the items of bad rows stay. If not, one bad row stops the import anyway. */
  skipInvalid: boolean
}

/**
 * Deletes the staged rows that conflict with other rows or with the items that stay. Returns them by file and line. The item of a bad
 * row stays as it was, and can conflict with another row then. So the checks run until no more items stay.
 */
export async function removeBadRows(checks: Checks): Promise<BadRow[]> {
  const { session, table, datasetId, keepMissing, skipInvalid } = checks
  const bad: BadRow[] = []
  const tables = { t: table, stays: sql`false` }
  let keptCount = 0
  const keep = async () => {
    if (skipInvalid) keptCount += await keepItems(session, table, datasetId)
    tables.stays = keepMissing ? sql`true` : keptCount > 0 ? whereKept(table) : sql`false`
  }
  /** Returns whether there are such rows. */
  const remove = async (check: (tables: Tables) => SqlText) => {
    const { rows } = await session.query<BadRow & RowIdentity>(check(tables), [datasetId])
    for (const { id, externalId, ...row } of rows) bad.push(row)
    if (skipInvalid) await stageBadRows(session, table, rows)
    return rows.length > 0
  }
  const removeOrphans = async () => {
    await resolveParents(session, tables, datasetId)
    return remove(checkParents)
  }
  await keep()
  await resolveExternalIds(session, table, datasetId)
  for (;;) {
    const keptBefore = keptCount
    for (const check of CHECKS) await remove(check)
    await keep()
    while (await removeOrphans()) await keep()
    if (await remove(checkCycles)) await keep()
    if (keptCount === keptBefore) break
  }
  return bad.sort((a, b) => a.file - b.file || a.line - b.line)
}
