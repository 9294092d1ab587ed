import { operationFailed } from '../errors/errors.ts'
import { columnCheck } from './column-mapping.ts'
import { type CodeLabel, codeLabel, type LabelFile, type LabelSource } from './field-schemas.ts'
import { readFile } from './formats/readers.ts'
import type { FieldsRow } from './formats/source.ts'
import { describeIssues, type FileProblem, ISSUE_OPTIONS, type Problem, ProblemList } from './problem.ts'

/**
 * Reads the labels of all sources.
 * @throws `OPERATION_FAILED` if a file can't be read or lacks a column, and with its bad rows: they name no item that could stay
 */
export async function readLabels(
  sources: readonly LabelSource[],
  onWarning?: (warning: FileProblem) => void,
): Promise<CodeLabel[]> {
  const labels: CodeLabel[] = []
  const bad = new ProblemList()
  for (const source of sources) {
    const { field } = source
    if ('labels' in source) labels.push(...source.labels.map((label) => ({ field, ...label })))
    else {
      for await (const row of labelsOf(source)) {
        if (!('reason' in row)) labels.push(row)
        else if (row.warns === undefined) bad.add({ file: source.name, ...row })
        else onWarning?.({ file: source.name, ...row })
      }
    }
  }
  if (bad.count > 0) throw operationFailed(bad.describe())
  return labels
}

async function* labelsOf(file: LabelFile): AsyncGenerator<CodeLabel | Problem> {
  const mapped = Object.values(file.columns)
  const remedy = 'name its columns in the manifest: { "file", "columns": { "code", "label" } }'
  const lackOf = (names: readonly string[]) => (mapped.every((name) => names.includes(name)) ? undefined : remedy)
  const check = columnCheck(file, { mapped, known: mapped, lackOf })
  const known = new Map<string, { label: string; line: number }>()
  for await (const row of readFile(file)) {
    check(row)
    if ('reason' in row) yield row
    else if ('fields' in row) {
      const label = toLabel(file, row, known)
      if (label) yield label
    }
  }
  check()
}

/** The label of a row; undefined if it is known. */
function toLabel(
  { field, columns }: LabelFile,
  { fields, line }: FieldsRow,
  known: Map<string, { label: string; line: number }>,
): CodeLabel | Problem | undefined {
  const cellOf = (column: string) => (fields[column] === '' ? undefined : fields[column])
  const parsed = codeLabel.safeParse({ code: cellOf(columns.code), label: cellOf(columns.label) }, ISSUE_OPTIONS)
  if (!parsed.success) return { line, reason: describeIssues(parsed.error).join('; ') }
  const { label } = parsed.data
  const code = parsed.data.code.trim()
  const first = known.get(code)
  if (first && first.label !== label) return { line, reason: `another label than on line ${first.line}`, value: code }
  if (!first) known.set(code, { label, line })
  return first ? undefined : { field, code, label }
}
