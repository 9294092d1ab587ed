/*
 * Hangul while it is typed. A Korean keyboard has a key for each consonant and vowel. The letters of a name (`letters_of`) are those of
 * Unicode's NFD: initial consonants, vowels and final consonants.
 */

/** What names begin with that somebody is typing. */
export interface HalfTyped {
  /** The first letters of such names, and of a few others: some thousand if only the initial consonant of a syllable is typed. */
  prefixes: readonly string[]
  /** What they have in common, if they are so many. */
  start: string | undefined
  /** The letters of such names. PostgreSQL reads the same source. */
  pattern: RegExp
}

const INITIALS = 'ᄀᄁᄂᄃᄄᄅᄆᄇᄈᄉᄊᄋᄌᄍᄎᄏᄐᄑᄒ'
const VOWELS = codePoints(0x1161, 21)
const FINALS = codePoints(0x11a8, 27)

/** Each final consonant as the keys that type it. */
const KEYS_OF_FINALS =
  'ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'
    .split(' ')
    .map((keys) => keys.normalize('NFKD'))

/** Two keys together: of the consonants, for example ㄳ, not every one becomes a final in NFKC. */
const PAIRS = new Map([
  ...FINALS.map((final, n): [string, string] => [final, KEYS_OF_FINALS[n] ?? '']),
  ['\u111a', 'ᄅᄒ'],
  ['\u1121', 'ᄇᄉ'],
])

/** The vowels that begin with the keys of another. */
const LONGER_VOWELS: Readonly<Record<string, string>> = { ᅩ: 'ᅪᅫᅬ', ᅮ: 'ᅯᅰᅱ', ᅳ: 'ᅴ' }

/** What may stand between an initial consonant and the next syllable, if no vowel is typed. */
const REST_OF_SYLLABLE = ['', ...VOWELS.flatMap((vowel) => ['', ...FINALS].map((final) => vowel + final))]
const ANY_REST = `(?:[${VOWELS[0]}-${VOWELS.at(-1)}][${FINALS[0]}-${FINALS.at(-1)}]?)?`

/** A part of a text: what may stand there, and the same as a regular expression. */
interface Part {
  texts: readonly string[]
  pattern: string
  /** Whether it is the rest of a syllable of which only the initial consonant is typed. */
  isRest?: boolean
}

const SPACE: Part = { texts: ['', ' '], pattern: ' ?' }
const REST: Part = { texts: REST_OF_SYLLABLE, pattern: ANY_REST, isRest: true }

/**
 * Returns what names begin with that a text with incomplete syllables begins: ㄱㅂㄱ and 경ㅂㄱ begin 경복궁, 갑 begins 가방, 고 begins 과천.
 * Before an initial consonant without a vowel, a name may have a space. Undefined if such names begin with the text itself.
 */
export function halfTyped(phrase: string): HalfTyped | undefined {
  const letters = phrase.replaceAll(LONE_PAIR, (pair) => PAIRS.get(pair) ?? pair)
  const parts = [...letters].flatMap((letter, n, all) => partsOf(letter, all[n - 1], all[n + 1]))
  if (parts.every(({ texts }) => texts.length === 1) && letters === phrase) return undefined
  const [first, second] = parts.flatMap(({ isRest }, n) => (isRest ? [n] : []))
  // Each prefix is searched for, so only one syllable of them may be any.
  const isShorter = first !== undefined && parts.at(-1)?.texts.length !== 1
  const prefixes = parts.slice(0, second ?? parts.length - Number(isShorter)).reduce(append, [''])
  const fixed = parts.slice(
    0,
    parts.findIndex(({ texts }) => texts.length > 1),
  )
  const start = first === undefined ? undefined : fixed.flatMap(({ texts }) => texts).join('')
  return { prefixes, start, pattern: new RegExp(`^ ?${parts.map(({ pattern }) => pattern).join('')}`) }
}

const LONE_PAIR = /(?<![\u1161-\u1175])[\u11a8-\u11c2]|[\u111a\u1121]/g

function partsOf(letter: string, previous: string | undefined, next: string | undefined): Part[] {
  if (INITIALS.includes(letter) && !isVowel(next)) {
    const initial = literal(letter)
    const begun = previous === undefined || previous === ' ' ? [initial] : [SPACE, initial]
    return next === undefined ? begun : [...begun, REST]
  }
  return [next === undefined ? oneOf([letter, ...continuationsOf(letter)]) : literal(letter)]
}

const isVowel = (letter: string | undefined) => letter !== undefined && VOWELS.includes(letter)

/** What the last letter of a text becomes with the next keys, other than a new syllable. */
function continuationsOf(letter: string): string[] {
  const keys = PAIRS.get(letter)
  if (keys === undefined) return [...(LONGER_VOWELS[letter] ?? '')]
  const longer = FINALS.filter((final) => final !== letter && PAIRS.get(final)?.startsWith(keys))
  // The next vowel takes the last consonant into its syllable.
  const kept = FINALS.find((final) => PAIRS.get(final) === keys.slice(0, -1)) ?? ''
  return [...longer, kept + keys.slice(-1)]
}

const literal = (letter: string) => oneOf([letter])

function oneOf(texts: readonly string[]): Part {
  const patterns = texts.map((text) => text.replace(/[$()*+.?[\\\]^{|}]/, '\\$&'))
  return { texts, pattern: patterns.length === 1 ? patterns.join('') : `(?:${patterns.join('|')})` }
}

function append(prefixes: readonly string[], { texts }: Part): string[] {
  return prefixes.flatMap((prefix) => texts.map((text) => prefix + text))
}

function codePoints(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => String.fromCodePoint(first + n))
}
