import { columnName } from '../catalog/columns.ts'
import { datasetDocument, readStoredColumns } from '../history/columns.ts'
import { type DatasetChanges, type Difference, findDifferences, readItemChanges } from '../history/item-changes.ts'
import type { CodeLabel } from '../rows/field-schemas.ts'
import type { ManifestDataset } from '../rows/manifest.ts'
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
  const columns = await readStoredColumns(session)
  const { rows } = await session.query<{ document: object; labels: unknown }>(
    sql`SELECT ${datasetDocument(columns)} AS document,
            (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.field, l.code), '[]')
               FROM jsonb_populate_recordset(NULL::code_labels, $2) AS l) AS labels
       FROM datasets AS d WHERE id = $1`,
    [datasetId, JSON.stringify(labels.map((label) => ({ ...label, dataset_id: datasetId })))],
  )
  const given = Object.entries(dataset).filter(([, value]) => value !== undefined)
  const after = Object.fromEntries(given.map(([field, value]) => [columnName(field), value]))
  const [row] = rows
  return row ? withoutEqualTimes(findDifferences(row.document, { ...after, labels: row.labels })) : {}
}

/** A timestamp has other digits in the manifest than in the database. */
function withoutEqualTimes(differences: Record<string, Difference>): Record<string, Difference> {
  const timeOf = (value: unknown) => Date.parse(String(value))
  return Object.fromEntries(
    Object.entries(differences).filter(
      ([name, { before, after }]) => !/At$/.test(name) || timeOf(before) !== timeOf(after),
    ),
  )
}
