import { z } from 'zod'
import { operationFailed } from '../errors/errors.ts'
import { indexedText, MAX_INDEXED_LENGTH, text } from './field-schemas.ts'
import { describeColumns } from './formats/columns.ts'
import type { SourceFile } from './formats/dialect.ts'
import { readRows } from './formats/readers.ts'
import type { Fields } from './formats/source-row.ts'
import { describeIssues, ISSUE_OPTIONS } from './issues.ts'
import type { ImportProblem } from './row-problems.ts'

/** The fields of an item whose codes may have labels. */
export const LABELLED_FIELDS = ['administrativeAreaCode', 'categoryCode'] as const

/** A row of the table `code_labels`. */
export interface CodeLabel {
  field: (typeof LABELLED_FIELDS)[number]
  code: string
  label: string
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
