import iconv from 'iconv-lite'
import data from './languages.json' with { type: 'json' }

/** Turns the next bytes of a text into text; without bytes, ends it. Throws `InvalidText` for bytes that the encoding does not have. */
export type Decoder = (bytes?: Uint8Array) => string

/** Bytes are not text in the encoding. */
export class InvalidText extends Error {}

const UTF_16 = { utf16: 'utf-16le', utf16le: 'utf-16le', ucs2: 'utf-16le', utf16be: 'utf-16be' }
/** Encodings of Unicode by the names that people give them, without `-` and `_`. */
const UNICODE = new Map(Object.entries({ utf8: 'utf-8', ...UTF_16, utf32le: 'utf-32le', utf32be: 'utf-32be' }))
/** An encoding that Node has, and iconv-lite has not. */
const OF_NODE = 'iso2022jp'

/** iconv-lite calls these encodings too, and they are none of text. */
const NOT_TEXT = /^(hex|base64|binary|base64url|internal)$/

const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '')

/** Whether a name is that of an encoding that `decoderOf` knows, in any letter case: `utf-8`, `windows-1252`, `cp949`. */
export function isEncoding(name: string): boolean {
  return isUnicode(name) || plain(name) === OF_NODE || (!NOT_TEXT.test(plain(name)) && iconv.encodingExists(name))
}

/** Whether an encoding is one of Unicode, which any text can be in. */
export function isUnicode(name: string): boolean {
  return UNICODE.has(plain(name))
}

/** Whether two names are of one encoding of Unicode, or are the same name. */
export function isSameEncoding(one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => UNICODE.get(plain(name)) ?? plain(name))
  return first === second
}

/** Returns a decoder for an encoding. It drops a byte order mark. */
export function decoderOf(encoding: string): Decoder {
  const name = plain(encoding) === OF_NODE ? 'iso-2022-jp' : UNICODE.get(plain(encoding))
  // Node lacks UTF-32, and the extension of CP949, which half of the Korean files use.
  return name === undefined || name.startsWith('utf-32') ? iconvDecoder(encoding) : nodeDecoder(name)
}

/** Returns the text of bytes in an encoding; undefined if they are not text in it. They may end inside a character. */
export function decodes(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return decoderOf(encoding)(bytes)
  } catch (error) {
    if (error instanceof InvalidText) return undefined
    throw error
  }
}

function nodeDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (error) {
      throw new InvalidText(encoding, { cause: error })
    }
  }
}

function iconvDecoder(encoding: string): Decoder {
  const decoder = iconv.getDecoder(encoding)
  return (bytes) => {
    const text = (bytes ? decoder.write(Buffer.from(bytes)) : decoder.end()) ?? ''
    // iconv-lite has no strict mode. It writes U+FFFD for invalid bytes, and no encoding but those of Unicode has it.
    if (text.includes('\ufffd')) throw new InvalidText(encoding)
    return text
  }
}

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
  return Math.max(little, big) >= FEWEST_SIGNS &&
    share >= LEAST_SIGNS &&
    Math.min(little, big) === 0 &&
    isValid(bytes, encoding)
    ? encoding
    : undefined
}

/** Of a table in any script, at least this share of the characters are ASCII. */
const LEAST_SIGNS = 0.02
/** One NUL may stand in other text by mistake. */
const FEWEST_SIGNS = 4

/** The escapes with which text begins that is no ASCII though its bytes are. */
const ESCAPES = { '$@': 'iso-2022-jp', $B: 'iso-2022-jp', '$)C': 'iso-2022-kr', '$)A': 'iso-2022-cn' }
/** Words of HZ: GB 2312 without the first bit. */
const HZ = /~\{(?:[!-~]{2})+~\}/
/** Words of UTF-7: UTF-16 in base64 between a plus and a minus. */
const UTF_7 = /\+([A-Za-z0-9+/]{3,})-/g

/** Returns the encoding whose bytes are all ASCII, though its text is not; undefined for other text. */
export function findInAscii(text: string): string | undefined {
  const escaped = Object.entries(ESCAPES).find(([start]) => text.includes(`\x1b${start}`))?.[1]
  if (escaped !== undefined) return escaped
  if (HZ.test(text)) return 'hz'
  const words = [...text.matchAll(UTF_7)].map(([, word = '']) => word)
  return words.join('').length > 3 && words.every(isUtf7) ? 'utf-7' : undefined
}

/** Other words between these signs have bits that are left over, or are no letters. */
function isUtf7(word: string): boolean {
  const text = iconv.decode(Buffer.from(word, 'base64'), 'utf-16be')
  const isWhole = iconv.encode(text, 'utf-16be').toString('base64').replace(/=+$/, '') === word
  return isWhole && /^[\p{L}\p{M}\p{P}\p{S}\p{Z}\p{N}]+$/u.test(text) && /[^ -~]/.test(text)
}

