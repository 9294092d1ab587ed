import { operationFailed } from '../errors.ts'
import { describeColumns } from './formats/columns.ts'
import { formatOf, readRows } from './formats/readers.ts'
import type { ItemFile } from './manifest.ts'
import { mappedColumns } from './row/column-mapping.ts'
import { ROW_FIELDS } from './row/parse-item.ts'

const REQUIRED = ['name', 'administrativeAreaCode', 'categoryCode', 'latitude', 'longitude']

/**
 * Checks the columns of all files that have a header, before the rows are read.
 * @param skipInvalid reports a required field without a column for each row, as any other bad row
 * @throws `OPERATION_FAILED` with a line for each file that lacks columns
 */
export async function checkColumns(files: readonly ItemFile[], skipInvalid: boolean): Promise<void> {
  const lines: string[] = []
  for (const file of files) {
    const existing = await readColumns(file)
    if (existing) lines.push(...findMissing(file, existing, skipInvalid))
  }
  if (lines.length > 0) throw operationFailed(lines)
}

/** The names in the header; undefined in a file without one, or if no row fits it: then the rows say more of what is wrong. */
async function readColumns(file: ItemFile): Promise<readonly string[] | undefined> {
  if (!formatOf(file).hasHeader) return undefined
  let header: readonly string[] | undefined
  const onHeader = (names: readonly string[]) => {
    header = names
  }
  let hasRows = false
  for await (const row of readRows(file, { onHeader })) {
    if ('fields' in row) return header
    hasRows = true
  }
  return hasRows ? undefined : header
}

function findMissing({ name, columns }: ItemFile, existing: readonly string[], skipInvalid: boolean): string[] {
  const missing = columns ? mappedColumns(columns).filter((column) => !existing.includes(column)) : []
  const given = columns ? Object.keys(columns) : existing
  const fields = skipInvalid ? [] : REQUIRED.filter((field) => !given.includes(field))
  if (!skipInvalid && !given.includes('id') && !given.includes('externalId')) fields.push('externalId (or id)')
  if (missing.length + fields.length === 0) return []
  const reasons = [
    ...(missing.length > 0 ? [`has no column ${missing.join(', ')}`] : []),
    ...(fields.length > 0 ? [`${columns ? 'no column is mapped to' : 'has no column for'} ${fields.join(', ')}`] : []),
    describeColumns(existing, columns ? mappedColumns(columns) : ROW_FIELDS),
  ]
  return [`${name}: ${reasons.join('; ')}`]
}
