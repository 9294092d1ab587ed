import { datasetDocument, readStoredColumns } from '../history/columns.ts'
import { type DatasetChanges, type Difference, findDifferences, readItemChanges } from '../history/item-changes.ts'
import type { CodeLabel } from '../rows/field-schemas.ts'
import { columnsOf, type ManifestDataset } from '../rows/manifest.ts'
import { columnList, sql } from '../sql.ts'
import { changesOf, STORED_IMAGES } from './merge.ts'
import { MERGED_COLUMN_NAMES, type Staged } from './staging.ts'

const storedDocument = sql`(SELECT to_jsonb(r) FROM (SELECT ${columnList(MERGED_COLUMN_NAMES, sql`i`)}) AS r)
  || jsonb_build_object('images', ${STORED_IMAGES})`

/** A row need not give timestamps. */
const stagedDocument = sql`(SELECT to_jsonb(r)
     - CASE WHEN s.created_at IS NULL THEN 'created_at' ELSE '' END - CASE WHEN s.updated_at IS NULL THEN 'updated_at' ELSE '' END
     FROM (SELECT ${columnList(MERGED_COLUMN_NAMES, sql`s`)}) AS r) || jsonb_build_object('images', s.images)`

interface Plan extends Staged {
  dataset: ManifestDataset
  labels: readonly CodeLabel[]
}

/** Returns what the merge changes, after `planItems`: at most `limit` items of each kind, or all. */
export async function readPlannedChanges(plan: Plan, limit?: number): Promise<DatasetChanges> {
  const dataset = await planDataset(plan)
  if (limit === 0) return { dataset, items: [] }
  const { session, table } = plan
  const changed = sql`
    SELECT c.change, c.id, CASE WHEN i.id IS NOT NULL THEN ${storedDocument} END AS before,
           CASE WHEN s.id IS NOT NULL THEN ${stagedDocument} END AS after
      FROM ${changesOf(table)} AS c LEFT JOIN ${table} AS s USING (id) LEFT JOIN items AS i USING (id)`
  return { dataset, items: await readItemChanges(session, changed, [limit ?? null]) }
}

/** Only labels and members that the manifest gives can differ. */
async function planDataset({ session, datasetId, dataset, labels }: Plan): Promise<Record<string, Difference>> {
  const { rows } = await session.query<{ before: object; after: object }>(
    sql`SELECT ${datasetDocument(await readStoredColumns(session))} AS before,
            to_jsonb(jsonb_populate_record(d, $2)) || jsonb_build_object('labels',
              (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.field, l.code), '[]')
                 FROM jsonb_populate_recordset(NULL::code_labels, $3) AS l)) AS after
       FROM datasets AS d WHERE id = $1`,
    [
      datasetId,
      JSON.stringify(columnsOf(dataset)),
      JSON.stringify(labels.map((label) => ({ ...label, dataset_id: datasetId }))),
    ],
  )
  return rows[0] ? findDifferences(rows[0].before, rows[0].after) : {}
}
