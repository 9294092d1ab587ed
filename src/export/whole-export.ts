import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isUniqueViolation } from '../database/client.ts'
import { inTransaction } from '../database/transaction.ts'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { columnList, quoteName, type SqlSession, sql } from '../sql.ts'

/*
 * A folder with a whole catalog: a bundle of each dataset, the heads of the history and, if they were asked for, the keys.
 */

/** The files of the folder. Bundles are in `datasets/SLUG`. */
export const CATALOG_FILES = { catalog: 'catalog.json', history: 'history.ndjson', keys: 'keys.ndjson' } as const

/** The manifest of a dataset's bundle in the folder. */
export const bundleOf = (folder: string, slug: string) => join(folder, 'datasets', slug)

const catalogFile = z.strictObject({
  version: z.literal(1, 'is of a newer version of this program'),
  datasets: z.array(z.string()),
  hasKeys: z.boolean(),
})

export type CatalogFile = z.output<typeof catalogFile>

/** Reads what a folder has. @throws `OPERATION_FAILED` if it is no folder of `catalog export --all` */
export async function readCatalogFile(folder: string): Promise<CatalogFile> {
  const path = join(folder, CATALOG_FILES.catalog)
  const manifest = join(folder, 'manifest.json')
  if (!existsSync(path) && existsSync(manifest))
    throw operationFailed(`${folder} is a bundle of one dataset: npx catalog import ${quoteForShell(manifest)}`)
  try {
    return catalogFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error)
    throw operationFailed(`${path} can't be read; is this a folder of catalog export --all? ${reason}`, error)
  }
}

/** SQL for the lines of each file. The tables of keys are in the order in which they can be written again. */
export const CATALOG_LINES = {
  history: sql`SELECT (to_jsonb(e) - ARRAY['can_undo', 'revision', 'dataset_before', 'dataset_after', 'columns'])::text AS line
    FROM history_entries AS e ORDER BY id`,
  keys: sql`
    SELECT line FROM (
      SELECT 1 AS n, id::text AS key, jsonb_build_object('table', 'api_keys', 'row', to_jsonb(k))::text AS line FROM api_keys AS k
       UNION ALL
      SELECT 2, api_key_id || ' ' || dataset_id, jsonb_build_object('table', 'grants', 'row', to_jsonb(g))::text FROM grants AS g
       UNION ALL
      SELECT 3, hash::text, jsonb_build_object('table', 'retired_secrets', 'row', to_jsonb(s))::text FROM retired_secrets AS s
    ) AS lines ORDER BY n, key`,
} as const

const historyLine = z.looseObject({ id: z.number(), dataset_id: z.string(), undone_id: z.number().nullable() })

/** Adds the heads of the history, without what an undo needs. A dataset that has a history here keeps its own. */
export async function importHistory(session: SqlSession, folder: string): Promise<void> {
  const entries = await readLines(join(folder, CATALOG_FILES.history), historyLine)
  await inTransaction(session, async () => {
    const { rows } = await session.query<{ id: string }>(sql`SELECT DISTINCT dataset_id AS id FROM history_entries`)
    const known = new Set(rows.map(({ id }) => id))
    const newIds = new Map<number, string>()
    for (const { id, undone_id, ...entry } of entries.filter(({ dataset_id }) => !known.has(dataset_id))) {
      const head = { ...entry, undone_id: undone_id === null ? null : (newIds.get(undone_id) ?? null) }
      const { rows: added } = await session.query<{ id: string }>(
        sql`INSERT INTO history_entries
                (dataset_id, slug, at, action, command, files, undone_id, created, updated, removed, can_undo)
         SELECT dataset_id, slug, at, action, command, files, undone_id, created, updated, removed, false
           FROM jsonb_populate_record(NULL::history_entries, $1::jsonb) RETURNING id`,
        [JSON.stringify(head)],
      )
      newIds.set(id, added[0]?.id ?? '')
    }
  })
}

const keyLine = z.discriminatedUnion('table', [
  z.strictObject({ table: z.literal('api_keys'), row: z.looseObject({ id: z.string() }) }),
  z.strictObject({
    table: z.literal('grants'),
    row: z.looseObject({ api_key_id: z.string(), dataset_id: z.string() }),
  }),
  z.strictObject({ table: z.literal('retired_secrets'), row: z.looseObject({ api_key_id: z.string() }) }),
])

type KeyLine = z.output<typeof keyLine>

/** Numbers of keys. */
interface ImportedKeys {
  added: number
  /** Keys that were there already. They stay as they are. */
  present: number
}

/**
 * Adds the keys that the database lacks, with their grants and old secrets. All or none.
 * @throws `OPERATION_FAILED` if another key has the same secret
 */
export async function importKeys(session: SqlSession, folder: string): Promise<ImportedKeys> {
  const lines = await readLines(join(folder, CATALOG_FILES.keys), keyLine)
  return inTransaction(session, async () => {
    const { rows } = await session.query<{ id: string }>(sql`SELECT id FROM api_keys`)
    const present = new Set(rows.map(({ id }) => id))
    const { rows: datasets } = await session.query<{ id: string }>(sql`SELECT id FROM datasets`)
    const existing = new Set(datasets.map(({ id }) => id))
    const counts = { added: 0, present: 0 }
    for (const line of lines) {
      const keyId = line.table === 'api_keys' ? line.row.id : line.row.api_key_id
      const isPresent = present.has(keyId)
      if (line.table === 'api_keys') counts[isPresent ? 'present' : 'added'] += 1
      if (isPresent || (line.table === 'grants' && !existing.has(line.row.dataset_id))) continue
      await insertRow(session, line).catch(explainTakenSecret(line.table, keyId))
    }
    return counts
  })
}

function explainTakenSecret(table: KeyLine['table'], keyId: string): (error: unknown) => never {
  return (error) => {
    const isSecret = table !== 'grants' && isUniqueViolation(error)
    throw isSecret ? operationFailed(`The key ${keyId} has the secret of another key; no key was added`, error) : error
  }
}

/** Columns that the row lacks get their defaults. */
async function insertRow(session: SqlSession, { table, row }: KeyLine): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    sql`SELECT attname AS name FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attname = ANY ($2)`,
    [table, Object.keys(row)],
  )
  const [into, columns] = [quoteName(table), columnList(rows.map(({ name }) => name))]
  await session.query(
    sql`INSERT INTO ${into} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${into}, $1::jsonb)`,
    [JSON.stringify(row)],
  )
}

async function readLines<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
    return lines.map((line) => schema.parse(JSON.parse(line)))
  } catch (error) {
    throw operationFailed(`${path} can't be read: ${messageOf(error)}`, error)
  }
}
