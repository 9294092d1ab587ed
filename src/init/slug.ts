import { createHash } from 'node:crypto'
import { isSlug, MAX_SLUG_LENGTH } from '../catalog/arguments.ts'

/**
 * Returns a slug made of the name of a file: its Latin letters without accents, its Hangul romanised. If other letters or all are lost, it
 * ends in a hash of the name, so that files whose names differ in these letters have different slugs.
 */
export function slugOf(name: string): string {
  const composed = name.normalize('NFC')
  const latin = romanised(composed).normalize('NFKD').replace(/\p{M}/gu, '')
  const words = latin.replace(/[^A-Za-z0-9._~]+/g, '-').replace(/^[^A-Za-z0-9]+|-+$/g, '')
  const isWhole = words !== '' && !/[^\p{ASCII}]/u.test(latin.replace(/[\p{P}\p{Z}]/gu, ''))
  if (isWhole && isSlug(words)) return words
  const hash = createHash('sha256').update(composed).digest('hex').slice(0, HASH_LENGTH)
  return `${words.slice(0, MAX_SLUG_LENGTH - HASH_LENGTH - 1) || 'dataset'}-${hash}`
}

const HASH_LENGTH = 8

/** The letters of the Revised Romanization of Korean (2000), without the changes between syllables: initials, vowels and finals. */
const INITIALS = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const FINALS = ' k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')
const FIRST_SYLLABLE = 0xac00

function romanised(text: string): string {
  return text.replace(/[가-힣]/g, (syllable) => {
    const index = syllable.charCodeAt(0) - FIRST_SYLLABLE
    const [initial, rest] = [
      Math.floor(index / (VOWELS.length * FINALS.length)),
      index % (VOWELS.length * FINALS.length),
    ]
    return [INITIALS[initial], VOWELS[Math.floor(rest / FINALS.length)], FINALS[rest % FINALS.length]].join('')
  })
}
