import iconv from 'iconv-lite'
import { decodes } from './encodings.ts'
import { EAST_ASIAN, type EncodingLetters, SINGLE_BYTE } from './languages.ts'

/** A text as an encoding reads it. */
export interface Reading {
  encoding: string
  text: string
}

/** A reader compares so many at once. */
const MAX_READINGS = 6
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
      score: Math.max(score(text.slice(0, MAX_SCORED)), known?.score ?? 0),
    }
    readings.set(text, reading)
  }
  const ranked = [...readings.values()].sort((one, other) => other.score - one.score)
  const best = ranked[0]?.score ?? 0
  return ranked.filter(({ score }, rank) => rank < MIN_READINGS || score >= PLAUSIBLE * best).slice(0, MAX_READINGS)
}

/** Characters of the longest example, and of those before the first difference. */
const EXAMPLE = 60
const BEFORE = 20

/** Returns the part of the text that tells the most readings apart, as each of them has it. */
export function exampleOf(readings: readonly Reading[]): string[] {
  const texts = readings.map(({ text }) => text.split(/\r\n|[\r\n]/))
  let best: string[] = []
  for (const index of texts[0]?.keys() ?? []) {
    const lines = texts.map((lines) => lines[index] ?? '')
    if (new Set(lines).size > new Set(best).size) best = lines
  }
  const [first = [], ...others] = best.map((line) => [...line])
  const differs = first.findIndex((character, at) => others.some((other) => other[at] !== character))
  const beyond = first.findIndex((character) => character > '\x7f')
  const start = Math.max(0, (others.length > 0 ? differs : beyond) - BEFORE)
  return [first, ...others].map((line) =>
    line
      .slice(start, start + EXAMPLE)
      .join('')
      .trim(),
  )
}

/** No text has them. */
const CONTROLS = /[\u0080-\u009f\p{Private_Use}]/u

/** The plausibility of a decoded text, from 0 to 1. */
type Score = (text: string) => number

const SCORERS: readonly { encoding: string; score: Score }[] = [
  ...SINGLE_BYTE.map((letters) => ({ encoding: letters.encoding, score: byLetters(letters) })),
  ...EAST_ASIAN.map(({ encoding, common }) => ({ encoding, score: byLeadByte(encoding, common) })),
]

const BEYOND_ASCII = /[^\0-\x7f]/gu
/** Signs of texts in any language. */
const SIGN = /[–—‘’‚“”„…•€£§©®°²³½«»·№ªº¿¡´™\u00a0]/u

/** The mean over the characters beyond ASCII, for the language that fits best. */
function byLetters({ languages }: EncodingLetters): Score {
  const weights = languages.map(
    (letters) => new Map([...letters].map((letter, rank) => [letter, 1 - (0.4 * rank) / [...letters].length])),
  )
  return (text) => {
    const found = [...text.matchAll(BEYOND_ASCII)]
    const factors = found.map(({ 0: character, index }) => fitInWord(text, character, index))
    const scores = weights.map((language) => {
      const weightOf = (character: string) =>
        language.get(character) ?? language.get(character.toLowerCase()) ?? (SIGN.test(character) ? 0.7 : 0)
      return found.reduce((sum, [character], index) => sum + weightOf(character) * (factors[index] ?? 0), 0)
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
function byLeadByte(encoding: string, common: (lead: number, trail: number) => boolean): Score {
  return (text) => {
    const found = [...text.matchAll(BEYOND_ASCII)]
    const scores = found.map(({ 0: character, index }) => {
      const [lead = 0, trail = 0] = iconv.encode(character, encoding)
      if (!/\p{L}/u.test(character)) return 0.5
      const isMixed = /[A-Za-z]/.test((text[index - 1] ?? '') + (text[index + character.length] ?? ''))
      return (common(lead, trail) ? 1 : 0.2) * (isMixed ? 0.5 : 1)
    })
    return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, found.length)
  }
}
