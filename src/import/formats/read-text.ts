import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { messageOf, operationFailed } from '../../errors.ts'

/** A file: its path, and its name in messages. */
interface TextFile {
  name: string
  path: string
}

const isGzip = ({ path }: TextFile) => /\.gz$/i.test(path)

/**
 * Yields the text of a UTF-8 file in chunks. Unpacks `.gz`, and drops a byte order mark.
 * @param onBytes receives the number of bytes of each chunk from the file, before unpacking
 * @throws `OPERATION_FAILED` if the file can't be read, is cut short, or is not UTF-8
 */
export async function* readText(file: TextFile, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  let isFirst = true
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (error) {
      const place = `${file.name}: is not UTF-8, at line ${line} or soon after`
      throw operationFailed(`${place}; if it is in CP949, convert it: ${conversion(file, 'CP949')}`, error)
    }
  }
  for await (const bytes of readBytes(file, onBytes)) {
    if (isFirst) refuseUtf16(file, bytes)
    isFirst = false
    const text = decode(bytes)
    line += countLines(text)
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

async function* readBytes(file: TextFile, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file.path)
  source.on('data', (chunk) => onBytes(chunk.length))
  const bytes = new PassThrough()
  const finished = pipeline(source, isGzip(file) ? createGunzip() : new PassThrough(), bytes)
  // `await finished` below throws the error. Without this line, Node would report an unhandled rejection before that.
  finished.catch(() => {})
  try {
    yield* bytes
    await finished
  } catch (error) {
    throw operationFailed(`${file.name}: can't be read: ${messageOf(error)}`, error)
  } finally {
    source.destroy()
  }
}

function refuseUtf16(file: TextFile, bytes: Uint8Array): void {
  const encoding = utf16NameOf(bytes)
  if (!encoding) return
  throw operationFailed(`${file.name}: is not UTF-8 but ${encoding}; convert it: ${conversion(file, encoding)}`)
}

/** UTF-16 begins with a byte order mark, or has a NUL byte in each ASCII character. */
function utf16NameOf([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16'
  if (first === 0) return 'UTF-16BE'
  return second === 0 ? 'UTF-16LE' : undefined
}

function conversion(file: TextFile, encoding: string): string {
  const iconv = `iconv -f ${encoding} -t UTF-8`
  return isGzip(file) ? `gunzip -c ${file.name} | ${iconv}` : `${iconv} ${file.name}`
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
