import type { Problem } from '../problem.ts'
import { adviseEntry, type Fields, type FieldsRow, type SourceFile } from './source.ts'

/** What spreadsheets and databases write where there is no value, and the errors of spreadsheets in several languages. */
const NO_VALUE =
  /^(?:#?[Nn]\/[Aa]|#N\/D|#NV|[Nn]\.[Aa]\.|[Kk]\. ?[Aa]\.|NULL|null|None|\([Nn]ull\)|<[Nn]ull>|<NA>|NaN|nan|#[¡¿]?\p{Lu}[\p{Lu}/0]+[!?]|#{3,}|Err:\d{3}|\\N|[Nn]\/[Dd]|[Kk]eine Angaben?|[Nn]ão informado|[Nn]on renseignée?|-{1,3}|—|없음|해당 ?없음|미상|정보 ?없음|無し|なし|不明|未定|該当なし|無|无|暂无)$/u
/** A number that a spreadsheet shows with an exponent, and so perhaps without its last digits, as Excel writes telephone numbers. */
const CUT_NUMBER = /^[+-]?\d(?:[.,]\d+)?E\+(?:0[89]|[1-9]\d)$/
/** An apostrophe keeps digits a text in a spreadsheet, and is none of the text there. */
const APOSTROPHE = /^'\d+$/
/** The first characters of these texts, and spaces. Most cells need no more than a look at theirs. */
const FIRST_CHARACTERS = new Set("#NnKk(<E\\'없해미정無な不未該无暂—+-0123456789 \t\n\u00a0\u3000")
/** Longer texts are none of them. */
const MAX_LENGTH = 24

/** Returns the texts in rows that probably stand for no value, with the column of the first and the number of rows that have one there. */
export function findNoValues(rows: readonly Fields[]): { texts: string[]; column: string; count: number } | undefined {
  const found = rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' && describeText(value) === MEANS_NONE ? { column, text: value.trim() } : [],
    ),
  )
  const [first] = found
  if (!first) return undefined
  const { length: count } = found.filter(({ column }) => column === first.column)
  return { texts: [...new Set(found.map(({ text }) => text))], column: first.column, count }
}

/** Returns a function that empties the cells of a row that have one of the texts. */
export function emptyCells(texts: readonly string[] | undefined): (fields: Fields) => Fields {
  if (!texts) return (fields) => fields
  const isEmpty = (value: unknown) => typeof value === 'string' && texts.includes(value.trim())
  return (fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isEmpty(value) ? '' : value]))
}

/** Characters as HTML and JSON write them. */
const CODES =
  /&(?:#\d{2,6}|#x[0-9a-f]{2,5}|amp|lt|gt|quot|apos|nbsp|[nm]dash|[lr][sd]quo|[a-z]{1,2}(?:acute|grave|circ|uml|tilde|cedil|ring|lig|slash));|\\u[0-9a-f]{4}/i
/** What stands for letters that an encoding did not have. */
const LOST = /\ufffd|^[\s?]*\?\?[\s?]*$/
/** Most texts have none of these. */
const MARKS = /[&\\?\ufffd]/
const CODED = 'characters that are written as codes; if so, get the column as text'

const MEANS_NONE = 'no value'
const CUT = 'a number that a spreadsheet has perhaps cut; if so, get the column as text'

/** Says what a text may be that is not what it looks like; undefined for others. */
function describeText(value: string): string | undefined {
  if (MARKS.test(value)) {
    if (CODES.test(value)) return CODED
    if (LOST.test(value)) return 'characters that were lost; get the column anew'
  }
  if (value.length > MAX_LENGTH || !FIRST_CHARACTERS.has(value.charAt(0))) return undefined
  const text = value.trim()
  if (NO_VALUE.test(text)) return MEANS_NONE
  if (text.at(-4) === 'E' && CUT_NUMBER.test(text)) return CUT
  return APOSTROPHE.test(text) ? 'an apostrophe that a spreadsheet would hide; if so, remove it' : undefined
}

/** A spreadsheet keeps 15 digits of a number, so the last ones of a longer one are 0. */
const CUT_DIGITS = /^\d{15,20}$/

/** Returns warnings of the texts in these columns of a row that may stand for no value, or for another one. */
export function findDoubts(file: SourceFile, columns: readonly string[], { line, fields }: FieldsRow): Problem[] {
  const doubts: Problem[] = []
  for (const column of columns) {
    const value = fields[column]
    const isCut = typeof value === 'number' && value >= 1e15 && CUT_DIGITS.test(String(value))
    const what = typeof value === 'string' ? describeText(value) : isCut ? CUT : undefined
    if (what === undefined) continue
    const text = String(value).trim()
    const empty = { empty: [...(file.dialect.empty ?? []), text] }
    if (what === MEANS_NONE) {
      const reason = `the column ${column} has the text ${text}; if it means no value, ${adviseEntry(file, empty)}`
      doubts.push({ line, reason, warns: 'doubt' })
    } else doubts.push({ line, reason: `the column ${column} has ${what}`, value: text, warns: 'doubt' })
  }
  return doubts
}
