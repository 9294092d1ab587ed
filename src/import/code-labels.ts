import type { Label } from '../history/entries.ts'
import type { CodeLabel } from '../rows/field-schemas.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'

/** Makes the labels of a dataset equal to the given ones. Returns whether any changed. */
export async function mergeCodeLabels(
  session: SqlSession,
  datasetId: string,
  labels: readonly Label[],
): Promise<boolean> {
  const { rowCount } = await session.query(
    sql`WITH given AS (
       SELECT * FROM jsonb_to_recordset($2::jsonb) AS given (field text, code text, label text)
     ), removed AS (
       DELETE FROM code_labels AS c
        -- Hashed in each plan. For NOT EXISTS, PostgreSQL may compare each label with each one, if it has no statistics.
        WHERE dataset_id = $1 AND (c.field, c.code) NOT IN (SELECT field, code FROM given)
       RETURNING code
     ), written AS (
       INSERT INTO code_labels AS c (dataset_id, field, code, label)
       SELECT $1, field, code, label FROM given
           ON CONFLICT (dataset_id, field, code) DO UPDATE SET label = excluded.label WHERE c.label <> excluded.label
       RETURNING code
     )
     SELECT FROM removed UNION ALL SELECT FROM written`,
    [datasetId, JSON.stringify(labels)],
  )
  return rowCount !== null && rowCount > 0
}

/**
 * Warns of fields whose labels belong to no code of the staged items: their file may be another one, have other columns or codes.
 * @param table is the staging table
 */
export async function warnOfUnusedLabels(
  session: SqlSession,
  table: SqlText,
  labels: readonly CodeLabel[],
  warn: (reason: string) => void,
): Promise<void> {
  const { rows } = await session.query<{ field: string; label: string; code: string }>(
    sql`WITH given AS (
       SELECT field, code COLLATE "C" AS code FROM jsonb_to_recordset($1::jsonb) AS given (field text, code text)
     ), codes AS (
       SELECT 'administrativeAreaCode' AS field, administrative_area_code AS code FROM ${table}
        UNION ALL
       SELECT 'categoryCode', category_code FROM ${table}
     )
     SELECT field, (SELECT code FROM given AS g WHERE g.field = fields.field LIMIT 1) AS label,
            (SELECT code FROM codes AS c WHERE c.field = fields.field LIMIT 1) AS code
       FROM (SELECT DISTINCT field FROM given) AS fields
      WHERE EXISTS (SELECT FROM ${table})
        AND NOT EXISTS (SELECT FROM codes JOIN given USING (field, code) WHERE field = fields.field)`,
    [JSON.stringify(labels)],
  )
  for (const { field, label, code } of rows) {
    warn(`labels.${field} has labels for codes such as "${label}", and the items only have others, such as "${code}"`)
  }
}
