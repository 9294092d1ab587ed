import { type Child, element } from '../shared/dom.ts'
import { distance } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, refined, type View } from './address.ts'
import { areaLabel, type CodesOf, categoryLabel } from './codes.ts'

/*
 * The filters of a view, below its title. Each is a link to the view without it.
 */

/** Creates the list of the filters; nothing if there are none. */
export function filterChips(view: View, codesOf: CodesOf): HTMLElement | undefined {
  const { dataset = '', category, area, near } = view
  const chips = [
    category && chip(t.category, categoryLabel(category, codesOf(dataset)), refined(view, { category: undefined })),
    area && chip(t.area, areaLabel(area, codesOf(dataset)), refined(view, { area: undefined })),
    near && chip(t.nearby, placeOf(near), refined(view, { near: undefined })),
  ].filter((each) => typeof each === 'object')
  return chips.length > 0 ? element('ul', { class: 'chips', 'aria-label': t.filters }, ...chips) : undefined
}

function chip(name: string, value: Child, without: View): HTMLElement {
  const link = element(
    'a',
    { href: formatAddress(without), 'data-view': true, title: t.removeFilter },
    element('span', { class: 'visually-hidden' }, `${t.removeFilter} `),
    `${name}: `,
    element('bdi', {}, value),
    element('span', { 'aria-hidden': 'true' }, ' ×'),
  )
  return element('li', {}, link)
}

/** For example `1 km, 37.5800, 126.9800`. */
function placeOf({ latitude, longitude, radius }: NonNullable<View['near']>): string {
  return `${distance(radius)}, ${latitude.toFixed(4)}, ${longitude.toFixed(4)}`
}
