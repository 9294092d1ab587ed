import { readFileSync } from 'node:fs'

/** Each Latin letter that CLDR's transform Latin-ASCII changes, and its ASCII: a line of `uconv -x Latin-ASCII` (ICU 72) for each. */
export const LATIN_ASCII: readonly [letter: string, ascii: string][] = readFileSync(
  new URL('latin-ascii.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [[line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]]))

/** NFKC would make a vowel of U+318D, and a space and a mark of an accent that stands alone. */
const MIDDLE_DOT = /[\u318d\u2219\u22c5\ua78f]/g
const ACCENT = /[\u00b4\u0384\u1fbd\u1fbf\u1ffd\u1ffe]/g
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/gu
const APOSTROPHE =
  /['`\u02b9-\u02bf\u02c8\u02ca\u02cb\u02ee\u055a\u05f3\u07f4\u07f5\u2018\u2019\u201b\u2032\u2035\ua78b\ua78c]/g
const LETTER_WITH_MARKS =
  /((?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{L})\p{M}+/gu
const SEPARATORS = /[\p{P}\p{White_Space}]+/gu
const ALEF = /[\u0671-\u0673\u0773\u0774\u0870-\u0882\u08ad]/g

/** What people type in place of each. */
const TYPED = new Map([
  ...LATIN_ASCII.map(([letter, ascii]): [string, string] => [letter, ascii.toLowerCase()]),
  ...['əe', 'ɔo', 'ɩi', 'ςσ', 'ヶケ', 'ヵカ'].map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
  ...['\u0643\u06a9', '\u06cc\u064a', '\u0649\u064a', '\u0629\u0647'].map((pair): [string, string] => [
    pair.slice(0, 1),
    pair.slice(1),
  ]),
])

/** Folds a text as docs/graphql.md says. The SQL function `fold_name` must return the same. */
export function fold(text: string): string {
  const letters = text
    .replace(MIDDLE_DOT, ' ')
    .replace(ACCENT, '')
    .replaceAll('\u0675', '\u0627')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(INVISIBLE, '')
    .replace(APOSTROPHE, '')
    .replace(LETTER_WITH_MARKS, '$1')
    .replace(SEPARATORS, ' ')
    .replace(ALEF, '\u0627')
    .replace(/\p{Nd}/gu, digitOf)
  return Array.from(letters, (letter) => TYPED.get(letter) ?? letter)
    .join('')
    .normalize('NFC')
    .trim()
}

/** The digits of a script follow each other, from zero to nine. */
function digitOf(digit: string): string {
  let zero = digit.codePointAt(0) ?? 0
  const point = zero
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((point - zero) % 10)
}
