import iconv from 'iconv-lite'
import { decodes } from './encodings.ts'
import data from './languages.json' with { type: 'json' }

/** A text as an encoding reads it. */
export interface Reading {
  encoding: string
  text: string
}

/** A reader compares so many at once. */
const MAX_READINGS = 7
/** At least so many. */
const MIN_READINGS = 2
/** Less plausible ones than this share of the best are left out. */
const PLAUSIBLE = 0.4
/** More characters rank the readings no better. */
const MAX_SCORED = 4_000

/**
 * Returns the ways to read bytes as text in an old encoding, the more plausible first. Encodings that read the bytes alike are one. All bytes
 * are valid in each; that the letters fit to a language is no proof.
 * @param bytes are whole lines
 */
export function guessEncodings(bytes: Uint8Array): Reading[] {
  const readings = new Map<string, Reading & { score: number }>()
  for (const { encoding, score } of SCORERS) {
    const text = decodes(bytes, encoding)
    if (text === undefined || CONTROLS.test(text)) continue
    const known = readings.get(text)
    const reading = {
      encoding: known?.encoding ?? encoding,
      text,
      score: Math.max(score(text.slice(0, MAX_SCORED).normalize('NFC')), known?.score ?? 0),
    }
    readings.set(text, reading)
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
export function exampleOf(readings: readonly Reading[]): string[] {
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
const SCORERS: readonly { encoding: string; score: Score }[] = [
  ...Object.entries(data.singleByte).map(([encoding, languages]) => ({
    encoding,
    score: byLanguage(languages.split(' ')),
  })),
  ...Object.entries(data.eastAsian).map(([encoding, bytes]) => ({ encoding, score: byBytes(encoding, bytes) })),
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
