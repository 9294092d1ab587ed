import type { ExpressionSpecification } from 'maplibre-gl'
import { byId, element } from '../shared/dom.ts'
import { number } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, isSearch, type View } from '../views/address.ts'
import type { Codes } from '../views/codes.ts'
import { type Dataset, findDataset, type ListedItem } from '../views/data.ts'
import { firstPage } from '../views/table-columns.ts'
import { type Colours, DARK, LIGHT } from './colours.ts'

/*
 * The colours of places: by category in a dataset, by dataset elsewhere. The most frequent values have a colour of their own.
 */

interface Entry {
  value: string
  name: string
  /** In the dataset, or of it. */
  total: number
  /** The view that shows only these places. */
  view: View
}

export interface Legend {
  /** The property of a place that decides its colour. */
  property: 'categoryCode' | 'datasetId'
  entries: readonly Entry[]
  /** Whether the view has all the places that the totals count. */
  isWhole: boolean
  /** The number of places without a colour of their own. */
  others: number
}

const MAX_ENTRIES = 6

/** Returns the legend of a view. */
export function legendOf(view: View, { categories }: Codes, datasets: readonly Dataset[]): Legend {
  // A search in the visible part of the map must not move the map.
  const list = {
    ...view,
    at: view.within && view.at,
    item: undefined,
    isAbout: undefined,
    table: firstPage(view.table),
  }
  const { compared } = view
  const shown = compared ? compared.flatMap((dataset) => findDataset(datasets, { dataset }) ?? []) : datasets
  const all =
    view.dataset === undefined
      ? shown.map(({ id, slug, name, items: { total } }) => ({
          value: id,
          name,
          total,
          view: { ...list, compared: undefined, dataset: slug },
        }))
      : categories.map(({ code, label, total }) => ({
          value: code,
          name: label ?? code,
          total,
          view: { ...list, category: code },
        }))
  // With a filter all places have the same category.
  const byTotal = (view.category === undefined ? all : [])
    .filter(({ total }) => total > 0)
    .sort((left, right) => right.total - left.total)
  // If only one value has no colour, the rest would be that value.
  const entries = byTotal.slice(0, byTotal.length === MAX_ENTRIES + 1 ? MAX_ENTRIES - 1 : MAX_ENTRIES)
  return {
    property: view.dataset === undefined ? 'datasetId' : 'categoryCode',
    entries,
    isWhole: view.area === undefined && view.near === undefined && !isSearch(view),
    others: byTotal.slice(entries.length).reduce((sum, { total }) => sum + total, 0),
  }
}

/** The colour of a place. If all places have the same value, it is the colour of a dot. */
export function placeColour({ property, entries }: Legend, colour: Colours): ExpressionSpecification | string {
  const [first, ...rest] = entries.map(({ value }, i) => [value, colour.values[i] ?? colour.others] as const)
  if (!first || rest.length === 0) return colour.dot
  return ['match', ['get', property], ...first, ...rest.flat(), colour.others]
}

/** Shows the legend on the map, if there is more than one colour. */
export function showLegend({ entries, others, isWhole }: Legend, colour: Colours): void {
  const legend = byId('legend', HTMLDetailsElement)
  legend.hidden = entries.length < 2
  const line = (value: string | undefined, name: HTMLElement, total: number) =>
    element(
      'li',
      {},
      swatch(value ?? colour.others),
      name,
      isWhole ? element('span', { class: 'soft' }, number(total)) : undefined,
    )
  byId('legend-entries', HTMLUListElement).replaceChildren(
    ...entries.map(({ name, total, view }, i) =>
      line(colour.values[i], element('a', { href: formatAddress(view), 'data-view': true, dir: 'auto' }, name), total),
    ),
    ...(others > 0 ? [line(undefined, element('span', {}, t.others), others)] : []),
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
