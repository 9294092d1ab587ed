import { posix } from 'node:path'
import { SaxesParser } from 'saxes'
import yauzl from 'yauzl'
import { MAX_ROW_LENGTH } from '../source-row.ts'

/** The attributes of an element by their names. */
type Attributes = Readonly<Record<string, string>>

/** What reads the elements of a part. Names of elements have no prefix. */
interface XmlHandlers {
  open?: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** The element with the pronunciation of a Japanese text, which is no part of the text. No handler sees it. */
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
   * Reads a part, and yields after each piece of it, so that the caller can pass on what the handlers have collected.
   * @throws an error if the part is not there or not XML, or has an element that is too long
   */
  async *read(name: string, { open, text, close }: XmlHandlers): AsyncGenerator<void> {
    const parser = new SaxesParser()
    let unused = 0
    let depth = 0
    let isPronunciation = false
    const onText = (content: string) => {
      if (!isPronunciation) text?.(content)
    }
    parser.on('opentag', (tag) => {
      unused = 0
      depth += 1
      if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} elements are in each other`)
      const name = localName(tag.name)
      isPronunciation ||= name === PRONUNCIATION
      if (!isPronunciation) open?.(name, tag.attributes)
    })
    parser.on('text', onText)
    parser.on('cdata', onText)
    parser.on('closetag', (tag) => {
      unused = 0
      depth -= 1
      const name = localName(tag.name)
      if (!isPronunciation) close?.(name)
      if (name === PRONUNCIATION) isPronunciation = false
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
  async readWhole(name: string, handlers: XmlHandlers, maxBytes = MAX_WHOLE_BYTES): Promise<void> {
    const size = this.#entry(name)?.uncompressedSize ?? 0
    if (size > maxBytes) throw new Error(`${name} is longer than ${maxBytes} bytes`)
    for await (const _ of this.read(name, handlers));
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

/** Returns the name of an element or attribute without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** What a part says about another one: its name in the archive, and what it is, such as `worksheet`. */
export interface Relation {
  id: string
  type: string
  part: string
}

/** Returns the relations of a part, or those of the archive itself for the empty name (ECMA-376, part 2, 9). */
export async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const relations: Relation[] = []
  const { dir, base } = posix.parse(part)
  const name = posix.join(dir, '_rels', `${base}.rels`)
  if (!archive.has(name)) return []
  await archive.readWhole(name, {
    open: (element, { Id, Type = '', Target, TargetMode }) => {
      if (element !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return
      // The first part of a type says whether the file is strict or transitional.
      const type = Type.slice(Type.lastIndexOf('/') + 1)
      // Some programs of Windows write the separator of its folders.
      relations.push({ id: Id, type, part: posix.resolve('/', dir, Target.replaceAll('\\', '/')).slice(1) })
    },
  })
  return relations
}
