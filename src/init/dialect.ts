import { parse } from 'csv-parse/sync'
import { plainCoordinate } from '../rows/coordinate-text.ts'
import { CSV, findHint, mayBeTitle, SEPARATORS } from '../rows/formats/csv.ts'
import { decodes, findInAscii, findUnicode, inferEncoding, splitLines } from '../rows/formats/encodings.ts'
import { readBytes } from '../rows/formats/read-text.ts'
import { type Dialect, hasText, type SourceFile } from '../rows/formats/source.ts'
import { readTables } from '../rows/formats/xlsx/xlsx.ts'
import { type Choice, openChoice, toReading } from './choice.ts'
import { isAngleName } from './header-names.ts'
import type { Sample } from './sample.ts'

/** Bytes of a file that are read to find its encoding. A letter that tells two encodings apart may come late. */
const MAX_BYTES = 50_000_000
const TELLING_BYTES = 50_000
const START_BYTES = 100_000

/** Finds out how a file of text is written. Members with their default are left out. */
export async function detectDialect(
  file: SourceFile,
  hasSeparator: boolean,
): Promise<{ dialect: Dialect; choices: Choice[] }> {
  const { start, telling } = await readTelling(file)
  const unicode = findUnicode(start) ?? findInAscii(Buffer.from(start).toString('latin1'))
  const { encoding, readings } = unicode === undefined ? inferEncoding(telling) : { encoding: unicode, readings: [] }
  const text = decodeStart(start, encoding)
  const separated = hasSeparator ? inferDelimiter(text) : { delimiter: ',', choices: [] }
  const { delimiter } = separated
  const encodings = readings.map((each) => toReading(each.encoding, each.example, { encoding: each.encoding }))
  return {
    dialect: { ...(encoding !== 'utf-8' && { encoding }), ...(delimiter !== ',' && { delimiter }) },
    choices: [...openChoice('encoding', encodings), ...separated.choices],
  }
}

/** Reads the start of a file, and lines that are not ASCII: all with a byte that no line before has, and then the first others. */
async function readTelling(file: SourceFile): Promise<{ start: Uint8Array; telling: Uint8Array }> {
  let start: Uint8Array = new Uint8Array()
  const withNew: Uint8Array[] = []
  const others: Uint8Array[] = []
  const seen = new Set<number>()
  let bytesRead = 0
  let bytesTelling = 0
  for await (const bytes of wholeCharacters(readBytes(file, () => {}))) {
    if (start.length < START_BYTES) start = Buffer.concat([start, bytes])
    for (const line of splitLines(bytes)) {
      const beyond = line.filter((byte) => byte >= 0x80)
      if (beyond.length === 0) continue
      const isNew = beyond.some((byte) => !seen.has(byte))
      if (!isNew && bytesTelling >= TELLING_BYTES) continue
      for (const byte of beyond) seen.add(byte)
      ;(isNew ? withNew : others).push(line)
      bytesTelling += line.length
    }
    bytesRead += bytes.length
    if (bytesRead >= MAX_BYTES) break
  }
  return { start, telling: Buffer.concat([...withNew, ...others]) }
}

/** Bytes below this one, such as commas and line feeds, are part of no longer character in any encoding but UTF-16. */
const FIRST_TRAIL_BYTE = 0x30

/** Yields bytes in parts that end after a character, in lines of any length. */
async function* wholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    const end = chunk.findLastIndex((byte) => byte < FIRST_TRAIL_BYTE) + 1
    if (end > 0) yield Buffer.concat([pending, chunk.subarray(0, end)])
    pending = end > 0 ? chunk.subarray(end) : Buffer.concat([pending, chunk])
    if (pending.length < START_BYTES) continue
    yield pending
    pending = new Uint8Array()
  }
  yield pending
}

/** The lines at the start of a file, without the last one, which may be cut. */
function decodeStart(start: Uint8Array, encoding: string): string {
  const text = decodes(start, encoding) ?? ''
  return start.length < START_BYTES ? text : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
}

const ROWS = 50
/** Nearly all rows have as many cells as the header, if the separator is right. */
const REGULAR = 0.8

