import { z } from 'zod'
import { operationFailed } from '../errors/errors.ts'
import type { Label } from '../history/entries.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { describeColumns } from './formats/columns.ts'
import type { SourceFile } from './formats/dialect.ts'
import { readRows } from './formats/readers.ts'
import type { Fields } from './formats/source-row.ts'
import { describeIssues, ISSUE_OPTIONS } from './issues.ts'
import { indexedText, MAX_INDEXED_LENGTH, text } from './row/field-schemas.ts'
import type { ImportProblem } from './row-problems.ts'

/** The fields of an item whose codes may have labels. */
export const LABELLED_FIELDS = ['administrativeAreaCode', 'categoryCode'] as const

/** A row of the table `code_labels`. */
export interface CodeLabel extends Label {
  field: (typeof LABELLED_FIELDS)[number]
}

/** The labels of a field: an object, or a file with the columns of the codes and the labels. */
export type LabelSource = Pick<CodeLabel, 'field'> &
  ({ labels: readonly Omit<CodeLabel, 'field'>[] } | (SourceFile & { columns: { code: string; label: string } }))

/** A code and its label. Labels have the maximum length of names. */
export const codeLabel = z.object({
  code: indexedText(MAX_INDEXED_LENGTH.code),
  label: text.refine((value) => value.length <= MAX_INDEXED_LENGTH.name, {
    error: `must be at most ${MAX_INDEXED_LENGTH.name} characters long`,
  }),
})

/** An error lists at most this number of rows. */
const LISTED = 100

/**
 * Reads the labels of all sources.
 * @throws `OPERATION_FAILED` with a line for each bad row, or if a file can't be read or lacks a column
 */
export async function readCodeLabels(
  sources: readonly LabelSource[],
  onWarning?: (warning: ImportProblem) => void,
): Promise<CodeLabel[]> {
  const lists = await Promise.all(sources.map((source) => readSource(source, onWarning)))
  return lists.flat()
}

async function readSource(source: LabelSource, onWarning?: (warning: ImportProblem) => void): Promise<CodeLabel[]> {
  const { field } = source
  if ('labels' in source) return source.labels.map((label) => ({ field, ...label }))
  const { name, columns } = source
  const labels = new Map<string, { label: string; line: number }>()
  const problems: string[] = []
  // A file of labels may have a header and no rows.
  const onHeader = (names: readonly string[]) => checkColumns(name, columns, names)
  let isFirst = true
  for await (const row of readRows(source, {
    onHeader,
    onWarning: (warning) => onWarning?.({ file: name, ...warning }),
  })) {
    if ('fields' in row && isFirst) checkColumns(name, columns, Object.keys(row.fields))
    isFirst = false
    const problem = 'problem' in row ? row.problem : addLabel(labels, columns, row)
    if (problem !== undefined && problems.length < LISTED) problems.push(`${name}:${row.line}: ${problem}`)
  }
  if (problems.length > 0) throw operationFailed(problems)
  return [...labels].map(([code, { label }]) => ({ field, code, label }))
}

function checkColumns(name: string, { code, label }: { code: string; label: string }, names: readonly string[]): void {
  const missing = [code, label].filter((column) => !names.includes(column))
  if (missing.length === 0) return
  const existing = describeColumns(names, [code, label])
  const remedy = 'name its columns in the manifest: { "file", "columns": { "code", "label" } }'
  throw operationFailed(`${name}: has no column ${missing.join(', ')}; ${existing}; ${remedy}`)
}

/** Adds the label of a row. Returns what is wrong with the row. */
function addLabel(
  labels: Map<string, { label: string; line: number }>,
  columns: { code: string; label: string },
  { fields, line }: { fields: Fields; line: number },
): string | undefined {
  const cellOf = (column: string) => (fields[column] === '' ? undefined : fields[column])
  const parsed = codeLabel.safeParse({ code: cellOf(columns.code), label: cellOf(columns.label) }, ISSUE_OPTIONS)
  if (!parsed.success) return describeIssues(parsed.error).join('; ')
  const { label } = parsed.data
  const code = parsed.data.code.trim()
  const known = labels.get(code)
  if (known && known.label !== label) return `the code ${code} has another label on line ${known.line}`
  if (!known) labels.set(code, { label, line })
  return undefined
}

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
