import { operationFailed } from '../../../errors/errors.ts'
import type { SourceFile } from '../dialect.ts'
import { MAX_ROW_LENGTH } from '../source-row.ts'
import { type Archive, localName, type Relation, readRelations } from './archive.ts'
import { builtInFormat, type NumberFormat, parseFormat } from './number-format.ts'

/** A sheet of cells. */
export interface Sheet {
  name: string
  part: string
  isVisible: boolean
}

/** The sheets of a spreadsheet, and what their cells refer to. */
export interface Workbook {
  sheets: readonly Sheet[]
  /** The texts of cells, which are stored once. */
  texts: readonly string[]
  /** How each style shows numbers. */
  styles: readonly NumberFormat[]
  /** Whether dates are counted from 1904, as old Macs do. */
  startsIn1904: boolean
  /** Whether formulas are to be calculated before the file is shown. Its writer may have stored 0 for all of them. */
  isUncalculated: boolean
}

/** @throws `OPERATION_FAILED` if the archive is no spreadsheet, or lacks a part */
export async function readWorkbook(archive: Archive, file: SourceFile): Promise<Workbook> {
  const document = (await readRelations(archive, '')).find(({ type }) => type === 'officeDocument')
  const relations = document ? await readRelations(archive, document.part) : []
  const workbook = { sheets: [] as Sheet[], startsIn1904: false, isUncalculated: false }
  const open = (element: string, attributes: Readonly<Record<string, string>>) => {
    if (element === 'workbookPr') workbook.startsIn1904 = isTrue(attributes.date1904)
    if (element === 'calcPr') workbook.isUncalculated = isTrue(attributes.fullCalcOnLoad)
    if (element === 'sheet') workbook.sheets.push(...toSheets(attributes, relations))
  }
  if (document) await archive.readWhole(document.part, { open })
  if (workbook.sheets.length === 0) throw operationFailed(`${file.name}: is not a spreadsheet in the format .xlsx`)
  const partOf = (wanted: string) => relations.find(({ type }) => type === wanted)?.part
  return {
    ...workbook,
    texts: await readTexts(archive, file, partOf('sharedStrings')),
    styles: await readStyles(archive, partOf('styles'), workbook.startsIn1904),
  }
}

const isTrue = (value: string | undefined) => value === '1' || value === 'true'

/** Returns the sheet of an element, unless it is a chart or a macro. Its part is empty if the archive does not name one. */
function toSheets(attributes: Readonly<Record<string, string>>, relations: readonly Relation[]): Sheet[] {
  // Most files call it r:id, but each may choose its own prefix.
  const [, id] = Object.entries(attributes).find(([name]) => localName(name) === 'id') ?? []
  const relation = relations.find((each) => each.id === id)
  if (relation && relation.type !== 'worksheet') return []
  const { name = '', state = 'visible' } = attributes
  return [{ name, part: relation?.part ?? '', isVisible: state === 'visible' }]
}

/** Returns a text without the escapes of characters that XML does not keep (ECMA-376, part 1, 22.9.2.19): `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The texts of all cells are in memory. An empty one takes some too. */
const MAX_CHARACTERS = 200_000_000
const EMPTY_CHARACTERS = 8

/** Reads the texts of cells. @throws `OPERATION_FAILED` if they are too long for the memory */
async function readTexts(archive: Archive, file: SourceFile, part: string | undefined): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let characters = 0
  let isText = false
  const open = (name: string) => {
    if (name === 'si') text = ''
    isText = name === 't'
  }
  const onText = (content: string) => {
    if (isText) text += content
    if (text.length > MAX_ROW_LENGTH) throw new Error(`a text is longer than ${MAX_ROW_LENGTH} characters`)
  }
  const close = (name: string) => {
    isText = false
    if (name !== 'si') return
    texts.push(unescapeText(text))
    characters += text.length + EMPTY_CHARACTERS
    if (characters <= MAX_CHARACTERS) return
    throw operationFailed(`${file.name}: has more than ${MAX_CHARACTERS} characters of text; save it as CSV in UTF-8`)
  }
  if (part !== undefined) await archive.readWhole(part, { open, text: onText, close }, Number.POSITIVE_INFINITY)
  return texts
}

/** Reads how each style shows numbers. */
async function readStyles(archive: Archive, part: string | undefined, startsIn1904: boolean): Promise<NumberFormat[]> {
  const codes = new Map<string, string>()
  const ids: string[] = []
  // Other lists have formats too, which cells do not use: those of conditions and tables give their numbers other codes.
  let list = ''
  const open = (name: string, { numFmtId = '0', formatCode = '' }: Readonly<Record<string, string>>) => {
    if (name === 'numFmts' || name === 'cellXfs') list = name
    if (name === 'numFmt' && list === 'numFmts') codes.set(numFmtId, formatCode)
    if (name === 'xf' && list === 'cellXfs') ids.push(numFmtId)
  }
  const close = (name: string) => {
    if (name === list) list = ''
  }
  if (part !== undefined) await archive.readWhole(part, { open, close })
  const formatOf = (id: string) => {
    const code = codes.get(id)
    return code === undefined ? builtInFormat(Number(id), startsIn1904) : parseFormat(code, startsIn1904)
  }
  // Many styles have the same format.
  const formats = new Map([...new Set(ids)].map((id) => [id, formatOf(id)]))
  return ids.flatMap((id) => formats.get(id) ?? [])
}
