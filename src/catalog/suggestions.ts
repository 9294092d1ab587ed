import { type HalfTyped, halfTyped } from './hangul.ts'

/*
 * How like an item is to a text with misspelt words (docs/graphql.md). PostgreSQL gives the letters of names and texts (`letters_of`).
 */

/** An item that may be meant. */
export interface Candidate {
  id: string
  name: string
  /** The letters of the name. */
  letters: string
  /** The letters of the keywords, with line breaks between them. */
  keywords: string
}

/** The letters of a text: its words with single spaces between them, and their grams. */
export interface ParsedText {
  phrase: string
  /** Whether the indexes tell a name that is equal to it from one that only begins with it. */
  isShort: boolean
  /** Other beginnings of names that the keys of its Hangul may type. */
  halfTyped: HalfTyped | undefined
  grams: ReadonlySet<string>
  /** The code points in the grams. */
  points: ReadonlySet<number>
}

/** Takes a text apart. */
export function parseText(letters: string): ParsedText {
  const grams = gramsOf(letters)
  const points = new Set(Array.from([...grams].join(''), (point) => point.codePointAt(0) ?? SPACE))
  const isShort = [...letters].length < ORDERED_LETTERS
  return { phrase: letters, isShort, halfTyped: isShort ? halfTyped(letters) : undefined, grams, points }
}

/** The indexes of whole names and of beginnings have this number of letters. */
export const ORDERED_LETTERS = 50

/** Texts with fewer grams must have all of them in a name or a keyword. */
const MIN_GRAMS = 5

/** The maximum number of grams that a mistake changes. */
export const ONE_MISTAKE = 3

/** A long text may have two mistakes. */
const MAX_MISSING = 2 * ONE_MISTAKE

/**
 * The number of grams that a name or a keyword must share with a text that has `count` grams: more than half, so that the grams can
 * be divided into groups of at least two, one of which it has.
 */
function neededGrams(count: number): number {
  return count < MIN_GRAMS ? count : count - Math.min(Math.floor(count / 2) - 1, MAX_MISSING)
}

/**
 * The numbers of shared grams at which to look for items, the greatest first. Items that share more come first, so the search ends when
 * enough are found.
 */
export function sharedLevels(count: number): number[] {
  const needed = neededGrams(count)
  return [...new Set([count, count - ONE_MISTAKE, needed])].filter((level) => level >= needed)
}

/**
 * The grams of a text with single spaces. The last word may be a beginning, so the gram of its end counts only where not all grams are
 * needed.
 */
function gramsOf(phrase: string): Set<string> {
  const words = phrase.split(' ')
  const grams = new Set(words.flatMap(gramsOfWord))
  if (grams.size > MIN_GRAMS) return grams
  return new Set([...words.slice(0, -1).flatMap(gramsOfWord), ...gramsOfWord(words.at(-1) ?? '').slice(0, -1)])
}

/**
 * Three adjacent letters of a word in the order of their code points, with two spaces before the word and one after it. The SQL function
 * `letter_grams` gives the same. So two swapped letters change few grams.
 */
function gramsOfWord(word: string): string[] {
  const grams: string[] = []
  forEachThree(word, (first, second, third) => grams.push(gramOf(first, second, third)))
  return grams
}

function gramOf(first: number, second: number, third: number): string {
  const least = Math.min(first, second, third)
  const greatest = Math.max(first, second, third)
  return String.fromCodePoint(least, first + second + third - least - greatest, greatest)
}

/** Visits the code points of three adjacent letters. A list of them would take most of the time of a suggestion. */
function forEachThree(word: string, visit: (first: number, second: number, third: number) => void): void {
  let first = SPACE
  let second = SPACE
  // An iterator makes a string of each letter, which takes twice as long.
  for (let n = 0; n <= word.length; n += second > LAST_OF_FIRST_PLANE ? 2 : 1) {
    const third = word.codePointAt(n) ?? SPACE
    visit(first, second, third)
    first = second
    second = third
  }
}

const SPACE = 32
const LAST_OF_FIRST_PLANE = 0xffff

/**
 * An equal name or keyword, a name that begins with the text, one that begins with it once its Hangul is complete, or another name or
 * keyword. In this order they are suggested.
 */
const MATCH_KINDS = ['equal', 'beginning', 'half-typed', 'similar'] as const
type MatchKind = (typeof MATCH_KINDS)[number]

/** A candidate that is meant, and its rank. */
export interface Ranked {
  candidate: Candidate
  kind: MatchKind
  /** Of a name that begins with the text, or once it is complete: its first letters. */
  beginning: string
  /** Of other names and keywords: how like the best of them is to the text. */
  likeness: Likeness
}

/** How like a name or a keyword is to a text. */
interface Likeness {
  /** The number of grams of the text that it has. */
  shared: number
  /** The number of letters in its words that have such a gram. */
  matched: number
  /** Whether it has the letters of the text in a row, whatever spaces are between them, as in "O'Hare" for "ohare". */
  isContiguous: boolean
  /** 0 for a name, 1 for a keyword. */
  source: number
  length: number
}

