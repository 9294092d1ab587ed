import { byId, element } from '../shared/dom.ts'
import { number } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress } from '../views/address.ts'
import type { ListedItem } from '../views/data.ts'
import { type Colours, DARK, LIGHT } from './colours.ts'
import type { Entry, Legend } from './legend.ts'

/*
 * The legend as the page shows it: a box on the map, and the colours of the list.
 */

/** A dataset may have thousands of categories. */
const MAX_REST = 100

/** Shows the legend on the map, if there is more than one colour or a filter. Its names are links to the places, if `isLinked`. */
export function showLegend({ entries, rest, only, isWhole }: Legend, colour: Colours, isLinked = true): void {
  byId('legend', HTMLDetailsElement).hidden = entries.length < 2 && only === undefined
  const line = (shown: string, name: HTMLElement, total: number) => [
    swatch(shown),
    name,
    isWhole ? element('span', { class: 'soft' }, number(total)) : undefined,
  ]
  const link = ({ name, view }: Entry) =>
    isLinked
      ? element('a', { href: formatAddress(view), 'data-view': true, dir: 'auto' }, name)
      : element('bdi', {}, name)
  const others = () => {
    const total = rest.reduce((sum, each) => sum + each.total, 0)
    const shown = rest.slice(0, MAX_REST)
    const more = rest.length - shown.length
    return element(
      'li',
      { class: 'others' },
      element(
        'details',
        {},
        element('summary', {}, ...line(colour.others, element('span', {}, t.others), total)),
        element(
          'ul',
          {},
          ...shown.map((each) => element('li', {}, ...line(colour.others, link(each), each.total))),
          more > 0 ? element('li', { class: 'soft' }, element('span'), t.andMore(more)) : undefined,
        ),
      ),
    )
  }
  byId('legend-entries', HTMLUListElement).replaceChildren(
    ...(only ? [element('li', {}, ...line(colour.dot, element('bdi', {}, only.name), only.total))] : []),
    ...entries.map((each, i) => element('li', {}, ...line(colour.values[i] ?? colour.others, link(each), each.total))),
    ...(rest.length > 0 ? [others()] : []),
  )
}

/** The colour of a place, for the list; undefined if all places have the same. */
export function swatchOf(
  { property, entries }: Legend,
  place: Pick<ListedItem, Legend['property']>,
): HTMLElement | undefined {
  if (entries.length < 2) return undefined
  const { values, others } = matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT
  return swatch(values[entries.findIndex(({ value }) => value === place[property])] ?? others)
}

function swatch(colour: string): HTMLElement {
  const made = element('span', { class: 'swatch' })
  // The policy of the page allows no style attributes in HTML, but a script may set them.
  made.style.background = colour
  return made
}
