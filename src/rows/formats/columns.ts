import { operationFailed } from '../../errors/errors.ts'

/**
 * Returns the names of the columns in a header. A column without a name, which Excel likes to add, is called by its number. Spaces around a name are none of it.
 * @throws `OPERATION_FAILED` if two columns have the same name
 */
export function nameColumns(header: readonly string[], place: string): string[] {
  const names = header.map((name, index) => name.trim() || `column ${index + 1}`)
  // A set, because a header can have a million columns.
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.size === seen.add(name).size)
  if (repeated === undefined) return names
  throw operationFailed(`${place}: the header has the column "${repeated}" twice; rename one of the two in the file`)
}
