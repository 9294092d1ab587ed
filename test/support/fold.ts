const LETTER_WITH_MARKS = /((?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L})\p{M}+/gu

/** Folds a text as docs/graphql.md says. The SQL function `fold_name` must return the same. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFD').replace(LETTER_WITH_MARKS, '$1').normalize('NFC')
}