/** Finds the separator that gives the most columns, with the same number in nearly all rows. A hint in the file proves it. */
function inferDelimiter(start: string): { delimiter: string; choices: Choice[] } {
  const { hint } = findHint(start)
  if (hint !== undefined) return { delimiter: hint, choices: [] }
  const found = SEPARATORS.map((each) => ({ ...each, header: regularHeader(start, each.separator) }))
    .filter(({ header }) => header.length > 1)
    .sort((one, other) => other.header.length - one.header.length)
  const readings = found.map(({ separator, name, header }) => {
    const example = `${header.length} columns, the first is ${JSON.stringify(header[0])}`
    return toReading(name, example, { delimiter: separator })
  })
  return { delimiter: found[0]?.separator ?? ',', choices: openChoice('delimiter', readings) }
}

/** The header, if nearly all rows have as many cells; else none. */
function regularHeader(text: string, delimiter: string): readonly string[] {
  // The end of the text can cut a quoted cell.
  const rows = parse(text, { ...CSV, delimiter, to: ROWS, skip_empty_lines: true, skip_records_with_error: true })
  const start = rows.findIndex((row) => !mayBeTitle(row, delimiter))
  const table = rows.slice(start).filter((row) => row.some(hasText))
  const header = rows[start] ?? []
  return table.filter((row) => row.length === header.length).length >= REGULAR * table.length ? header : []
}

/** Finds the sheet with the table in a spreadsheet. It is left out if it is read by default and no other has a table. */
export async function detectSheet(file: SourceFile): Promise<{ dialect: Dialect; choices: Choice[] }> {
  const tables = await readTables(file)
  const [first] = tables
  const readings = tables.map(({ name: sheet, example }) =>
    toReading(JSON.stringify(sheet), `its table begins with ${example}`, { sheet }),
  )
  const isDefault = !first || (first.isDefault && tables.length === 1)
  return { dialect: isDefault ? {} : { sheet: first.name }, choices: openChoice('sheet', readings) }
}

const LARGEST_LONGITUDE = 180

/** Texts in which a sign stands before exactly three digits each time, with at most three before the first. */
const GROUPS = {
  ',': /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/,
  '.': /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$/,
}

/** Finds the decimal sign of numbers in the given columns. It is undefined if it is a point, as by default. */
export function findDecimal(
  sample: Sample,
  columns: readonly string[],
): { decimal: Dialect['decimal']; choices: Choice[] } {
  const texts = columns.flatMap((column) => sample.texts(column)).filter((text) => /^[+-]?\d[\d.,]*$/.test(text))
  const groups = (sign: ',' | '.') => texts.filter((text) => GROUPS[sign].test(text))
  // A sign that stands in the texts, and only between groups of three digits.
  const grouped = (['.', ','] as const).filter((sign) => {
    const having = texts.filter((text) => text.includes(sign))
    return having.length > 0 && having.every((text) => GROUPS[sign].test(text))
  })
  const [sign] = grouped.length === 1 ? grouped : []
  const areDegrees = columns.some(isAngleName)
  // Two of them, or both signs, can't be decimal signs.
  if (sign !== undefined && groups(sign).some((text) => /[.,].*[.,]/.test(text)))
    return { decimal: sign === '.' ? ',' : undefined, choices: [] }
  // Three decimals are usual in degrees, and three digits after a point are no question there.
  if (sign !== undefined && !(sign === '.' && areDegrees)) {
    const areSmall = texts.every((text) => Math.abs(Number(text)) <= LARGEST_LONGITUDE)
    const decimal = (sign === ',' ? areDegrees : !areSmall) ? ',' : '.'
    const [text = ''] = groups(sign)
    const signs = decimal === ',' ? ([',', '.'] as const) : (['.', ','] as const)
    return {
      decimal,
      choices: openChoice(
        'decimal',
        signs.map((each) => readingWith(each, text)),
      ),
    }
  }
  const having = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length
  const haveCommas = having(/^[+-]?\d[\d.]*,\d+$/) > having(/^[+-]?\d+\.\d+$/)
  return { decimal: haveCommas ? ',' : undefined, choices: [] }
}

function readingWith(decimal: ',' | '.', text: string) {
  const number = plainCoordinate(text, { field: 'latitude', decimal, areMetres: true })
  return toReading(decimal === ',' ? 'a comma' : 'a point', `${text} is ${number}`, { decimal })
}
