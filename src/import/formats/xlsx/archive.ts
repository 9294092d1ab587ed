import type { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import yauzl from 'yauzl'
import { messageOf, operationFailed } from '../../../errors.ts'
import type { SourceFile } from '../dialect.ts'
import { MAX_ROW_LENGTH } from '../source-row.ts'

/** What reads the elements of a part. Names of elements have no prefix. */
interface XmlHandlers {
  open?: (name: string, attributes: Readonly<Record<string, string>>) => void
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
  readonly #file: SourceFile
  readonly #zip: yauzl.ZipFile
  readonly #entries: ReadonlyMap<string, yauzl.Entry>

  private constructor(file: SourceFile, zip: yauzl.ZipFile, entries: ReadonlyMap<string, yauzl.Entry>) {
    this.#file = file
    this.#zip = zip
    this.#entries = entries
  }

  /** @throws `OPERATION_FAILED` if the file can't be read, or is no ZIP archive */
  static async open(file: SourceFile): Promise<Archive> {
    try {
      const zip = await new Promise<yauzl.ZipFile>((resolve, reject) =>
        yauzl.open(file.path, { lazyEntries: true, autoClose: false }, (error, opened) =>
          error ? reject(error) : resolve(opened),
        ),
      )
      return new Archive(file, zip, await listEntries(zip))
    } catch (error) {
      throw unreadable(file, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#zip.close()
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name))
  }

  /**
   * Whether a part has a text anywhere, in its markup too. Much quicker than parsing it.
   * @throws `OPERATION_FAILED` if the part can't be read
   */
  async includes(name: string, text: string): Promise<boolean> {
    let end = ''
    try {
      for await (const chunk of this.#chunks(name)) {
        if ((end + chunk).includes(text)) return true
        end = chunk.slice(-text.length)
      }
    } catch (error) {
      throw unreadable(this.#file, error)
    }
    return false
  }

  /**
   * Reads a part, and yields after each piece of it, so that the caller can pass on what the handlers have collected.
   * @throws `OPERATION_FAILED` if the part is not there or not XML, or has an element that is too long
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
    try {
      for await (const chunk of this.#chunks(name)) {
        unused += chunk.length
        if (unused > MAX_ROW_LENGTH) throw new Error(`an element is longer than ${MAX_ROW_LENGTH} characters`)
        parser.write(chunk)
        yield
      }
      parser.close()
    } catch (error) {
      throw unreadable(this.#file, error)
    }
  }

  /** Reads all of a part. @throws `OPERATION_FAILED` as `read`, and if the part is too long for the memory */
  async readWhole(name: string, handlers: XmlHandlers): Promise<void> {
    const size = this.#entries.get(keyOf(name))?.uncompressedSize ?? 0
    if (size > MAX_WHOLE_BYTES) throw unreadable(this.#file, `${name} is longer than ${MAX_WHOLE_BYTES} bytes`)
    for await (const _ of this.read(name, handlers));
  }

  async *#chunks(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(keyOf(name))
    if (!entry) throw new Error(`it lacks its part ${name}; save it again`)
    const stream = await new Promise<Readable>((resolve, reject) =>
      this.#zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    yield* stream.setEncoding('utf8')
  }
}

function unreadable({ name }: SourceFile, error: unknown): Error {
  return operationFailed(`${name}: can't be read as a spreadsheet: ${messageOf(error)}`, error)
}

const keyOf = (name: string) => name.toLowerCase()

function listEntries(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>()
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      entries.set(keyOf(entry.fileName), entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })
}

/** Returns the name of an element or attribute without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
