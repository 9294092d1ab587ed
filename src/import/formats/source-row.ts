import { parseExactJson } from '../exact-json.ts'

/** The values of a row by the names that the file gives them: the columns of a CSV file, the members of a JSON object. */
export type Fields = Record<string, unknown>

/** A row of a file, or the reason why it can't be read. `line` is the line that the row starts on. */
export type SourceRow = { line: number } & ({ fields: Fields } | { problem: string })

/** A longer row is refused, in characters, because a row is held in memory. */
export const MAX_ROW_LENGTH = 10_000_000

/** Parses a row that is a JSON object. */
export function parseJsonRow(line: number, json: string): SourceRow {
  try {
    const value = parseExactJson(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)) {
      return { line, fields: { ...value } }
    }
    return { line, problem: 'must be a JSON object' }
  } catch (error) {
    if (error instanceof SyntaxError) return { line, problem: `is not JSON: ${error.message}` }
    throw error
  }
}
