import { adviseEntry, type SourceFile } from './dialect.ts'
import type { Fields } from './source-row.ts'

/** What spreadsheets and databases write where there is no value, and the errors of spreadsheets in several languages. */
const NO_VALUE =
  /^(?:#?[Nn]\/[Aa]|#N\/D|#NV|[Nn]\.[Aa]\.|[Kk]\. ?[Aa]\.|NULL|null|\([Nn]ull\)|<[Nn]ull>|<NA>|NaN|nan|#[¡¿]?\p{Lu}[\p{Lu}/0]+[!?]|#{3,})$/u
/** The first characters of these texts, and spaces. Most cells need no more than a look at theirs. */
const FIRST_CHARACTERS = new Set('#NnKk(< \t\n\u00a0\u3000')
/** A number of nine digits or more that perhaps lost the last ones, as Excel writes telephone numbers. */
const CUT_NUMBER = /^[+-]?\d[.,]\d+E\+(?:0[89]|[1-9]\d)$/
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
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return false
  return FIRST_CHARACTERS.has(value.charAt(0)) && NO_VALUE.test(value.trim())
}

/** Returns a function that empties the cells of a row that have one of the texts. */
export function emptyCells(texts: readonly string[] | undefined): (fields: Fields) => Fields {
  if (!texts) return (fields) => fields
  const isEmpty = (value: unknown) => typeof value === 'string' && texts.includes(value.trim())
  return (fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isEmpty(value) ? '' : value]))
}

/** A warning that may be wrong. */
interface Guess {
  reason: string
  kind?: string
  isGuess: true
}

/** Returns a warning for each of these columns of a row whose text may stand for no value or be a cut number. */
export function findDoubtfulTexts(file: SourceFile, columns: readonly string[], fields: Fields): Guess[] {
  const found: Guess[] = []
  for (const column of columns) {
    const value = fields[column]
    if (isNoValue(value)) found.push(describeNoValue(file, column, value.trim()))
    else if (isCutNumber(value)) found.push(describeCutNumber(column, value))
  }
  return found
}

function isCutNumber(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && value.at(-4) === 'E' && CUT_NUMBER.test(value)
}

function describeNoValue(file: SourceFile, column: string, text: string): Guess {
  const advice = adviseEntry(file, { empty: [...(file.dialect.empty ?? []), text] })
  return { reason: `the column ${column} has the text ${text}; if it means no value, ${advice}`, isGuess: true }
}

function describeCutNumber(column: string, text: string): Guess {
  const has = `the column ${column} has`
  const rest = 'perhaps cut by a spreadsheet program; if so, export the column as text'
  return { reason: `${has} ${text}, a number ${rest}`, kind: `${has} numbers ${rest}`, isGuess: true }
}
