import iconv from 'iconv-lite'

/** Turns bytes into text, and throws `InvalidText` for bytes that the encoding does not have. */
export interface Decoder {
  write: (bytes: Uint8Array) => string
  end: () => string
}

/** Bytes are not text in the encoding. */
export class InvalidText extends Error {}

/** Encodings of Unicode by the names that people give them, without `-` and `_`. */
const UNICODE = new Map([
  ['utf8', 'utf-8'],
  ['utf16', 'utf-16le'],
  ['utf16le', 'utf-16le'],
  ['utf16be', 'utf-16be'],
  ['ucs2', 'utf-16le'],
  ['utf32le', 'utf-32le'],
  ['utf32be', 'utf-32be'],
])

/** Encodings that Node's TextDecoder has, and iconv-lite has not. */
const OF_NODE = new Set(['iso2022jp'])

/** iconv-lite calls these encodings too, and they are none of text. */
const NOT_TEXT = /^(hex|base64|binary|base64url|internal)$/

/** Whether a name is that of an encoding that `decoderOf` knows, in any letter case: `utf-8`, `windows-1252`, `cp949`. */
export function isEncoding(name: string): boolean {
  return (
    UNICODE.has(plain(name)) || OF_NODE.has(plain(name)) || (!NOT_TEXT.test(plain(name)) && iconv.encodingExists(name))
  )
}

/** Whether an encoding is one of Unicode, which any text can be in. */
export function isUnicode(name: string): boolean {
  return UNICODE.has(plain(name))
}

/** Whether two names are of one encoding of Unicode, or are the same name. */
export function isSameEncoding(one: string, other: string): boolean {
  const nameOf = (name: string) => UNICODE.get(plain(name)) ?? plain(name)
  return nameOf(one) === nameOf(other)
}

/** Returns a decoder for an encoding. It drops a byte order mark. */
export function decoderOf(encoding: string): Decoder {
  if (OF_NODE.has(plain(encoding))) return nodeDecoder('iso-2022-jp')
  const unicode = UNICODE.get(plain(encoding))
  return unicode === undefined || unicode.startsWith('utf-32') ? iconvDecoder(encoding) : nodeDecoder(unicode)
}

/** Returns the text of bytes in an encoding; undefined if they are not text in it. They may end inside a character. */
export function decodes(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return decoderOf(encoding).write(bytes)
  } catch (error) {
    if (error instanceof InvalidText) return undefined
    throw error
  }
}

function nodeDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (error) {
      throw new InvalidText(encoding, { cause: error })
    }
  }
  return { write: decode, end: () => decode(undefined) }
}

/** Node's own TextDecoder lacks UTF-32, and the extension of CP949, which half of the Korean files use. */
function iconvDecoder(encoding: string): Decoder {
  const decoder = iconv.getDecoder(encoding)
  // iconv-lite has no strict mode. It writes U+FFFD for invalid bytes, and no encoding but those of Unicode has it.
  const check = (text: string): string => {
    if (text.includes('\ufffd')) throw new InvalidText(encoding)
    return text
  }
  return { write: (bytes) => check(decoder.write(Buffer.from(bytes))), end: () => check(decoder.end() ?? '') }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}
