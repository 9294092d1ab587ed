import { posix } from 'node:path'
import { SaxesParser } from 'saxes'
import yauzl from 'yauzl'
import { operationFailed } from '../../../errors/errors.ts'
import { MAX_ROW_LENGTH, type SourceFile } from '../source.ts'
import { builtInFormat, type NumberFormat, parseFormat } from './number-format.ts'

type Attributes = Readonly<Record<string, string>>

/** Receives each element of a part when it ends, with its text, if it has no elements in it. Names of elements have no prefix. */
type ElementListener = (name: string, attributes: Attributes, text: string, parent: string | undefined) => void

/** The element with the pronunciation of a Japanese text, which is no part of the text. */
const PRONUNCIATION = 'rPh'

/** The parser remembers the elements that are open. A spreadsheet has few. */
const MAX_DEPTH = 100

/** What is kept of a part as a whole is in memory. */
const MAX_WHOLE_BYTES = 100_000_000

/** The parts of a spreadsheet, which are XML in a ZIP archive (ECMA-376, part 2). Case makes no difference in their names. */
export class Archive implements AsyncDisposable {
  readonly #zip: yauzl.ZipFile
  readonly #entries = new Map<string, yauzl.Entry>()

  private constructor(zip: yauzl.ZipFile) {
    this.#zip = zip
  }

  /** @throws an error if the file can't be read, or is no ZIP archive */
  static async open(path: string): Promise<Archive> {
    const archive = new Archive(await yauzl.openPromise(path, { autoClose: false }))
    for await (const entry of archive.#zip.eachEntry()) archive.#entries.set(entry.fileName.toLowerCase(), entry)
    return archive
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#zip.close()
  }

  has(name: string): boolean {
    return this.#entry(name) !== undefined
  }

  /** Whether a part has a text anywhere, in its markup too. Much quicker than parsing it. */
  async includes(name: string, text: string): Promise<boolean> {
    let end = ''
    for await (const chunk of this.#chunks(name)) {
      if ((end + chunk).includes(text)) return true
      end = chunk.slice(-text.length)
    }
    return false
  }

  /**
   * Reads a part, and yields after each piece of it, so that the caller can pass on what the listener has collected.
   * @throws an error if the part is not there or not XML, or has an element that is too long
   */
  async *read(name: string, onElement: ElementListener): AsyncGenerator<void> {
    const parser = new SaxesParser()
    const open: { name: string; attributes: Attributes; text: string }[] = []
    let unused = 0
    const onText = (content: string) => {
      const element = open.at(-1)
      if (element) element.text += content
    }
    parser.on('opentag', ({ name, attributes }) => {
      unused = 0
      const parent = open.at(-1)
      if (parent) parent.text = ''
      const depth = open.push({ name: localName(name), attributes, text: '' })
      if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} elements are in each other`)
    })
    parser.on('text', onText)
    parser.on('cdata', onText)
    parser.on('closetag', () => {
      unused = 0
      const element = open.pop()
      const parent = open.at(-1)?.name
      if (element && parent !== PRONUNCIATION) onElement(element.name, element.attributes, element.text, parent)
    })
    for await (const chunk of this.#chunks(name)) {
      unused += chunk.length
      if (unused > MAX_ROW_LENGTH) throw new Error(`an element is longer than ${MAX_ROW_LENGTH} characters`)
      parser.write(chunk)
      yield
    }
    parser.close()
  }

  /** Reads all of a part. @throws an error as `read`, and if the part is longer than `maxBytes` */
  async readWhole(name: string, onElement: ElementListener, maxBytes = MAX_WHOLE_BYTES): Promise<void> {
    const size = this.#entry(name)?.uncompressedSize ?? 0
    if (size > maxBytes) throw new Error(`${name} is longer than ${maxBytes} bytes`)
    for await (const _ of this.read(name, onElement));
  }

  #entry(name: string): yauzl.Entry | undefined {
    return this.#entries.get(name.toLowerCase())
  }

  async *#chunks(name: string): AsyncGenerator<string> {
    const entry = this.#entry(name)
    if (!entry) throw new Error(`it lacks its part ${name}; save it again`)
    const stream = await this.#zip.openReadStreamPromise(entry)
    yield* stream.setEncoding('utf8')
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** What a part says about another one: its name in the archive, and what it is, such as `worksheet`. */
interface Relation {
  id: string
  type: string
  part: string
}

/** Returns the relations of a part, or those of the archive itself for the empty name (ECMA-376, part 2, 9). */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const relations: Relation[] = []
  const { dir, base } = posix.parse(part)
  const name = posix.join(dir, '_rels', `${base}.rels`)
  if (!archive.has(name)) return []
  await archive.readWhole(name, (element, { Id, Type = '', Target, TargetMode }) => {
    if (element !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return
    // The first part of a type says whether the file is strict or transitional.
    const type = Type.slice(Type.lastIndexOf('/') + 1)
    // Some programs of Windows write the separator of its folders.
    relations.push({ id: Id, type, part: posix.resolve('/', dir, Target.replaceAll('\\', '/')).slice(1) })
  })
  return relations
}

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
  const onElement = (element: string, attributes: Attributes) => {
    if (element === 'workbookPr') workbook.startsIn1904 = isTrue(attributes.date1904)
    if (element === 'calcPr') workbook.isUncalculated = isTrue(attributes.fullCalcOnLoad)
    if (element === 'sheet') workbook.sheets.push(...toSheets(attributes, relations))
  }
  if (document) await archive.readWhole(document.part, onElement)
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
function toSheets(attributes: Attributes, relations: readonly Relation[]): Sheet[] {
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
  const onElement: ElementListener = (name, _, content) => {
    if (name === 't') text += content
    if (text.length > MAX_ROW_LENGTH) throw new Error(`a text is longer than ${MAX_ROW_LENGTH} characters`)
    if (name !== 'si') return
    texts.push(unescapeText(text))
    characters += text.length + EMPTY_CHARACTERS
    text = ''
    if (characters <= MAX_CHARACTERS) return
    throw operationFailed(`${file.name}: has more than ${MAX_CHARACTERS} characters of text; save it as CSV in UTF-8`)
  }
  if (part !== undefined) await archive.readWhole(part, onElement, Number.POSITIVE_INFINITY)
  return texts
}

async function readStyles(archive: Archive, part: string | undefined, startsIn1904: boolean): Promise<NumberFormat[]> {
  const codes = new Map<string, string>()
  const ids: string[] = []
  // Other lists have formats too, which cells do not use: those of conditions and tables give their numbers other codes.
  const onElement: ElementListener = (name, { numFmtId = '0', formatCode = '' }, _, list) => {
    if (name === 'numFmt' && list === 'numFmts') codes.set(numFmtId, formatCode)
    if (name === 'xf' && list === 'cellXfs') ids.push(numFmtId)
  }
  if (part !== undefined) await archive.readWhole(part, onElement)
  const formatOf = (id: string) => {
    const code = codes.get(id)
    return code === undefined ? builtInFormat(Number(id), startsIn1904) : parseFormat(code, startsIn1904)
  }
  // Many styles have the same format.
  const formats = new Map([...new Set(ids)].map((id) => [id, formatOf(id)]))
  return ids.flatMap((id) => formats.get(id) ?? [])
}
