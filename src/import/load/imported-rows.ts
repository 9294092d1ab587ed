import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { SourceRow } from '../formats/source-row.ts'
import type { ItemFile } from '../manifest.ts'
import type { ComparedRow } from '../row/read-items.ts'
import { digestCode } from './last-import.ts'

/*
 * The rows of the last import of each dataset, as hashes. If nothing has changed the dataset since, its items are as those rows made them.
 * So an import parses and compares only the other rows of its files: the same row, read by the same code, gives the same item. The id and
 * the parent of an item depend on other rows too (part-checks.ts).
 */

/** The table of the rows of the last import, from which `compareRows` deletes those that it finds. Then it has the rows that are gone. */
export const goneOf = (table: string) => `${table}_gone`

/**
 * Copies the rows of the last import into a temporary table, if nothing has changed the dataset since.
 * @returns the revision of the dataset; undefined if there are no such rows
 */
export async function copyImportedRows(
  session: ClientBase,
  table: string,
  datasetId: string,
): Promise<string | undefined> {
  const { rows } = await session.query<{ revision: string }>(
    `SELECT revision FROM datasets AS d
      WHERE id = $1 AND EXISTS (SELECT FROM imported_rows AS r WHERE r.dataset_id = d.id AND r.revision = d.revision)`,
    [datasetId],
  )
  const revision = rows[0]?.revision
  if (revision === undefined) return undefined
  const gone = goneOf(table)
  await session.query(`CREATE TEMPORARY TABLE ${gone} (hash uuid NOT NULL, id uuid NOT NULL)`)
  await session.query(
    `INSERT INTO ${gone}
     SELECT imported.hash, imported.id FROM imported_rows CROSS JOIN unnest(hashes, item_ids) AS imported (hash, id)
      WHERE dataset_id = $1 AND revision = $2`,
    [datasetId, revision],
  )
  await session.query(`CREATE INDEX ON ${gone} (hash); ANALYZE ${gone}`)
  return revision
}

/** A batch of this many rows is looked up at once. */
const BATCH_ROWS = 1_000
/** A batch of long rows ends at this number of characters. */
const BATCH_CHARACTERS = 250_000

/**
 * Yields the rows of a file with their hashes. A row that stands twice is found once.
 * @param find returns the numbers of the hashes that the last import had not
 */
export async function* compareRows(
  file: ItemFile,
  rows: AsyncIterable<SourceRow>,
  find: FindNewRows | undefined,
): AsyncGenerator<ComparedRow> {
  const salt = await saltOf(file)
  let batch: ComparedRow[] = []
  let characters = 0
  // The database looks up a batch while the next one is read.
  let found: Promise<ComparedRow[]> = Promise.resolve([])
  const lookUp = (given: ComparedRow[]) => {
    const looked = find ? markImported(given, find) : Promise.resolve(given)
    // Awaited later; without this line, Node would report an unhandled rejection before that.
    looked.catch(() => {})
    return looked
  }
  for await (const row of rows) {
    const text = 'fields' in row ? JSON.stringify([row.crs, row.fields]) : ''
    batch.push(text === '' ? row : { ...row, hash: hashOf(salt + text) })
    characters += text.length
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue
    const next = lookUp(batch)
    yield* await found
    found = next
    batch = []
    characters = 0
  }
  const last = lookUp(batch)
  yield* await found
  yield* await last
}

type FindNewRows = (hashes: string[]) => Promise<Set<number>>

async function markImported(rows: ComparedRow[], find: FindNewRows): Promise<ComparedRow[]> {
  const hashed = rows.filter(({ hash }) => hash !== undefined)
  const isNew = await find(hashed.flatMap(({ hash }) => hash ?? []))
  for (const [n, row] of hashed.entries()) row.isImported = !isNew.has(n)
  return rows
}

/** Deletes hashes from the rows of the last import, and returns the numbers of those that it had not, from 0. */
export function findNewRows(session: ClientBase, table: string): FindNewRows {
  const gone = goneOf(table)
  return async (hashes) => {
    const { rows } = await session.query<{ n: number }>(
      `WITH given AS (SELECT hash, n FROM unnest($1::uuid[]) WITH ORDINALITY AS given (hash, n)),
            found AS (DELETE FROM ${gone} AS gone USING given WHERE gone.hash = given.hash RETURNING n)
       SELECT (n - 1)::integer AS n FROM given WHERE n NOT IN (SELECT n FROM found)`,
      [hashes],
    )
    return new Set(rows.map(({ n }) => n))
  }
}

/** Half of a SHA-256, which fits a UUID. */
const hashOf = (text: string) => hash('sha256', text).slice(0, 32)

/** All that decides about the item of a row, beside the row. */
async function saltOf({ path: _, ...file }: ItemFile): Promise<string> {
  return hashOf(JSON.stringify([await digestCode(), process.version, file]))
}

/** An element of `imported_rows` has this number of rows. */
const PART_ROWS = 10_000

/**
 * Stores the rows of an import, in its transaction and after all its changes. The next import reads a row with a warning again, to report
 * it: such a row has no hash, and gets one that no row has.
 * @param part has the revision of the last import if its rows are not staged
 */
export async function storeImportedRows(
  session: ClientBase,
  table: string,
  datasetId: string,
  part: { revision: string } | undefined,
): Promise<void> {
  // By id: another import may have stored other hashes of the same items.
  const kept = part
    ? `
    SELECT imported.hash, imported.id FROM old CROSS JOIN unnest(hashes, item_ids) AS imported (hash, id)
     WHERE dataset_id = $1 AND revision = $2 AND NOT EXISTS (SELECT FROM ${goneOf(table)} AS gone WHERE gone.id = imported.id)
     UNION ALL`
    : ''
  await session.query(
    `WITH old AS (
       DELETE FROM imported_rows WHERE dataset_id = $1 OR dataset_id NOT IN (SELECT id FROM datasets)
       RETURNING dataset_id, revision, hashes, item_ids
     ), imported AS (
       ${kept}
       SELECT coalesce(row_hash, gen_random_uuid()), id FROM ${table}
     ), numbered AS (
       SELECT hash, id, row_number() OVER () / ${PART_ROWS} AS part FROM imported AS imported (hash, id)
     )
     INSERT INTO imported_rows (dataset_id, revision, hashes, item_ids)
     SELECT $1, (SELECT revision FROM datasets WHERE id = $1), array_agg(hash), array_agg(id) FROM numbered GROUP BY part`,
    part ? [datasetId, part.revision] : [datasetId],
  )
}
