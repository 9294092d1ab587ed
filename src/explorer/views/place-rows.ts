import type { Legend } from '../map/legend.ts'
import { swatchOf } from '../map/legend-box.ts'
import { button, element } from '../shared/dom.ts'
import { distance } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, MAX_RADIUS_METRES, refined, type View } from './address.ts'
import { type CodesOf, categoryLabel } from './codes.ts'
import type { ListedItem } from './data.ts'
import type { NearbyActions } from './nearby-form.ts'
import { thumbnail } from './picture.ts'

/*
 * The rows of a list of places, and those of what the page proposes where nothing was found.
 */

export interface RowContent {
  view: View
  codesOf: CodesOf
  /** The colours of the map, which the list has too. */
  legend: Promise<Legend>
}

/** Creates the row of a place, with a link to it. */
export function row({ view, codesOf, legend }: RowContent, item: ListedItem): HTMLElement {
  const { id, datasetId, name, categoryCode, thumbnailUrl } = item
  return element(
    'li',
    {},
    thumbnail(thumbnailUrl),
    element('a', { href: formatAddress({ ...view, item: id, at: undefined }), 'data-view': true, dir: 'auto' }, name),
    element(
      'span',
      { class: 'soft small' },
      item.distance === undefined ? '' : `${distance(item.distance)} · `,
      legend.then((known) => swatchOf(known, item)),
      element('bdi', { title: categoryCode }, categoryLabel(categoryCode, codesOf(datasetId))),
    ),
  )
}

/** Creates the section with the places that were probably meant, or with the one that is nearest to the point of the view. */
export function proposals(
  content: RowContent,
  places: readonly ListedItem[],
  search: NearbyActions['search'],
): HTMLElement | undefined {
  const { near } = content.view
  return near ? nearest(content, near, places[0], search) : didYouMean(content, places)
}

function didYouMean(content: RowContent, places: readonly ListedItem[]): HTMLElement | undefined {
  if (places.length === 0) return undefined
  // With the text, the place would stand below a search without results.
  const view = { ...content.view, text: undefined }
  const rows = places.map((item) => row({ ...content, view }, item))
  return element('section', {}, element('h2', {}, t.didYouMean), element('ul', { class: 'places' }, ...rows))
}

/** Where the nearest place is, and the radius that has it. */
function nearest(
  content: RowContent,
  near: NonNullable<View['near']>,
  place: ListedItem | undefined,
  search: NearbyActions['search'],
): HTMLElement {
  if (!place) {
    const all = formatAddress(refined(content.view, { near: undefined }))
    const link = element('a', { class: 'button', href: all, 'data-view': true }, t.farther)
    return element('section', {}, element('p', {}, t.noneWithin(distance(MAX_RADIUS_METRES))), element('p', {}, link))
  }
  const radius = rounded(place.distance ?? 0)
  return element(
    'section',
    {},
    element('ul', { class: 'places' }, row(content, place)),
    element(
      'p',
      {},
      button(t.searchWithin(distance(radius)), () => search({ ...near, radius }), { class: 'button' }),
    ),
  )
}

/** The next greater radius in metres with one digit. */
function rounded(metres: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, metres)))
  return Math.min(MAX_RADIUS_METRES, Math.ceil(metres / step) * step)
}
