import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { messageOf, operationFailed } from '../../errors.ts'

/**
 * The text of a UTF-8 file, in pieces; `.gz` is unpacked, a byte order mark left out.
 * @param onBytes is told of the bytes read from the file.
 * @throws `OPERATION_FAILED` when the file can't be read, is cut short, or is not UTF-8.
 */
export async function* readText(
  file: { name: string; path: string },
  onBytes: (count: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (error) {
      throw operationFailed(`${file.name}: is not UTF-8, at line ${line} or soon after`, error)
    }
  }
  for await (const bytes of readBytes(file, onBytes)) {
    const text = decode(bytes)
    line += countLines(text)
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

async function* readBytes(
  { name, path }: { name: string; path: string },
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path)
  file.on('data', (chunk) => onBytes(chunk.length))
  const bytes = new PassThrough()
  const finished = pipeline(file, path.endsWith('.gz') ? createGunzip() : new PassThrough(), bytes)
  // Told below, where the reader learns of it.
  finished.catch(() => {})
  try {
    yield* bytes
    await finished
  } catch (error) {
    throw operationFailed(`${name}: can't be read: ${messageOf(error)}`, error)
  } finally {
    file.destroy()
  }
}

/** How many line feeds a text holds. */
export function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
