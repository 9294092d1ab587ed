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
export interface Meant {
  phrase: string
  grams: ReadonlySet<string>
}

/** The indexes of whole names and of beginnings have this number of letters. */
const ORDERED_LETTERS = 50

/** Texts with fewer grams must have all of them in a name or a keyword. */
const FEWEST_GRAMS = 5

/** A mistake changes up to three grams, so a long text may have two mistakes. */
const MOST_MISSING = 6

/**
 * The number of grams that a name or a keyword must share with a text that has `count` grams: more than half, so that the grams can
 * be divided into groups of at least two, one of which it has.
 */
export function neededGrams(count: number): number {
  return count < FEWEST_GRAMS ? count : count - Math.min(Math.floor(count / 2) - 1, MOST_MISSING)
}

/**
 * The grams of a text with single spaces. The last word may be a beginning, so the gram of its end counts only where not all grams are
 * needed.
 */
export function gramsOf(phrase: string): Set<string> {
  const words = phrase.split(' ')
  const grams = new Set(words.flatMap(gramsOfWord))
  if (grams.size > FEWEST_GRAMS) return grams
  const beginning = new Set([
    ...words.slice(0, -1).flatMap(gramsOfWord),
    ...gramsOfWord(words.at(-1) ?? '').slice(0, -1),
  ])
  return beginning
}

/**
 * Three adjacent letters of a word in the order of their code points, with two spaces before the word and one after it. The SQL function
 * `letter_grams` gives the same. So two swapped letters change few grams.
 */
function gramsOfWord(word: string): string[] {
  const letters = [' ', ' ', ...word, ' ']
  return letters.slice(2).map((letter, n) => [letters[n] ?? '', letters[n + 1] ?? '', letter].sort(byLetter).join(''))
}

function byLetter(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
}

/** A candidate that is meant, and what decides its place. */
interface Ranked {
  candidate: Candidate
  /** 0 for an equal name or keyword, 1 for a name that begins with the text, 2 for other names and keywords. */
  kind: number
  /** Of a name that begins with the text: its first letters. */
  beginning: string
  /** Of other names and keywords: how like the best of them is to the text. */
  likeness: Likeness
}

/** How like a name or a keyword is to a text. */
interface Likeness {
  /** The number of grams of the text that it has. */
  shared: number
  /** The number of letters in those of its words that have such a gram. */
  matched: number
  /** 0 for a name, 1 for a keyword. */
  source: number
  length: number
}

/**
 * Returns the ids of the candidates that are probably meant, best first: equal names and keywords, then names that begin with the
 * text, then those that share most grams with it in the shortest words.
 */
export function rankCandidates(meant: Meant, candidates: readonly Candidate[], limit: number): string[] {
  return candidates
    .flatMap((candidate) => rank(meant, candidate) ?? [])
    .sort(compare)
    .slice(0, limit)
    .map(({ candidate }) => candidate.id)
}

function rank({ phrase, grams }: Meant, candidate: Candidate): Ranked | undefined {
  const entries = `${candidate.letters}\n${candidate.keywords}`.split('\n').map((entry) => entry.trim())
  const none = { candidate, beginning: '', likeness: { shared: 0, matched: 0, source: 0, length: 0 } }
  if (entries.includes(phrase)) return { ...none, kind: 0 }
  if (isShort(phrase) && candidate.letters.startsWith(phrase))
    return { ...none, kind: 1, beginning: firstLetters(candidate.letters) }
  const [likeness] = entries.map((entry, n) => compareWords(grams, entry, Math.min(n, 1))).sort(byLikeness)
  return likeness && likeness.shared >= neededGrams(grams.size) ? { ...none, kind: 2, likeness } : undefined
}

function compareWords(grams: ReadonlySet<string>, entry: string, source: number): Likeness {
  const shared = new Set<string>()
  let matched = 0
  for (const word of entry.split(' ')) {
    const found = gramsOfWord(word).filter((gram) => grams.has(gram))
    if (found.length > 0) matched += word.length
    for (const gram of found) shared.add(gram)
  }
  return { shared: shared.size, matched, source, length: entry.length }
}

function byLikeness(a: Likeness, b: Likeness): number {
  return b.shared - a.shared || a.matched - b.matched || a.source - b.source || a.length - b.length
}

/** Whether the indexes of whole names and of beginnings have all letters of a text. */
export function isShort(phrase: string): boolean {
  return [...phrase].length <= ORDERED_LETTERS
}

function firstLetters(text: string): string {
  return [...text].slice(0, ORDERED_LETTERS).join('')
}

function compare(a: Ranked, b: Ranked): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  const byId = byCodePoint(a.candidate.id, b.candidate.id)
  if (a.kind === 1) return byCodePoint(a.beginning, b.beginning) || byId
  return byLikeness(a.likeness, b.likeness) || byCodePoint(a.candidate.name, b.candidate.name) || byId
}

/** The order of PostgreSQL's collation C. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
