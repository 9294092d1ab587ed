import { operationFailed } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import { hasColumn, withNested } from './column-mapping.ts'
import { SEPARATORS } from './formats/csv.ts'
import { adviseEntry, type SourceFile } from './formats/dialect.ts'
import type { Fields } from './formats/source-row.ts'

/** A message needs no more names. */
const MAX_NAMES = 1_000
/** A message lists at most this number of columns. */
const LISTED = 50

/** What the columns of a file must be. */
interface Expected {
  /** The columns that a manifest names. */
  mapped: readonly string[]
  /** Names by which any data is recognized. Names of a file that has none of them may be secrets, and are not shown. */
  known: readonly string[]
  /** Says which fields have no column among some names; undefined if all have one. */
  lackOf: (names: readonly string[]) => string | undefined
}

/** Checks that a file has the columns that its entry in the manifest names: by its header, or else by all of its rows. */
export class ColumnCheck {
  readonly #file: SourceFile
  readonly #expected: Expected
  readonly #missing: Set<string>
  readonly #names = new Set<string>()
  #header: readonly string[] | undefined
  /** Says which fields have no column. Each row lacks them. */
  lack: string | undefined

  constructor(file: SourceFile, expected: Expected) {
    this.#file = file
    this.#expected = expected
    this.#missing = new Set(expected.mapped)
  }

  addHeader(columns: readonly string[]): void {
    this.#header = columns
  }

  /** @throws `OPERATION_FAILED` if the header lacks columns. If no row fits it, the rows say more of what is wrong. */
  addRow(row: Fields): void {
    if (this.#header) this.#checkHeader()
    if (this.#missing.size === 0) return
    for (const column of this.#missing) if (hasColumn(row, column)) this.#missing.delete(column)
    if (this.#missing.size > 0 && this.#names.size < MAX_NAMES)
      for (const name of Object.keys(withNested(row))) this.#names.add(name)
  }

  /** Ends the file. @throws `OPERATION_FAILED` if no row has a mapped column, or a header without rows lacks columns */
  end(hasRows: boolean): void {
    if (this.#header && !hasRows) this.#checkHeader()
    if (this.#missing.size > 0 && this.#names.size > 0) {
      throw operationFailed(`${this.#file.name}: ${this.#describeLack([...this.#names], [...this.#missing])}`)
    }
  }

  #checkHeader(): void {
    const names = new Set(this.#header)
    const missing = this.#expected.mapped.filter((column) => !names.has(column))
    const lack = this.#expected.lackOf([...names])
    if (missing.length > 0)
      throw operationFailed(`${this.#file.name}: ${this.#describeLack([...names], missing, lack)}`)
    this.lack = lack && this.#describeLack([...names], missing, lack)
    this.#header = undefined
    this.#missing.clear()
  }

  #describeLack(existing: readonly string[], missing: readonly string[], lack?: string): string {
    const { mapped, known } = this.#expected
    const isKnown = existing.some((column) => known.includes(column))
    const listed = isKnown ? existing.slice(0, MAX_NAMES) : []
    // Of two that are equally near, the one that no field has is likelier.
    const likely = [...listed].sort((one, other) => Number(mapped.includes(one)) - Number(mapped.includes(other)))
    const named = missing.map((column) => {
      const nearest = nearestName(column, likely)
      return nearest === undefined ? column : `${column} (did you mean ${nearest}?)`
    })
    const lacks = missing.length > 0 ? [`has no column ${named.join(', ')}`] : []
    const reasons = [...lacks, lack ?? [], this.#describe(existing, isKnown)].flat()
    return reasons.join('; ')
  }

  #describe(existing: readonly string[], isKnown: boolean): string {
    if (isKnown) {
      return `the file has the columns ${existing.slice(0, LISTED).join(', ')}${existing.length > LISTED ? ', ...' : ''}`
    }
    const [only = ''] = existing
    const separator = SEPARATORS.find((each) =>
      only.split(each.separator).some((name) => this.#expected.known.includes(name.trim())),
    )
    if (existing.length === 1 && separator) {
      const advice = adviseEntry(this.#file, { delimiter: separator.separator })
      return `its columns are separated by ${separator.name}; ${advice}`
    }
    return `the file has ${existing.length === 1 ? '1 column' : `${existing.length} columns`}, none of them expected; look at its first line`
  }
}
