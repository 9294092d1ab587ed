import { decodes } from './encodings.ts'
import { exampleOf, guessEncodings } from './guess-encodings.ts'

/** How the encodings of Unicode begin: with a byte order mark, or with an ASCII character. */
const STARTS: readonly (readonly [string, RegExp])[] = [
  ['utf-8', /^efbbbf/],
  ['utf-32le', /^(fffe|(?!00)..00)0000/],
  ['utf-32be', /^0000(feff|00(?!00))/],
  ['utf-16le', /^(fffe|(?!00)..00(?!00)..00)/],
  ['utf-16be', /^(feff|00(?!00)..00(?!00)..)/],
]

/** Returns the encoding of Unicode that the first bytes show. */
export function findUnicode(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  return STARTS.find(([, pattern]) => pattern.test(start))?.[0] ?? findUtf16(bytes)
}

/** Text of one byte a character has no NUL. Line feeds, commas and digits of UTF-16 have one, before or after them. */
function findUtf16(bytes: Uint8Array): string | undefined {
  if (!bytes.includes(0)) return undefined
  const isSign = (byte: number | undefined) => byte !== undefined && byte >= 0x09 && byte < 0x80
  let [little, big] = [0, 0]
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (bytes[at + 1] === 0 && isSign(bytes[at])) little += 1
    if (bytes[at] === 0 && isSign(bytes[at + 1])) big += 1
  }
  const encoding = little > big ? 'utf-16le' : 'utf-16be'
  const share = Math.max(little, big) / (bytes.length / 2)
  return share >= LEAST_SIGNS && Math.min(little, big) === 0 && isValid(bytes, encoding) ? encoding : undefined
}

/** Of a table in any script, at least this share of the characters are ASCII. */
const LEAST_SIGNS = 0.02

/** How text begins that is no ASCII though its bytes are: an escape, or a tilde with a brace. */
const IN_ASCII: readonly (readonly [encoding: string, starts: readonly string[]])[] = [
  ['iso-2022-jp', ['\x1b$@', '\x1b$B']],
  ['iso-2022-kr', ['\x1b$)C']],
  ['iso-2022-cn', ['\x1b$)A']],
]
/** Words of HZ: GB 2312 without the first bit. */
const HZ = /~\{(?:[!-~]{2})+~\}/
/** Words of UTF-7: UTF-16 in base64 between a plus and a minus. */
const UTF_7 = /\+([A-Za-z0-9+/]{3,})-/g

/** Returns the encoding whose bytes are all ASCII, though its text is not; undefined for other text. */
export function findInAscii(text: string): string | undefined {
  const escaped = IN_ASCII.find(([, starts]) => starts.some((start) => text.includes(start)))
  if (escaped) return escaped[0]
  if (HZ.test(text)) return 'hz'
  const words = [...text.matchAll(UTF_7)].map(([, word = '']) => word)
  return words.join('').length > 3 && words.every(isUtf7) ? 'utf-7' : undefined
}

function isUtf7(word: string): boolean {
  const bytes = Buffer.from(word, 'base64')
  const text = bytes
    .subarray(0, bytes.length - (bytes.length % 2))
    .swap16()
    .toString('utf16le')
  // Other words between these signs have bits that are left over, or are no letters.
  const rest = (word.length * 6) % 16
  const last = Buffer.from(`AAA${word.at(-1)}`, 'base64').at(-1) ?? 0
  const isWhole = rest < 6 && last % 2 ** rest === 0
  return isWhole && /^[\p{L}\p{M}\p{P}\p{S}\p{Z}\p{N}]+$/u.test(text) && /[^ -~]/.test(text)
}

/**
 * Finds the encoding of a part of a file. Unicode is proved. Old encodings are not: all that have all bytes are readings, the likelier first, with the
 * words that tell them apart.
 * @param bytes are whole lines
 */
export function inferEncoding(bytes: Uint8Array): {
  encoding: string
  readings: { encoding: string; example: string }[]
} {
  const unicode = findUnicode(bytes) ?? (isMostlyUtf8(bytes) ? 'utf-8' : undefined)
  const found = unicode === undefined ? guessEncodings(bytes) : []
  const examples = exampleOf(found)
  const readings = found.map(({ encoding }, index) => ({ encoding, example: examples[index] ?? '' }))
  return { encoding: readings[0]?.encoding ?? unicode ?? 'utf-8', readings }
}

/** Whether most lines beyond ASCII are UTF-8. The others are wrong, and an import names the first. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const telling = splitLines(bytes).filter((line) => line.some((byte) => byte >= 0x80))
  const utf8 = telling.filter((line) => isValid(line, 'utf-8'))
  return utf8.length >= telling.length / 2
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
  return decodes(bytes, encoding) !== undefined
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
