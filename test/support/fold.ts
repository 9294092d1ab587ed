const LETTER_WITH_MARKS = /((?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L})\p{M}+/gu
const INVISIBLE = /[\p{Cf}\u0640]/gu
const ACUTE = /[\u00b4\u1ffd]/g

/** What people type in place of each. */
const TYPED = new Map([
  ...['ςσ', 'łl', 'đd', 'ðd', 'øo', 'ħh', 'ıi', 'ŧt', 'ŋn', "’'", "ʼ'", "`'"].map((pair) => [...pair]),
  ...[
    ['æ', 'ae'],
    ['œ', 'oe'],
    ['ß', 'ss'],
    ['þ', 'th'],
    ['\u0643', '\u06a9'],
    ['\u06cc', '\u064a'],
  ],
] as [string, string][])

/** Folds a text as docs/graphql.md says. The SQL function `fold_name` must return the same. */
export function fold(text: string): string {
  const letters = text.replace(ACUTE, "'").normalize('NFKC').toLowerCase().normalize('NFD').replace(INVISIBLE, '')
  return Array.from(letters.replace(LETTER_WITH_MARKS, '$1'), (letter) => TYPED.get(letter) ?? letter)
    .join('')
    .normalize('NFC')
}
