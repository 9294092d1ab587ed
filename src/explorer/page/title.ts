import { isSearch, type View } from '../data/address.ts'
import { t } from '../shared/text.ts'

const SITE = 'Dataset Catalog'

/** Returns the title of a view: the most particular name first. `dataset` and `item` are names, if they are known. */
export function titleOf(view: View, dataset: string | undefined, item: string | undefined): string {
  const place = dataset ?? view.dataset ?? (view.compared && t.compared)
  if (view.isAbout) return join(t.about, place)
  if (view.item !== undefined) return join(item, place)
  if (view.near) return join(t.nearby, place)
  if (isSearch(view)) return join(view.text === undefined ? t.visiblePlaces : `“${view.text}”`, place)
  return join(place)
}

function join(...names: (string | undefined)[]): string {
  const known = names.filter((name) => name !== undefined)
  return known.length === 2 ? known.join(' · ') : [...known, SITE].join(' · ')
}
