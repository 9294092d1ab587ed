import { element } from '../shared/dom.ts'
import { formatAddress } from './address.ts'
import type { Dataset } from './data.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { requestPanel } from './request-panel.ts'
import { smallMap } from './small-map.ts'

/*
 * The list of datasets that the key may access.
 */

/** Creates the view. */
export function datasetsView(datasets: readonly Dataset[], actions: NearbyActions, signal: AbortSignal): HTMLElement {
  const total = datasets.reduce((sum, { items }) => sum + items.total, 0)
  return element(
    'div',
    { class: 'view' },
    element('h1', { tabindex: -1 }, 'Datasets'),
    element('p', { class: 'soft', role: 'status' }, summary(datasets.length, total)),
    datasets.length > 0 ? nearbyForm({}, actions) : undefined,
    element('ul', { class: 'cards' }, ...datasets.map((dataset) => card(dataset, signal))),
    requestPanel({}),
  )
}

function summary(count: number, total: number): string {
  if (count === 0) return 'This key opens no datasets. Its operator can grant it some.'
  return `${count} ${count === 1 ? 'dataset' : 'datasets'}, ${total.toLocaleString('en')} places`
}

function card(dataset: Dataset, signal: AbortSignal): HTMLElement {
  return element(
    'li',
    { class: 'card' },
    smallMap(dataset.slug, signal),
    element(
      'h2',
      {},
      element('a', { href: formatAddress({ dataset: dataset.slug }), 'data-view': true, dir: 'auto' }, dataset.name),
    ),
    element('p', { dir: 'auto' }, dataset.description ?? ''),
    datasetFacts(dataset),
    element('p', { class: 'soft small', dir: 'auto' }, dataset.attribution),
  )
}

/** The number of items, the status and the visibility, in one line. */
export function datasetFacts({ items, status, visibility, accessTier }: Dataset): HTMLElement {
  const access = visibility.toLowerCase() + (accessTier ? `, tier ${accessTier}` : '')
  return element(
    'p',
    { class: 'facts' },
    element('strong', {}, items.total.toLocaleString('en')),
    ` ${items.total === 1 ? 'place' : 'places'} `,
    element('span', { class: 'tag' }, status.toLowerCase()),
    element('span', { class: 'tag' }, access),
  )
}
