import { operationFailed } from '../../errors/errors.ts'

/**
 * Returns the names of the columns in a header. A column without a name, which Excel likes to add, is called by its number.
 * @throws `OPERATION_FAILED` if two columns have the same name
 */
export function nameColumns(header: readonly string[], place: string): string[] {
  const names = header.map((name, index) => (name.trim() === '' ? `column ${index + 1}` : name))
  // A set, because a header can have a million columns.
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.size === seen.add(name).size)
  if (repeated === undefined) return names
  throw operationFailed(`${place}: the header has the column "${repeated}" twice; rename one of the two in the file`)
}

/** A message lists at most this number of columns. */
const LISTED = 50

/**
 * Lists the columns of a file. If none is expected, the file may be any file that somebody has given the name of a table, and its first
 * line may be a secret. So it is not shown.
 */
export function describeColumns(existing: readonly string[], expected: readonly string[]): string {
  if (!existing.some((column) => expected.includes(column))) {
    return `the file has ${existing.length === 1 ? '1 column' : `${existing.length} columns`}, none of them expected; look at its first line`
  }
  return `the file has the columns ${existing.slice(0, LISTED).join(', ')}${existing.length > LISTED ? ', ...' : ''}`
}