/** Returns the candidates that are probably meant, in the given order. */
export function rankCandidates(parsed: ParsedText, candidates: readonly Candidate[]): Ranked[] {
  return candidates.flatMap((candidate) => rank(parsed, candidate) ?? [])
}

/**
 * Returns the ids of the candidates, each once, best first: equal names and keywords, then names that begin with the text, then others that
 * share most grams with it in the shortest words.
 */
export function idsInOrder(ranked: readonly Ranked[]): string[] {
  return [...new Map(ranked.map((each) => [each.candidate.id, each])).values()]
    .sort(compare)
    .map(({ candidate }) => candidate.id)
}

/** Whether a candidate comes before all that share fewer grams. */
export function isAtLevel({ kind, likeness }: Ranked, level: number): boolean {
  return kind !== 'similar' || likeness.shared >= level
}

function rank(parsed: ParsedText, candidate: Candidate): Ranked | undefined {
  const { phrase, grams } = parsed
  const { letters, keywords } = candidate
  const entries = (keywords === '' ? letters : `${letters}\n${keywords}`).split('\n')
  if (entries.includes(phrase)) return { candidate, kind: 'equal', beginning: '', likeness: UNLIKE }
  const kind = kindOfBeginning(parsed, letters)
  if (kind) return { candidate, kind, beginning: firstLetters(letters), likeness: UNLIKE }
  const likenesses = entries.map((entry, n) => compareWords(parsed, entry, Math.min(n, 1)))
  if (keywords !== '') likenesses.push({ ...compareWords(parsed, wordsOf(phrase, entries), 1), isContiguous: false })
  const [likeness = UNLIKE] = likenesses.sort(byLikeness)
  return likeness.shared >= neededGrams(grams.size)
    ? { candidate, kind: 'similar', beginning: '', likeness }
    : undefined
}

function kindOfBeginning({ phrase, isShort, halfTyped: typed }: ParsedText, letters: string): MatchKind | undefined {
  if (isShort && letters.startsWith(phrase)) return 'beginning'
  return typed?.pattern.test(letters) ? 'half-typed' : undefined
}

const UNLIKE: Likeness = { shared: 0, matched: 0, isContiguous: false, source: 0, length: 0 }

/**
 * The words of the text as the name and the keywords have them; the last word may go on. Empty if a word is
 * missing. So "JFK airport" means the airport with the keyword "JFK", as in the search.
 */
function wordsOf(phrase: string, entries: readonly string[]): string {
  const wanted = phrase.split(' ')
  if (!wanted.every((word) => entries.some((entry) => entry.includes(word)))) return ''
  const words = entries.flatMap((entry) => entry.split(' '))
  const last = wanted.pop() ?? ''
  const ending = words.includes(last) ? last : words.find((word) => word.startsWith(last))
  return ending !== undefined && wanted.every((word) => words.includes(word)) ? [...wanted, ending].join(' ') : ''
}

function compareWords({ phrase, grams, points }: ParsedText, entry: string, source: number): Likeness {
  const shared = new Set<string>()
  let matched = 0
  for (const word of entry.split(' ')) {
    let isMatched = false
    // The letters up to here that the text has, too, with the two spaces before the word. Most grams have another letter.
    let known = 2
    forEachThree(word, (first, second, third) => {
      known = points.has(third) ? known + 1 : 0
      if (known < 3) return
      const gram = gramOf(first, second, third)
      if (!grams.has(gram)) return
      shared.add(gram)
      isMatched = true
    })
    if (isMatched) matched += word.length
  }
  const isContiguous = shared.size >= neededGrams(grams.size) && withoutSpaces(entry).includes(withoutSpaces(phrase))
  return { shared: shared.size, matched, isContiguous, source, length: entry.length }
}

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '')
}

function byLikeness(a: Likeness, b: Likeness): number {
  return (
    b.shared - a.shared ||
    a.matched - b.matched ||
    Number(b.isContiguous) - Number(a.isContiguous) ||
    a.source - b.source ||
    a.length - b.length
  )
}

/** The letters by which names are ordered. */
export function firstLetters(text: string): string {
  return [...text].slice(0, ORDERED_LETTERS).join('')
}

function compare(a: Ranked, b: Ranked): number {
  if (a.kind !== b.kind) return MATCH_KINDS.indexOf(a.kind) - MATCH_KINDS.indexOf(b.kind)
  const byId = byCodePoint(a.candidate.id, b.candidate.id)
  if (a.kind === 'beginning' || a.kind === 'half-typed') return byCodePoint(a.beginning, b.beginning) || byId
  return byLikeness(a.likeness, b.likeness) || byCodePoint(a.candidate.name, b.candidate.name) || byId
}

/** The order of PostgreSQL's collation C. */
function byCodePoint(a: string, b: string): number {
  if (a === b) return 0
  // Strings are compared by UTF-16, which puts code points beyond U+FFFF before some others.
  const isBefore =
    BEYOND_FIRST_PLANE.test(a) || BEYOND_FIRST_PLANE.test(b)
      ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
      : a < b
  return isBefore ? -1 : 1
}

const BEYOND_FIRST_PLANE = /[\ud800-\udfff]/
