import { analyse } from 'chardet'
import { decoderOf, InvalidText } from './encodings.ts'

/** Encodings that a few letters show, for which chardet needs many. */
const BY_LETTERS = [
  { encoding: 'cp949', fits: (bytes: Uint8Array) => shareOf(/\p{Script=Hangul}/u, bytes, 'cp949') > 0.9 },
  // Most letters of a Western text are ASCII, and the others are these.
  {
    encoding: 'windows-1252',
    fits: (bytes: Uint8Array) =>
      shareOf(/[äöüÄÖÜßéèêëÉÈáàâãåæÀÁÅçÇíìîïñÑóòôõøØúùûœ€–’“”„°´«»]/u, bytes, 'windows-1252') > 0.9 &&
      bytes.filter((byte) => byte >= 0x80).length < bytes.filter(isAsciiLetter).length / 2,
  },
]

function isAsciiLetter(byte: number): boolean {
  return /[A-Za-z]/.test(String.fromCharCode(byte))
}

/** The share of characters of a kind in all characters beyond ASCII. It is 0 if the bytes are not text in the encoding. */
function shareOf(kind: RegExp, bytes: Uint8Array, encoding: string): number {
  if (!isValid(bytes, encoding)) return 0
  const characters = [...decoderOf(encoding).write(bytes)].filter((character) => character > '\x7f')
  return characters.filter((character) => kind.test(character)).length / characters.length
}

/** Byte order marks. No encoding but its own begins with one. */
const MARKS = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
]

/** Supersets and usual names of the encodings that chardet knows. */
const NAMES: Readonly<Record<string, string>> = {
  'EUC-KR': 'cp949',
  'ISO-8859-1': 'windows-1252',
  Shift_JIS: 'shift_jis',
  Big5: 'big5',
}

/** More bytes make a guess no better. */
const MAX_BYTES = 100_000

/** Returns the encoding of Unicode that the first bytes show: by a byte order mark, or by NUL bytes in ASCII characters. */
export function findUnicode(bytes: Uint8Array): string | undefined {
  const mark = MARKS.find(({ bytes: expected }) => expected.every((byte, index) => bytes[index] === byte))
  if (mark) return mark.encoding
  const [first, second, third, fourth] = bytes
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be'
  return first !== 0 && second === 0 && third !== 0 && fourth === 0 ? 'utf-16le' : undefined
}

/**
 * Returns the encoding of a part of a file. UTF-8 is certain. Other encodings are guesses, and the part is valid in them.
 * Undefined if no encoding fits.
 */
export function detectEncoding(bytes: Uint8Array): string | undefined {
  const unicode = findUnicode(bytes)
  if (unicode !== undefined) return unicode
  if (isValid(bytes, 'utf-8')) return 'utf-8'
  // Lines of ASCII say nothing, and would outweigh the others.
  const telling = splitLines(bytes).filter((line) => line.some((byte) => byte >= 0x80))
  const sample = Buffer.concat(telling).subarray(0, MAX_BYTES)
  const guesses = analyse(sample).map(({ name }) => NAMES[name] ?? name.toLowerCase())
  const byLetters = BY_LETTERS.flatMap(({ encoding, fits }) => (fits(sample) ? encoding : []))
  return [...byLetters, ...guesses, 'windows-1252'].find((name) => !name.startsWith('utf') && isValid(bytes, name))
}

/** By chance, so many characters are UTF-8 in no text of another encoding. */
const CERTAIN = 10

/** Whether bytes are UTF-8 with enough characters beyond ASCII. Most of them would be text in other encodings too, but a wrong one. */
export function isSurelyUtf8(bytes: Uint8Array): boolean {
  let starts = 0
  for (const byte of bytes) if (byte >= 0xc0) starts += 1
  return starts >= CERTAIN && isValid(bytes, 'utf-8')
}

/** Whether bytes are text in an encoding. The part may begin and end inside a character. */
export function isValid(bytes: Uint8Array, encoding: string): boolean {
  try {
    decoderOf(encoding).write(bytes)
    return true
  } catch (error) {
    if (error instanceof InvalidText) return false
    throw error
  }
}

const LINE_FEED = 0x0a

/** The lines of bytes in an encoding where a line feed is one byte, which is part of no other character. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    lines.push(bytes.subarray(start, end + 1))
    start = end + 1
  }
  return [...lines, bytes.subarray(start)]
}
