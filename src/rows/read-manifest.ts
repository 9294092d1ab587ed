import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { isObject, parseExactJson } from '../json.ts'
import { findUnicode } from './formats/detect-encoding.ts'
import { decodes } from './formats/encodings.ts'
import { readBytes } from './formats/read-text.ts'
import { MAX_LENGTH, type Manifest, parseManifest } from './manifest.ts'

/** A character has at most this number of bytes in UTF-8 and UTF-16. */
const MAX_BYTES = 4 * MAX_LENGTH

/**
 * Reads a manifest in an encoding of Unicode.
 * @throws `OPERATION_FAILED` if the file can't be read, with a line for each wrong member, or what to do with a file of items
 */
export async function readManifest(path: string): Promise<Manifest> {
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
  try {
    if (content === undefined) throw operationFailed(`${path}: is not UTF-8; save it as UTF-8`)
    return parseManifest(path, content)
  } catch (error) {
    const advice = adviseInit(path, bytes.length > MAX_BYTES ? '' : (content ?? ''))
    throw advice === undefined ? error : operationFailed(`${path}: is no manifest; ${advice}`, error)
  }
}

/** How to write a manifest for a file of items that was given in its place; undefined if it may be a manifest with mistakes. */
function adviseInit(path: string, content: string): string | undefined {
  const value = parsed(content)
  if (isObject(value) && 'dataset' in value) return undefined
  const init = 'to write one for this file of items: npx catalog import init'
  if (!/\.json(\.gz)?$/i.test(path)) return `${init} ${quoteForShell(path)}`
  const base = path.replace(/\.json$/i, '')
  const [from, geojson, ndjson] = [path, `${base}.geojson`, `${base}.ndjson`].map(quoteForShell)
  if (isObject(value) && /^Feature(Collection)?$/.test(String(value.type))) {
    return `${init} ${geojson}, after mv ${from} ${geojson}`
  }
  return Array.isArray(value) ? `${init} ${ndjson}, after jq -c '.[]' ${from} > ${ndjson}` : undefined
}

function parsed(content: string): unknown {
  try {
    return parseExactJson(content)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