/**
 * Finds the encoding of whole lines of a file. Unicode is proved. Old encodings are not: all that have all bytes are readings, the likelier first,
 * with the words that tell them apart.
 */
export function inferEncoding(bytes: Uint8Array): {
  encoding: string
  readings: { encoding: string; example: string }[]
} {
  const telling = splitLines(bytes).filter((line) => line.some((byte) => byte >= 0x80))
  // If most lines are UTF-8, the others are wrong, and an import names the first.
  const isUtf8 = 2 * telling.filter((line) => isValid(line, 'utf-8')).length >= telling.length
  const unicode = findUnicode(bytes) ?? (isUtf8 ? 'utf-8' : undefined)
  if (unicode !== undefined) return { encoding: unicode, readings: [] }
  const found = guessEncodings(bytes)
  const examples = exampleOf(found)
  const readings = found.map(({ encoding }, index) => ({ encoding, example: examples[index] ?? '' }))
  return { encoding: readings[0]?.encoding ?? 'utf-8', readings }
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

/** A reader compares so many at once. */
const MAX_READINGS = 7
/** At least so many. */
const MIN_READINGS = 2
/** Less plausible ones than this share of the best are left out. */
const PLAUSIBLE = 0.4
/** More characters rank the readings no better. */
const MAX_SCORED = 4_000

/** A text as an encoding reads it, and how plausible that is, from 0 to 1. */
interface Reading {
  encoding: string
  text: string
  score: number
}

/**
 * Returns the ways to read whole lines as text in an old encoding, the more plausible first. Encodings that read the bytes alike are one. All bytes
 * are valid in each; that the letters fit to a language is no proof.
 */
export function guessEncodings(bytes: Uint8Array): Reading[] {
  const readings = new Map<string, Reading>()
  for (const [encoding, score] of SCORERS) {
    const text = decodes(bytes, encoding)
    if (text === undefined || CONTROLS.test(text)) continue
    const reading = { encoding, text, score: score(text.slice(0, MAX_SCORED).normalize('NFC')) }
    const known = readings.get(text) ?? reading
    known.score = Math.max(known.score, reading.score)
    readings.set(text, known)
  }
  const ranked = [...readings.values()].sort((one, other) => other.score - one.score)
  const best = ranked[0]?.score ?? 0
  return ranked.filter(({ score }, rank) => rank < MIN_READINGS || score >= PLAUSIBLE * best).slice(0, MAX_READINGS)
}

/** Characters of the longest example. */
const EXAMPLE = 60
/** Bytes of these are no part of another character. */
const BETWEEN_WORDS = /[\t ,;"]+/

/** Returns the words that tell the readings apart, as each of them has them, of the line that tells the most apart. */
function exampleOf(readings: readonly Reading[]): string[] {
  const texts = readings.map(({ text }) => text.split(/\r\n|[\r\n]/))
  let best: string[] = []
  for (const index of texts[0]?.keys() ?? []) {
    const lines = texts.map((lines) => lines[index] ?? '')
    if (new Set(lines).size > new Set(best).size) best = lines
  }
  const [first = [], ...others] = best.map((line) => line.split(BETWEEN_WORDS))
  const differs = (word: string, at: number) => others.some((words) => words[at] !== word)
  const isTelling = first.map((word, at) => (others.length > 0 ? differs(word, at) : /[^\0-\x7f]/.test(word)))
  return [first, ...others].map((words) =>
    [...words.filter((_, at) => isTelling[at]).join(', ')].slice(0, EXAMPLE).join(''),
  )
}

/** No text has them. */
const CONTROLS = /[\u0080-\u009f\p{Private_Use}]/u

/** The plausibility of a decoded text, from 0 to 1. */
type Score = (text: string) => number

/**
 * Single-byte encodings with the languages of texts in them (BCP 47), and those of East Asia with the bytes of their frequent characters. Of two
 * that read a text in the same way, the first gives the name.
 */
const SCORERS: readonly (readonly [encoding: string, score: Score])[] = [
  ...Object.entries(data.singleByte).map(([name, languages]) => [name, byLanguage(languages.split(' '))] as const),
  ...Object.entries(data.eastAsian).map(([name, bytes]) => [name, byBytes(name, bytes)] as const),
]

const BEYOND_ASCII = /[^\0-\x7f]/gu
/** Signs of texts in any language. */
const SIGN = /[–—‘’‚“”„…•€£§©®°²³½«»·№ªº¿¡´™\u00a0]/u

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const TWO = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
const NAMED = [
  { type: 'region', codes: TWO.map((code) => code.toUpperCase()) },
  { type: 'language', codes: TWO },
  { type: 'currency', codes: Intl.supportedValuesOf('currency') },
] as const

const usual = new Map<string, ReadonlyMap<string, number>>()

/**
 * How usual the letters beyond ASCII and their pairs with other letters are in a language, from 0 to 1: in its names of countries, languages and
 * currencies, which Unicode collects (CLDR).
 */
function usualIn(language: string): ReadonlyMap<string, number> {
  const known = usual.get(language)
  if (known) return known
  const counts = new Map<string, number>()
  for (const { type, codes } of NAMED) {
    const names = new Intl.DisplayNames(language, { type, fallback: 'none' })
    for (const code of codes) {
      // Old encodings have the letters of Turkish for those of Romanian.
      const name = folded((names.of(code) ?? '').replaceAll('ș', 'ş').replaceAll('ț', 'ţ'))
      for (const { 0: letter, index } of name.matchAll(BEYOND_ASCII))
        for (const key of [letter, ...pairsAt(name, letter, index)]) counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const most = Math.log1p(Math.max(...counts.values()))
  const shares = new Map([...counts].map(([key, count]) => [key, Math.log1p(count) / most]))
  usual.set(language, shares)
  return shares
}

/** A letter with the one before it, and with the one after it. */
function pairsAt(text: string, letter: string, index: number): string[] {
  const beside = (character = ' ') => (/[\p{L}\p{M}]/u.test(character) ? character : ' ')
  return [beside(text[index - 1]) + letter, letter + beside(text[index + letter.length])]
}

/** In lower case, except for a letter that becomes two. */
function folded(text: string): string {
  return text.replace(/(?!İ)\p{Lu}/gu, (letter) => letter.toLowerCase())
}

/** Less usual letters are those of foreign names, such as São Tomé. */
const FOREIGN = 0.25

/** The mean over the characters beyond ASCII, for the language that fits best. */
function byLanguage(languages: readonly string[]): Score {
  return (text) => {
    const lower = folded(text)
    const found = [...lower.matchAll(BEYOND_ASCII)].map(({ 0: letter, index }) => ({
      ...{ letter, pairs: pairsAt(lower, letter, index), isSign: SIGN.test(letter) },
      factor: fitInWord(text, text.slice(index, index + letter.length), index),
    }))
    const scores = languages.map(usualIn).map((shares) => {
      const shareOf = (pair: string | undefined) => shares.get(pair ?? '') ?? 0
      const weigh = ({ letter, pairs: [before, after] }: (typeof found)[number]) =>
        shareOf(letter) < FOREIGN ? 0 : 0.6 + 0.2 * shareOf(before) + 0.2 * shareOf(after)
      return found.reduce((sum, each) => sum + each.factor * (each.isSign ? 0.7 : weigh(each)), 0)
    })
    return Math.max(...scores) / Math.max(1, found.length)
  }
}

/** How well a character stands between its neighbours, from 0 to 1. */
function fitInWord(text: string, character: string, index: number): number {
  const [before = '', after = ''] = [text[index - 1], text[index + character.length]]
  if (/\p{M}/u.test(character)) return /[\p{L}\p{M}]/u.test(before) ? 1 : 0
  if (!/\p{L}/u.test(character)) return /\p{L}/u.test(before) && /\p{L}/u.test(after) && character !== '’' ? 0 : 1
  if (/\p{Lu}/u.test(character) && /\p{Ll}/u.test(before)) return 0
  if (/\p{Ll}/u.test(character) && /\p{Lu}\p{Lu}/u.test(text.slice(Math.max(0, index - 2), index))) return 0.3
  const isLatin = /\p{Script=Latin}/u.test(character)
  if (!isLatin && /[A-Za-z]/.test(before + after)) return 0.3
  return isLatin && before > '\x7f' && /\p{L}/u.test(before) ? 0.6 : 1
}

/** The share of the characters that are frequent ones of a standard, which stand together in it. */
function byBytes(encoding: string, bytes: string): Score {
  const common = new RegExp(`^(?:${bytes})`)
  return (text) => {
    const found = [...text.matchAll(BEYOND_ASCII)]
    const scores = found.map(({ 0: character, index }) => {
      if (!/\p{L}/u.test(character)) return 0.5
      const isMixed = /[A-Za-z]/.test((text[index - 1] ?? '') + (text[index + character.length] ?? ''))
      return (common.test(iconv.encode(character, encoding).toString('latin1')) ? 1 : 0.2) * (isMixed ? 0.5 : 1)
    })
    return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, found.length)
  }
}
