import { hash } from 'node:crypto'
import { type SqlSession, type SqlText, sql } from '../../sql.ts'
import { formatOf } from '../formats/readers.ts'
import type { SourceRow } from '../formats/source-row.ts'
import type { ItemFile } from '../manifest.ts'
import type { ComparedRow } from '../row/read-items.ts'
import { digestCode } from './last-import.ts'
import { hasChanged, MustReadAll, type Part } from './part-checks.ts'
import { goneOf, type Staged } from './staging.ts'

/*
 * The rows of the last import of each dataset, as hashes. If nothing has changed the dataset since, its items are as those rows made them.
 * So an import parses and compares only the other rows of its files: the same row, read by the same code, gives the same item. The id and
 * the parent of an item depend on other rows too (part-checks.ts).
 */

/**
 * Copies the rows of the last import into a temporary table, if nothing has changed the dataset since and they are those of all its items.
 * @returns the revision of the dataset; undefined if there are no such rows
 */
export async function copyImportedRows(
  session: SqlSession,
  table: SqlText,
  datasetId: string,
): Promise<string | undefined> {
  const { rows } = await session.query<{ revision: string }>(
    sql`SELECT revision FROM datasets AS d
      WHERE id = $1
        AND (SELECT n FROM item_counts AS c WHERE c.dataset_id = d.id AND list = 'all') =
            (SELECT sum(cardinality(hashes)) FROM imported_rows AS r WHERE r.dataset_id = d.id AND r.revision = d.revision)`,
    [datasetId],
  )
  const revision = rows[0]?.revision
  if (revision === undefined) return undefined
  const gone = goneOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${gone} (hash uuid, id uuid NOT NULL)`)
  await session.query(
    sql`INSERT INTO ${gone}
     SELECT imported.hash, imported.id FROM imported_rows CROSS JOIN unnest(hashes, item_ids) AS imported (hash, id)
      WHERE dataset_id = $1 AND revision = $2`,
    [datasetId, revision],
  )
  await session.query(sql`CREATE INDEX ON ${gone} (hash); ANALYZE ${gone}`)
  return revision
}

/** Returns the numbers, from 0, of the hashes that are not those of rows of the last import, or stand twice. */
type FindNewRows = (hashes: string[]) => Promise<Set<number>>

/** Returns a function that also deletes the rows it finds. */
export function findNewRows(session: SqlSession, table: SqlText): FindNewRows {
  const gone = goneOf(table)
  return async (hashes) => {
    // A join would read all rows of the last import for each batch, if they are less than some 300,000.
    const { rows } = await session.query<{ n: number }>(
      sql`WITH given AS MATERIALIZED (
         SELECT n, (SELECT ctid FROM ${gone} AS gone WHERE gone.hash = given.hash LIMIT 1) AS place
           FROM unnest($1::uuid[]) WITH ORDINALITY AS given (hash, n)
       ), found AS (
         DELETE FROM ${gone} AS gone WHERE ctid = ANY (ARRAY(SELECT place FROM given WHERE place IS NOT NULL))
       )
       SELECT (n - 1)::integer AS n FROM (SELECT n, place, row_number() OVER (PARTITION BY place ORDER BY n) AS nth FROM given) AS each
        WHERE place IS NULL OR nth > 1`,
      [hashes],
    )
    return new Set(rows.map(({ n }) => n))
  }
}

/** A batch of this many rows is looked up at once. */
const BATCH_ROWS = 1_000
/** A batch of long rows ends at this number of characters and columns. */
const BATCH_CHARACTERS = 250_000

/**
 * Yields the rows of a file with their hashes, and marks those that the last import had. Of equal rows it marks one.
 * @param find looks up the hashes; without it, no row is marked
 * @throws MustReadAll instead of an error of the file, because rows before it may have problems
 */
export async function* compareRows(
  file: ItemFile,
  rows: AsyncIterable<SourceRow>,
  find: FindNewRows | undefined,
): AsyncGenerator<ComparedRow> {
  const salt = await saltOf(file)
  if (!find) {
    for await (const row of rows) yield hashed(row, salt).row
    return
  }
  let batch: ComparedRow[] = []
  let size = 0
  // The database looks up a batch while the next one is read.
  let marked: Promise<ComparedRow[]> = Promise.resolve([])
  for await (const given of readOrBeginAgain(rows)) {
    const { row, length } = hashed(given, salt)
    batch.push(row)
    size += length
    if (batch.length < BATCH_ROWS && size < BATCH_CHARACTERS) continue
    const next = markImported(batch, find)
    // Awaited later; without this line, Node would report an unhandled rejection before that.
    next.catch(() => {})
    yield* await marked
    marked = next
    batch = []
    size = 0
  }
  yield* await marked
  yield* await markImported(batch, find)
}

async function* readOrBeginAgain(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
  try {
    yield* rows
  } catch {
    throw new MustReadAll()
  }
}

async function markImported(rows: ComparedRow[], find: FindNewRows): Promise<ComparedRow[]> {
  const known = rows.filter(({ hash }) => hash !== undefined)
  const isNew = await find(known.flatMap(({ hash }) => hash ?? []))
  for (const [n, row] of known.entries()) row.isImported = !isNew.has(n)
  return rows
}

/** A row with its hash, and its number of characters and columns. */
function hashed(row: SourceRow, salt: string): { row: ComparedRow; length: number } {
  if (!('fields' in row)) return { row, length: 0 }
  const { crs = null, fields, json = JSON.stringify(fields) } = row
  const length = json.length + Object.keys(fields).length
  return { row: { ...row, hash: hashOf(salt + JSON.stringify(crs) + json) }, length }
}

/** Half of a SHA-256, which fits a UUID. */
const hashOf = (text: string) => hash('sha256', text).slice(0, 32)

/** All that decides about the item of a row, beside the row. A file may have a new name each day. */
async function saltOf(file: ItemFile): Promise<string> {
  const { dialect, columns, isExact } = file
  const format = formatOf(file).ending.source
  return hashOf(JSON.stringify([await digestCode(), process.version, format, dialect, columns, isExact]))
}

/** A row of `imported_rows` has this number of hashes. */
const PART_ROWS = 10_000

/**
 * Stores the rows of an import, in its transaction and after all its changes. A row with a warning has the hash null, so that the next
 * import reads it again, and reports the warning.
 * @param part is given if rows of the last import are not staged. They stay, unless nothing has changed
 */
export async function storeImportedRows(load: Staged, part: Part | undefined): Promise<void> {
  const { session, table, datasetId } = load
  if (part && !(await hasChanged(load, part))) return
  // By id: another import may have stored other hashes of the same items.
  const kept = part
    ? sql`
    SELECT imported.hash, imported.id FROM old CROSS JOIN unnest(hashes, item_ids) AS imported (hash, id)
     WHERE dataset_id = $1 AND revision = $2 AND NOT EXISTS (SELECT FROM ${goneOf(table)} AS gone WHERE gone.id = imported.id)
     UNION ALL`
    : sql``
  await session.query(
    sql`WITH old AS (
       DELETE FROM imported_rows WHERE dataset_id = $1 OR dataset_id NOT IN (SELECT id FROM datasets)
       RETURNING dataset_id, revision, hashes, item_ids
     ), imported AS (
       ${kept}
       SELECT row_hash, id FROM ${table}
     ), numbered AS (
       SELECT hash, id, row_number() OVER () / ${PART_ROWS} AS part FROM imported AS imported (hash, id)
     )
     INSERT INTO imported_rows (dataset_id, revision, hashes, item_ids)
     SELECT $1, (SELECT revision FROM datasets WHERE id = $1), array_agg(hash), array_agg(id) FROM numbered GROUP BY part`,
    part ? [datasetId, part.revision] : [datasetId],
  )
}
