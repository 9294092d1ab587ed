import iconv from 'iconv-lite'
import { shorten } from '../../errors/errors.ts'

/** What is wrong with the text of a row. */
interface WrongText {
  reason: string
  kind: string
}

/** Encodings in which UTF-8 is read by mistake, and what a word must be, read as UTF-8 again, so that it is no word in the encoding itself. */
const READ_AS: readonly {
  encodings: readonly string[]
  isMeant: (meant: string, found: Found) => boolean
}[] = [
  { encodings: ['windows-1252', 'iso-8859-1', 'windows-1250', 'macintosh', 'cp850', 'cp437'], isMeant: isMeantByLatin },
  {
    encodings: ['windows-1251', 'windows-1253'],
    isMeant: (meant, { before }) => ([...meant].length > 1 || /[A-Za-z]/.test(before)) && TEXT.test(meant),
  },
  {
    encodings: ['shift_jis', 'gb18030', 'cp949'],
    isMeant: (meant) => /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2,}$/u.test(meant),
  },
]

const TEXT = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u

/** Signs that stand after a word: `CAFÉ®`, `«CAFFÈ»`. */
const CLOSING = /[»”“„’‘›®™©°…]$/

/** A single letter must be a usual one, and have the case of those beside it: `RĂŞINARI` is a text. */
function isMeantByLatin(meant: string, { word, before, after }: Found): boolean {
  if ([...meant].length > 1) return TEXT.test(meant)
  if (/\p{Lu}/u.test(before) && !/\p{L}/u.test(after) && CLOSING.test(word)) return false
  if (/\p{Lu}/u.test(before) && !/\p{Ll}/u.test(after) && /\p{Ll}/u.test(meant)) return false
  return /[\u00a0-\u017f\u0218-\u021b\u2010-\u2122]/.test(meant)
}

/** Letters beyond ASCII, and the characters beside them. */
interface Found {
  word: string
  before: string
  after: string
}

/** The first character or two of each text that begins with a character of UTF-8, with the encodings that read it so. */
let starts: Map<string, string[]> | undefined

function findStarts(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const encoding of READ_AS.flatMap(({ encodings }) => encodings)) {
    for (let lead = 0xc2; lead <= 0xf4; lead += 1) {
      for (let trail = 0x80; trail <= 0xbf; trail += 1) {
        const text = iconv.decode(Buffer.of(lead, trail), encoding)
        // Bytes without a character stay as they are.
        const start = text.replace(/\ufffd$/, String.fromCharCode(trail))
        if (!start.includes('\ufffd')) found.set(start, [...(found.get(start) ?? []), encoding])
      }
    }
  }
  return found
}

/** Says which text in a value was UTF-8 and has been read in another encoding, such as `CafÃ©`, or has lost a letter; undefined if none. */
export function findMojibake(value: unknown): WrongText | undefined {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) {
      const found = findMojibake(each)
      if (found) return found
    }
  }
  return typeof value === 'string' && BEYOND_ASCII.test(value) ? describe(value) : undefined
}

const BEYOND_ASCII = /[^\0-\x7f]{2}|\ufffd/

function describe(text: string): WrongText | undefined {
  if (text.includes('\ufffd')) {
    const kind = 'has U+FFFD in the place of a lost letter; fetch the file again from its source'
    return { kind, reason: `${JSON.stringify(shorten(text, SHOWN))} ${kind}` }
  }
  const meant = text.replace(/[^\0-\x7f]{2,}/g, (word, at: number) => {
    const [before = '', after = ''] = [text[at - 1], text[at + word.length]]
    return meantBy({ word, before, after }) ?? word
  })
  if (meant === text) return undefined
  const kind =
    'is probably UTF-8 that was read in another encoding and saved again; fetch the file again from its source'
  const [shown, better] = [text, meant].map((each) => JSON.stringify(shorten(each, SHOWN)))
  return { kind, reason: `${shown} ${kind.replace('UTF-8', `${better} in UTF-8`)}` }
}

/** Characters of a text that are shown. */
const SHOWN = 60

function meantBy(found: Found): string | undefined {
  starts ??= findStarts()
  const { word } = found
  for (const encoding of starts.get(word.slice(0, 2)) ?? starts.get(word.slice(0, 1)) ?? []) {
    const bytes = [...word].map((letter) =>
      /[\x80-\x9f]/.test(letter) ? Buffer.from(letter, 'latin1') : iconv.encode(letter, encoding),
    )
    const meant = Buffer.concat(bytes).toString()
    const { isMeant } = READ_AS.find(({ encodings }) => encodings.includes(encoding)) ?? {}
    if (!/[\ufffd?]/.test(meant) && isMeant?.(meant, found)) return meant
  }
  return undefined
}
