import { button, element } from '../shared/dom.ts'
import { formatAddress, isSearch, type View } from './address.ts'
import { type Codes, labelOf } from './codes.ts'
import type { Dataset, ListedItem } from './data.ts'
import { datasetFacts } from './datasets-view.ts'
import { exportLinks } from './export-links.ts'
import { filterForm } from './filter-form.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { requestPanel } from './request-panel.ts'
import type { Results } from './results.ts'

/*
 * The list of places: of a dataset, filtered, near a point, or found by a search.
 */

/** The results of all pages that were read, in a view. */
export interface PlacesContent extends Results {
  view: View
  dataset: Dataset | undefined
  codes: Codes
}

export interface PlacesActions extends NearbyActions {
  open: (view: View) => void
  more: () => void
}

/** Creates the view. */
export function placesView(content: PlacesContent, actions: PlacesActions): HTMLElement {
  const { view, dataset, items, total, codes } = content
  const rest = total - items.length
  return element(
    'div',
    { class: 'view' },
    element('p', { class: 'back' }, element('a', { href: '/', 'data-view': 'back' }, '← All datasets')),
    element('h1', { tabindex: -1, dir: 'auto' }, dataset?.name ?? view.dataset ?? 'All datasets'),
    ...(isSearch(view) ? [] : introduction(content, actions)),
    view.near || !view.dataset ? undefined : filterForm(view, codes, actions.open),
    // The search form shows the number of found places.
    isSearch(view) ? undefined : element('p', { class: 'soft', role: 'status' }, count(view, total)),
    element(
      'ol',
      { class: 'places' },
      ...items.map((item) => row(view, item, labelOf(item.categoryCode, codes.categories))),
    ),
    rest > 0 ? button(`Show more (${rest.toLocaleString('en')} left)`, actions.more, { class: 'button' }) : undefined,
    requestPanel(view),
  )
}

function introduction({ view, dataset }: PlacesContent, actions: PlacesActions): (HTMLElement | undefined)[] {
  return [
    dataset && element('p', { dir: 'auto' }, dataset.description ?? ''),
    dataset && datasetFacts(dataset),
    dataset && exportLinks(dataset),
    nearbyForm(view, actions),
  ]
}

function count({ near, category, area }: View, total: number): string {
  if (total === 0) return near || category || area ? 'No places match.' : 'This dataset has no places yet.'
  const places = `${total.toLocaleString('en')} ${total === 1 ? 'place' : 'places'}`
  if (near) return `${places} within ${metres(near.radius)}, nearest first`
  return category || area ? `${places} with these filters` : `${places}, by name`
}

function row(view: View, { id, name, distance }: ListedItem, category: string): HTMLElement {
  return element(
    'li',
    {},
    element('a', { href: formatAddress({ ...view, item: id, at: undefined }), 'data-view': true, dir: 'auto' }, name),
    element(
      'span',
      { class: 'soft small' },
      distance === undefined ? '' : `${metres(distance)} · `,
      element('bdi', {}, category),
    ),
  )
}

/** A distance for people: `46 m`, `1.24 km`. */
export function metres(distance: number): string {
  if (distance < 1000) return `${Number(distance.toFixed(distance < 10 ? 1 : 0))} m`
  return `${Number((distance / 1000).toFixed(2))} km`
}
