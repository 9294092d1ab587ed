import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { findUnicode } from './formats/detect-encoding.ts'
import { decodes } from './formats/encodings.ts'
import { readBytes, requireRegularFile } from './formats/read-text.ts'
import { MAX_LENGTH, type Manifest, parseManifest } from './manifest.ts'

/** A character has at most this number of bytes in UTF-8 and UTF-16. */
const MAX_BYTES = 4 * MAX_LENGTH

/**
 * Reads a manifest in an encoding of Unicode.
 * @throws `OPERATION_FAILED` if the file can't be read, with a line for each wrong member, or it is called like no manifest
 */
export async function readManifest(path: string): Promise<Manifest> {
  await requireRegularFile({ name: path, path })
  if (!/\.json(\.gz)?$/i.test(path)) {
    throw operationFailed(`${path}: is no manifest; to write one: npx catalog import init ${quoteForShell(path)}`)
  }
  const parts: Uint8Array[] = []
  let length = 0
  for await (const bytes of readBytes({ name: path, path, dialect: {} }, () => {})) {
    parts.push(bytes)
    length += bytes.length
    // The rest of the file is not read.
    if (length > MAX_BYTES) break
  }
  const bytes = Buffer.concat(parts)
  const content = decodes(bytes, findUnicode(bytes) ?? 'utf-8')
  if (content === undefined) throw operationFailed(`${path}: is not UTF-8; save it as UTF-8`)
  return parseManifest(path, content)
}
