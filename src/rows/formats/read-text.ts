import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PassThrough, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { messageOf, operationFailed } from '../../errors/errors.ts'
import { quoteForShell } from '../../errors/quote-for-shell.ts'
import {
  type Decoder,
  decoderOf,
  findInAscii,
  findUnicode,
  InvalidText,
  inferEncoding,
  isEncoding,
  isSameEncoding,
  isSurelyUtf8,
  isUnicode,
  isValid,
  splitLines,
} from './encodings.ts'
import { describeMissing, findSignature } from './signatures.ts'
import { adviseEntry, type SourceFile } from './source.ts'

const DEFAULT_ENCODING = 'utf-8'

const isGzip = ({ path }: SourceFile) => /\.gz$/i.test(path)

/**
 * Yields the text of a file in chunks. Unpacks `.gz`, and drops a byte order mark.
 * @param onBytes receives the number of bytes of each chunk from the file, before unpacking
 * @throws `OPERATION_FAILED` if the file can't be read, is cut short, is no text, or has another encoding than the manifest says
 */
export async function* readText(file: SourceFile, onBytes: (count: number) => void): AsyncGenerator<string> {
  let decoder: Decoder | undefined
  let line = 1
  let before: Uint8Array = new Uint8Array()
  let last: Uint8Array = new Uint8Array()
  try {
    for await (const bytes of readBytes(file, onBytes)) {
      decoder ??= startDecoder(file, bytes)
      before = last
      last = bytes
      const text = decoder(bytes)
      const inAscii = file.dialect.encoding === undefined ? findInAscii(text) : undefined
      if (inAscii !== undefined) throw otherEncoding(file, inAscii)
      line += countLines(text)
      if (text !== '') yield text
    }
    const rest = decoder?.() ?? ''
    if (rest !== '') yield rest
  } catch (error) {
    if (error instanceof InvalidText)
      throw invalidText(file, Buffer.concat([before, last]), line - (splitLines(before).length - 1))
    throw error
  }
}

/** Yields the bytes of a file, unpacked. @throws `OPERATION_FAILED` if it can't be read or is cut short */
export async function* readBytes(file: SourceFile, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  await requireRegularFile(file)
  const source = createReadStream(file.path)
  source.on('data', (chunk) => onBytes(chunk.length))
  // An error closes all of them, so the loop throws it.
  const bytes = pipeline(source, isGzip(file) ? createGunzip() : new PassThrough(), () => {})
  try {
    yield* bytes
  } catch (error) {
    throw operationFailed(`${file.name}: can't be read: ${messageOf(error)}${packingRemedy(file, error)}`, error)
  }
}

function packingRemedy({ name }: SourceFile, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'Z_DATA_ERROR')
    return `; if it is not packed, name it ${name.replace(/\.gz$/i, '')}; otherwise fetch it again`
  return code === 'Z_BUF_ERROR' ? '; it is cut short, so fetch it again' : ''
}

/** @throws `OPERATION_FAILED` if the first bytes are not text, or are text in another encoding */
function startDecoder(file: SourceFile, bytes: Uint8Array): Decoder {
  const signature = findSignature(bytes, file.name)
  if (signature !== undefined) throw operationFailed(`${file.name}: ${signature}`)
  const { encoding = DEFAULT_ENCODING } = file.dialect
  const unicode = findUnicode(bytes) ?? (isUnicode(encoding) || !isSurelyUtf8(bytes) ? undefined : 'utf-8')
  if (unicode === undefined) return decoderOf(encoding)
  // UTF-16 and UTF-32 are two encodings each.
  const isFamily = unicode.startsWith(encoding.toLowerCase().replace(/^utf_?(?=\d)/, 'utf-'))
  if (!isFamily && !isSameEncoding(encoding, unicode)) throw otherEncoding(file, unicode)
  return decoderOf(unicode)
}

function otherEncoding(file: SourceFile, encoding: string): Error {
  const { encoding: expected = DEFAULT_ENCODING } = file.dialect
  const command = `iconv -f ${encoding.toUpperCase()} -t UTF-8 ${quoteForShell(file.name)} > FILE`
  // iconv of Linux has no HZ.
  const convert = encoding === 'hz' ? 'save it as UTF-8 with the program that wrote it' : `convert it: ${command}`
  const advice = isEncoding(encoding) ? adviseEntry(file, { encoding }) : convert
  return operationFailed(`${file.name}: is not ${expected.toUpperCase()} but ${encoding.toUpperCase()}; ${advice}`)
}

/**
 * An error about bytes that are not text in the encoding of the file.
 * @param bytes are the last ones that were read
 * @param line is the line that they begin on
 */
function invalidText(file: SourceFile, bytes: Uint8Array, line: number): Error {
  const { encoding = DEFAULT_ENCODING } = file.dialect
  // The first line may begin inside a character, unless it is that of the file.
  const lines = [...splitLines(bytes).entries()].slice(line === 1 ? 0 : 1)
  const bad = lines.filter(([, each]) => !isValid(each, encoding))
  const [first] = bad
  if (!first)
    return operationFailed(`${file.name}: is not ${encoding.toUpperCase()}: it ends inside a character; fetch it again`)
  const place = `${file.name}: is not ${encoding.toUpperCase()}, at line ${line + first[0]}`
  const telling = lines.filter(([, each]) => each.some((byte) => byte >= 0x80))
  if (bad.length <= telling.length / 2) {
    const iconv = `iconv -c -f ${encoding.toUpperCase()} -t UTF-8`
    const name = quoteForShell(file.name)
    const command = isGzip(file) ? `gunzip -c ${name} | ${iconv}` : `${iconv} ${name}`
    return operationFailed(`${place}, but other lines are; correct it, or drop the wrong bytes: ${command} > FILE`)
  }
  return operationFailed(`${place}; ${encodingRemedy(file, Buffer.concat(telling.map(([, each]) => each)))}`)
}

/** Says which encodings have all bytes of lines, with the same text in each. */
function encodingRemedy(file: SourceFile, lines: Uint8Array): string {
  const {
    encoding,
    readings: [first, ...others],
  } = inferEncoding(lines)
  if (isSameEncoding(encoding, file.dialect.encoding ?? DEFAULT_ENCODING))
    return 'save it as UTF-8 with the program that wrote it'
  const advice = adviseEntry(file, { encoding })
  if (!first || others.length === 0) return advice
  const either = others.map((other) => `${JSON.stringify(other.encoding)} if it is ${other.example}`)
  return `${advice} if its text is ${first.example}; or ${either.join('; or ')}`
}

/** The number of line feeds in a text. */
export function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/**
 * Checks that a file can be read twice, as an import does. Reading a pipe again waits for ever.
 * @throws `OPERATION_FAILED` for a folder, a pipe, a socket or a device, and if there is none
 */
export async function requireRegularFile({ name, path }: Pick<SourceFile, 'name' | 'path'>): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw operationFailed(`${name}: ${describeMissing(name)}`, error)
  })
  if (!found || found.isFile()) return
  if (found.isDirectory()) throw operationFailed(`${name}: is a folder; name a file in it`)
  const kind = found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device'
  throw operationFailed(
    `${name}: is ${kind}, and an import reads its files twice; save the data as a file, and name that file`,
  )
}
