import { button, element } from '../shared/dom.ts'
import { formatAddress, isSearch, type View } from './address.ts'
import { type Codes, type CodesOf, labelOf } from './codes.ts'
import type { Dataset, ListedItem } from './data.ts'
import { datasetFacts } from './datasets-view.ts'
import { exportLinks } from './export-links.ts'
import { filterForm } from './filter-form.ts'
import { metres } from './metres.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { requestPanel } from './request-panel.ts'
import type { Results } from './results.ts'
import { DEFAULT_TABLE } from './table-columns.ts'

/*
 * The list of places: of a dataset, filtered, near a point, or found by a search.
 */

/** The results of all pages that were read, in a view. */
export interface PlacesContent extends Results {
  view: View
  dataset: Dataset | undefined
  /** The codes of the dataset, for the filters. */
  codes: Codes
  codesOf: CodesOf
  /** What was probably meant, if nothing was found. */
  suggestions?: readonly ListedItem[]
  /** The table that stands in for the list. */
  table?: HTMLElement
}

export interface PlacesActions extends NearbyActions {
  open: (view: View) => void
  more: () => void
}

/** The heading of a list that has places of all datasets. */
export const ALL_DATASETS = 'All datasets'

/** Creates the view. */
export function placesView(content: PlacesContent, actions: PlacesActions): HTMLElement {
  const { view, dataset, items, total, codes, codesOf } = content
  const rest = total - items.length
  return element(
    'div',
    { class: 'view' },
    element('p', { class: 'back' }, element('a', { href: '/', 'data-view': 'back' }, '← All datasets')),
    // A screen reader reads the number of places with the heading, which gets the focus.
    element(
      'h1',
      { tabindex: -1, dir: 'auto', 'aria-describedby': isSearch(view) ? 'search-status' : 'total' },
      dataset?.name ?? view.dataset ?? ALL_DATASETS,
    ),
    ...(isSearch(view) ? [] : introduction(content, actions)),
    view.dataset === undefined ? undefined : filterForm(view, codes, actions.open),
    // The search form shows the number of found places.
    isSearch(view) ? undefined : element('p', { class: 'soft', id: 'total', role: 'status' }, count(view, total)),
    viewSwitch(view),
    didYouMean(content),
    content.table ?? element('ol', { class: 'places' }, ...items.map((item) => row(view, item, codesOf))),
    rest > 0 && !content.table
      ? button(`Show more (${rest.toLocaleString('en')} left)`, actions.more, { class: 'button' })
      : undefined,
    requestPanel(view),
  )
}

function didYouMean({ view, suggestions = [], codesOf }: PlacesContent): HTMLElement | undefined {
  if (suggestions.length === 0) return undefined
  const rows = suggestions.map((item) => row(view, item, codesOf))
  return element('section', {}, element('h2', {}, 'Did you mean'), element('ul', { class: 'places' }, ...rows))
}

/** The link from the list to the table, or back. */
function viewSwitch(view: View): HTMLElement {
  const other = { ...view, table: view.table ? undefined : DEFAULT_TABLE }
  const label = view.table ? 'As a list' : 'As a table'
  return element('p', {}, element('a', { class: 'button', href: formatAddress(other), 'data-view': true }, label))
}

function introduction({ view, dataset }: PlacesContent, actions: PlacesActions): (HTMLElement | undefined)[] {
  return [
    dataset && element('p', { dir: 'auto' }, dataset.description ?? ''),
    dataset && datasetFacts(dataset),
    dataset &&
      element(
        'p',
        {},
        element(
          'a',
          { href: formatAddress({ dataset: dataset.slug, isAbout: true }), 'data-view': true },
          'About this dataset',
        ),
      ),
    dataset && exportLinks(dataset, view),
    nearbyForm(view, actions),
  ]
}

function count({ near, category, area, table }: View, total: number): string {
  if (total === 0) return near || category || area ? 'No places match.' : 'This dataset has no places yet.'
  const places = `${total.toLocaleString('en')} ${total === 1 ? 'place' : 'places'}`
  const filtered = category || area ? ' with these filters' : ''
  if (near) return `${places}${filtered} within ${metres(near.radius)}, nearest first`
  return filtered || table ? places + filtered : `${places}, by name`
}

function row(view: View, { id, datasetId, name, categoryCode, distance }: ListedItem, codesOf: CodesOf): HTMLElement {
  return element(
    'li',
    {},
    element('a', { href: formatAddress({ ...view, item: id, at: undefined }), 'data-view': true, dir: 'auto' }, name),
    element(
      'span',
      { class: 'soft small' },
      distance === undefined ? '' : `${metres(distance)} · `,
      element('bdi', {}, labelOf(categoryCode, codesOf(datasetId).categories)),
    ),
  )
}
