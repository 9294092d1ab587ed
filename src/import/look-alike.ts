/** Characters that have no width, and spaces that are not that of ASCII. */
const INVISIBLE = /[\p{Cf}\p{Cc}\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu

/** Says how a name in a file differs from another one that looks the same: `with U+FEFF`; undefined if none looks the same. */
export function findLookAlike(name: string, existing: readonly string[]): string | undefined {
  const found = existing.find((each) => each !== name && visible(each) === visible(name))
  if (found === undefined) return undefined
  if (unseen(found) !== '') return `with ${unseen(found)}`
  return unseen(name) !== '' ? `without ${unseen(name)}` : 'with other codes of the same letters (NFC or NFD)'
}

/** The invisible characters of a name. */
function unseen(name: string): string {
  const codes = [...name.matchAll(INVISIBLE)].map(([character]) => codeOf(character))
  return codes.length > 0 ? codes.join(', ') : name.trim() === name ? '' : 'spaces around it'
}

function visible(name: string): string {
  return name.replace(INVISIBLE, '').normalize('NFC').trim()
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
