import type { ListedItem } from '../../data/items.ts'
import { DARK, LIGHT } from '../../map/colours.ts'
import type { Legend } from './legend.ts'

/** The colour of a place, for the list; undefined if all places have the same. */
export function swatchOf({ property, entries }: Legend, place: Pick<ListedItem, Legend['property']>) {
  if (entries.length < 2) return undefined
  const { values, others } = matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT
  return values[entries.findIndex(({ value }) => value === place[property])] ?? others
}

/** A dot in a colour of the map. */
export function Swatch({ colour }: { colour: string }) {
  return <span class="swatch" style={{ background: colour }} />
}
