import { element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'
import { formatAddress } from './address.ts'
import { controlRow } from './controls.ts'
import type { Dataset } from './data.ts'
import { developerPanel } from './developer-panel.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { shareButton } from './share.ts'
import { smallMap } from './small-map.ts'

/*
 * The list of datasets that the key may access.
 */

/** Creates the view. */
export function datasetsView(datasets: readonly Dataset[], actions: NearbyActions, signal: AbortSignal): HTMLElement {
  const total = datasets.reduce((sum, { items }) => sum + items.total, 0)
  const summary = datasets.length === 0 ? t.noDatasets : t.datasetsTotal(datasets.length, total)
  const nearby = { id: 'nearby', label: t.nearby, form: nearbyForm({}, actions) }
  return element(
    'div',
    { class: 'view' },
    element('h1', { tabindex: -1 }, t.datasets),
    element('p', { class: 'soft', role: 'status' }, summary),
    datasets.length > 0 ? controlRow([nearby], undefined, shareButton()) : undefined,
    element('ul', { class: 'cards' }, ...datasets.map((dataset) => card(dataset, signal))),
    developerPanel({}),
  )
}

function card(dataset: Dataset, signal: AbortSignal): HTMLElement {
  return element(
    'li',
    { class: 'card' },
    smallMap(dataset.slug, signal),
    element(
      'div',
      {},
      element(
        'h2',
        {},
        element('a', { href: formatAddress({ dataset: dataset.slug }), 'data-view': true, dir: 'auto' }, dataset.name),
      ),
      element('p', {}, element('strong', {}, t.places(dataset.items.total))),
      element('p', { class: 'summary', dir: 'auto' }, dataset.description ?? ''),
      element('p', { class: 'soft small', dir: 'auto' }, dataset.attribution),
    ),
  )
}
