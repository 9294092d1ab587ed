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

/** The parts of a spreadsheet, which are XML in a ZIP archive. */
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
      throw operationFailed(`${file.name}: can't be read as a spreadsheet: ${messageOf(error)}`, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#zip.close()
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /**
   * Reads a part, and yields after each piece of it, so that the caller can pass on what the handlers have collected. A part that is not
   * there has no elements.
   * @throws `OPERATION_FAILED` if the part is not XML, or has an element that is too long
   */
  async *read(name: string, { open, text, close }: XmlHandlers): AsyncGenerator<void> {
    const entry = this.#entries.get(name)
    if (!entry) return
    const parser = new SaxesParser()
    let unused = 0
    let isPronunciation = false
    const onText = (content: string) => {
      if (!isPronunciation) text?.(content)
    }
    parser.on('opentag', (tag) => {
      unused = 0
      const name = localName(tag.name)
      isPronunciation ||= name === PRONUNCIATION
      if (!isPronunciation) open?.(name, tag.attributes)
    })
    parser.on('text', onText)
    parser.on('cdata', onText)
    parser.on('closetag', (tag) => {
      unused = 0
      const name = localName(tag.name)
      if (!isPronunciation) close?.(name)
      if (name === PRONUNCIATION) isPronunciation = false
    })
    try {
      for await (const chunk of await this.#chunks(entry)) {
        unused += chunk.length
        if (unused > MAX_ROW_LENGTH) throw new Error(`an element is longer than ${MAX_ROW_LENGTH} characters`)
        parser.write(chunk)
        yield
      }
      parser.close()
    } catch (error) {
      throw operationFailed(`${this.#file.name}: can't be read as a spreadsheet: ${messageOf(error)}`, error)
    }
  }

  async #chunks(entry: yauzl.Entry): Promise<AsyncIterable<string>> {
    const stream = await new Promise<Readable>((resolve, reject) =>
      this.#zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    return stream.setEncoding('utf8')
  }
}

function listEntries(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>()
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      entries.set(entry.fileName, entry)
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
