import { isObject, jsonReason, parseExactJson } from '../../json.ts'

/** The values of a row by their names in the file: the columns of a CSV file, or the members of a JSON object. */
export type Fields = Record<string, unknown>

/**
 * A row of a file, or the reason why it can't be read. `line` is the line that the row starts on. `crs` is the reference system of
 * its coordinates, if the file says so itself. `numbers` has those that a spreadsheet shows as a code, such as 2139 for `02139`.
 */
export type SourceRow = { line: number; placeOf?: FindPlace | undefined } & (
  | { fields: Fields; numbers?: Fields; crs?: string }
  | { problem: string; kind?: string }
)

/** Gets what is read beside the rows. */
export interface RowObserver {
  /** The number of bytes of each part of the file, before unpacking. */
  onBytes: (count: number) => void
  /** The names in the header, before the first row; also of a file without rows. */
  onHeader: (names: readonly string[]) => void
  /** What may be wrong with the file, and the line where. */
  onWarning: (warning: { line: number; reason: string; kind?: string }) => void
}

/** Where columns of a row stand, for rows that a line does not find: cells of a sheet, or the number of a feature. */
type FindPlace = (columns: readonly string[]) => string

/** Maximum length of a row in characters. Memory holds a whole row. */
export const MAX_ROW_LENGTH = 10_000_000

/** Parses a row that is a JSON object. Returns a row with a problem for any other text. */
export function parseJsonRow(line: number, json: string): SourceRow {
  try {
    const value = parseExactJson(json)
    return isObject(value) ? { line, fields: value } : { line, problem: 'must be a JSON object' }
  } catch (error) {
    if (error instanceof SyntaxError) return { line, problem: `is not JSON: ${jsonReason(error)}`, kind: 'is not JSON' }
    throw error
  }
}

/** Whether a cell or a member has a value that is not blank. */
export function hasText(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null
}
