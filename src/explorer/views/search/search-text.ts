import type { View } from '../../data/address.ts'
import { fill, places, t } from '../../shared/text.ts'

/** Code points. */
const MAX_TEXT_LENGTH = 200

/** Returns the problem of a text to search for; undefined if the text is valid. */
export function textProblem(text: string): string | undefined {
  const length = [...text].length
  return length > MAX_TEXT_LENGTH ? fill(t.textTooLong, { length, most: MAX_TEXT_LENGTH }) : undefined
}

/** Says how many places a search has found, or how many at least. */
export function foundText({ text, within }: View, count: number, isLeast: boolean): string {
  return fill(count === 0 ? t.foundNone : t.found, {
    places: places(count, isLeast),
    text: text === undefined ? '' : fill(t.foundText, { text }),
    part: within ? t.foundPart : '',
  })
}
