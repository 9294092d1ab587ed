import { operationFailed } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import { hasColumn, mappedColumns, withNested } from './column-mapping.ts'
import { describeColumns } from './formats/columns.ts'
import { formatOf, readRows } from './formats/readers.ts'
import type { Fields } from './formats/source-row.ts'
import type { ItemFile } from './manifest.ts'
import { ROW_FIELDS } from './parse-item.ts'

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

/** A message needs no more names. */
const MAX_NAMES = 1_000

function findMissing(file: ItemFile, existing: readonly string[], skipInvalid: boolean): string[] {
  const { columns } = file
  const missing = columns ? mappedColumns(columns).filter((column) => !existing.includes(column)) : []
  const given = columns ? Object.keys(columns) : existing
  const fields = skipInvalid ? [] : REQUIRED.filter((field) => !given.includes(field))
  if (!skipInvalid && !given.includes('id') && !given.includes('externalId')) fields.push('externalId (or id)')
  return missing.length + fields.length === 0 ? [] : [describeMissing(file, existing, missing, fields)]
}

function describeMissing(
  { name, columns }: ItemFile,
  existing: readonly string[],
  missing: readonly string[],
  fields: readonly string[],
): string {
  const expected = columns ? mappedColumns(columns) : ROW_FIELDS
  // Otherwise it may be any file, and its first line a secret.
  const isKnown = existing.some((column) => expected.includes(column))
  const listed = isKnown ? existing.slice(0, MAX_NAMES) : []
  // Of two that are equally near, the one that no field has is likelier.
  const known = [...listed].sort((one, other) => Number(expected.includes(one)) - Number(expected.includes(other)))
  const named = missing.map((column) => {
    const alike = findLookAlike(column, listed)
    if (alike !== undefined) return `${column} (the file has it ${alike}: write the name as in the file)`
    const nearest = nearestName(column, known)
    return nearest === undefined ? column : `${column} (did you mean ${nearest}?)`
  })
  const reasons = [
    ...(missing.length > 0 ? [`has no column ${named.join(', ')}`] : []),
    ...(fields.length > 0
      ? [
          `${columns ? 'no column is mapped to' : 'has no column for'} ${fields.map((field) => withLookAlike(field, columns ? [] : existing)).join(', ')}`,
        ]
      : []),
    describeColumns(existing, expected),
  ]
  return `${name}: ${reasons.join('; ')}`
}

function withLookAlike(field: string, existing: readonly string[]): string {
  const alike = findLookAlike(field, existing)
  return alike === undefined ? field : `${field} (the file has it ${alike}: remove that)`
}

/**
 * Watches which of the mapped columns the rows of a file have.
 * @returns what to call with each row, and at the end of the file. The latter throws `OPERATION_FAILED` if no row has a mapped column
 */
export function watchColumns(file: ItemFile): { see: (row: Fields) => void; end: () => void } {
  const missing = new Set(file.columns ? mappedColumns(file.columns) : [])
  const names = new Set<string>()
  return {
    see: (row) => {
      for (const column of missing) if (hasColumn(row, column)) missing.delete(column)
      if (missing.size > 0 && names.size < MAX_NAMES) for (const name of Object.keys(withNested(row))) names.add(name)
    },
    end: () => {
      if (missing.size > 0 && names.size > 0) throw operationFailed(describeMissing(file, [...names], [...missing], []))
    },
  }
}

/** Characters that have no width, and spaces that are not that of ASCII. */
const INVISIBLE = /[\p{Cf}\p{Cc}\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu

/** Says how a name in a file differs from another one that looks the same: `with U+FEFF`; undefined if none looks the same. */
function findLookAlike(name: string, existing: readonly string[]): string | undefined {
  const found = existing.find((each) => each !== name && visible(each) === visible(name))
  if (found === undefined) return undefined
  if (unseen(found) !== '') return `with ${unseen(found)}`
  return unseen(name) !== '' ? `without ${unseen(name)}` : 'with other codes of the same letters (NFC or NFD)'
}

/** The invisible characters of a name. */
function unseen(name: string): string {
  const codes = [...name.matchAll(INVISIBLE)].map(([character]) => codeOf(character))
  return codes.length > 0 ? codes.join(', ') : name.trim() === name ? '' : 'spaces around it'
}

function visible(name: string): string {
  return name.replace(INVISIBLE, '').normalize('NFC').trim()
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
