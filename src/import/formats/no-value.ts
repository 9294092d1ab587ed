import { adviseEntry, type SourceFile } from './dialect.ts'
import type { Fields } from './source-row.ts'

/** What spreadsheets and databases write where there is no value, and the errors of spreadsheets in several languages. */
const NO_VALUE =
  /^(?:#?[Nn]\/[Aa]|#N\/D|#NV|[Nn]\.[Aa]\.|[Kk]\. ?[Aa]\.|NULL|null|\([Nn]ull\)|<[Nn]ull>|<NA>|NaN|nan|#[¡¿]?\p{Lu}[\p{Lu}/0]+[!?]|#{3,})$/u
/** A number without its last digits, as Excel writes telephone numbers. */
const CUT_NUMBER = /^[+-]?\d[.,]\d+E\+\d+$/
/** Longer texts are neither. */
const MAX_LENGTH = 20

/** Returns the texts in rows that probably stand for no value, with the column of the first and the number of rows that have one there. */
export function findNoValues(rows: readonly Fields[]): { texts: string[]; column: string; count: number } | undefined {
  const found = rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) => (isNoValue(value) ? { column, text: value.trim() } : [])),
  )
  const [first] = found
  if (!first) return undefined
  const { length: count } = found.filter(({ column }) => column === first.column)
  return { texts: [...new Set(found.map(({ text }) => text))], column: first.column, count }
}

function isNoValue(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && NO_VALUE.test(value.trim())
}

/** Returns a function that empties the cells of a row that have one of the texts. */
export function emptyCells(texts: readonly string[] | undefined): (fields: Fields) => Fields {
  if (!texts) return (fields) => fields
  const isEmpty = (value: unknown) => typeof value === 'string' && texts.includes(value.trim())
  return (fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isEmpty(value) ? '' : value]))
}

/** Returns a warning for each cell of a row whose text stands for no value or is a cut number. */
export function findDoubtfulTexts(file: SourceFile, fields: Fields): { reason: string; kind?: string }[] {
  return Object.entries(fields).flatMap(([column, value]) => {
    if (typeof value !== 'string' || value.length > MAX_LENGTH) return []
    const has = `the column ${column} has`
    if (isNoValue(value)) {
      const advice = adviseEntry(file, { empty: [...(file.dialect.empty ?? []), value.trim()] })
      return { reason: `${has} the text ${value.trim()}; if it means no value, ${advice}` }
    }
    if (!CUT_NUMBER.test(value)) return []
    const rest = 'cut by a spreadsheet program; export the column as text'
    return { reason: `${has} ${value}, a number ${rest}`, kind: `${has} numbers ${rest}` }
  })
}
