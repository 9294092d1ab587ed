import { posix } from 'node:path'
import { operationFailed } from '../../../errors.ts'
import type { SourceFile } from '../dialect.ts'
import { type Archive, localName } from './archive.ts'
import { kindOfFormat, type NumberKind } from './number-format.ts'

/** What the cells of a sheet refer to. */
export interface Workbook {
  /** The texts of cells, which are stored once. */
  texts: readonly string[]
  /** How the numbers of each style are shown. */
  styles: readonly NumberKind[]
  /** Whether dates are counted from 1904, as old Macs do. */
  startsIn1904: boolean
}

/** The texts of all cells are in memory. */
const MAX_CHARACTERS = 200_000_000

/** Returns a text without the escapes of characters that XML does not keep (ECMA-376, part 1, 22.9.2.19): `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** A sheet: its name, the name of its part, and how its dates are counted. */
interface FoundSheet extends Pick<Workbook, 'startsIn1904'> {
  name: string
  part: string
}

/**
 * Returns the sheet that the manifest names, or the first one.
 * @throws `OPERATION_FAILED` if there is none
 */
export async function findSheet(archive: Archive, file: SourceFile): Promise<FoundSheet> {
  const sheets: { name: string; relation: string | undefined }[] = []
  let startsIn1904 = false
  const open = (element: string, attributes: Readonly<Record<string, string>>) => {
    if (element === 'workbookPr') startsIn1904 = attributes.date1904 === '1' || attributes.date1904 === 'true'
    if (element !== 'sheet') return
    // Most files call it r:id, but each may choose its own prefix.
    const [, relation] = Object.entries(attributes).find(([name]) => localName(name) === 'id') ?? []
    sheets.push({ name: attributes.name ?? '', relation })
  }
  await readAll(archive.read('xl/workbook.xml', { open }))
  const { sheet } = file.dialect
  const found = sheet === undefined ? sheets[0] : sheets.find(({ name }) => name === sheet)
  if (!found) {
    const names = sheets.map(({ name }) => JSON.stringify(name)).join(', ')
    if (sheets.length === 0) throw operationFailed(`${file.name}: is not a spreadsheet in the format .xlsx`)
    throw operationFailed(`${file.name}: has no sheet ${JSON.stringify(sheet)}; its sheets are ${names}`)
  }
  const part = found.relation && (await readTargets(archive)).get(found.relation)
  // Without its rows, an import would remove all items.
  if (!part || !archive.has(part))
    throw operationFailed(`${file.name}: lacks the rows of its sheet ${JSON.stringify(found.name)}; save it again`)
  return { name: found.name, part, startsIn1904 }
}

async function readTargets(archive: Archive): Promise<Map<string, string>> {
  const targets = new Map<string, string>()
  const open = (element: string, { Id, Target }: Readonly<Record<string, string>>) => {
    if (element !== 'Relationship' || Id === undefined || Target === undefined) return
    targets.set(Id, Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target))
  }
  await readAll(archive.read('xl/_rels/workbook.xml.rels', { open }))
  return targets
}

/** Reads the texts of cells. @throws `OPERATION_FAILED` if they are too long for the memory */
export async function readTexts(archive: Archive, file: SourceFile): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let characters = 0
  let isText = false
  const part = archive.read('xl/sharedStrings.xml', {
    open: (name) => {
      if (name === 'si') text = ''
      isText = name === 't'
    },
    text: (content) => {
      if (isText) text += content
    },
    close: (name) => {
      isText = false
      if (name !== 'si') return
      texts.push(unescapeText(text))
      characters += text.length
    },
  })
  for await (const _ of part) {
    if (characters > MAX_CHARACTERS) {
      throw operationFailed(`${file.name}: has more than ${MAX_CHARACTERS} characters of text; save it as CSV in UTF-8`)
    }
  }
  return texts
}

/** Reads how the numbers of each style are shown. */
export async function readStyles(archive: Archive): Promise<NumberKind[]> {
  const formats = new Map<string, string>()
  const ids: string[] = []
  // Other lists have formats too, which cells do not use: those of conditions and tables give their numbers other codes.
  let list = ''
  const part = archive.read('xl/styles.xml', {
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (name === 'numFmts' || name === 'cellXfs') list = name
      if (name === 'numFmt' && list === 'numFmts') formats.set(numFmtId, formatCode)
      if (name === 'xf' && list === 'cellXfs') ids.push(numFmtId)
    },
    close: (name) => {
      if (name === list) list = ''
    },
  })
  await readAll(part)
  return ids.map((id) => kindOfFormat(Number(id), formats.get(id)))
}

async function readAll(part: AsyncIterable<void>): Promise<void> {
  for await (const _ of part);
}
