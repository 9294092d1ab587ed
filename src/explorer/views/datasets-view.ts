import { smallMap } from '../map/small-map.ts'
import { button, element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'
import { formatAddress, type View } from './address.ts'
import { controlRow } from './controls.ts'
import type { Dataset } from './data.ts'
import { developerPanel } from './developer-panel.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { shareButton } from './share.ts'

/*
 * The list of datasets that the key may access.
 */

export interface DatasetsActions extends NearbyActions {
  open: (view: View) => void
}

/** Creates the view. */
export function datasetsView(datasets: readonly Dataset[], actions: DatasetsActions, signal: AbortSignal): HTMLElement {
  const total = datasets.reduce((sum, { items }) => sum + items.total, 0)
  const summary = datasets.length === 0 ? t.noDatasets : t.datasetsTotal(datasets.length, total)
  const nearby = { id: 'nearby', label: t.nearby, form: nearbyForm({}, actions) }
  const chosen = new Set<string>()
  const compare = button(t.compare, () => actions.open({ compared: [...chosen] }), { class: 'button' })
  compare.disabled = true
  compare.title = t.compareHint
  const choose = (slug: string, isChosen: boolean) => {
    if (isChosen) chosen.add(slug)
    else chosen.delete(slug)
    compare.disabled = chosen.size < 2
  }
  return element(
    'div',
    { class: 'view' },
    element('h1', { tabindex: -1 }, t.datasets),
    element('p', { class: 'soft', role: 'status' }, summary),
    datasets.length > 0
      ? controlRow([nearby], undefined, datasets.length > 1 ? compare : undefined, shareButton())
      : undefined,
    element('ul', { class: 'cards' }, ...datasets.map((dataset) => card(dataset, signal, choose))),
    developerPanel({}),
  )
}

function card(dataset: Dataset, signal: AbortSignal, choose: (slug: string, isChosen: boolean) => void): HTMLElement {
  const box = element('input', { type: 'checkbox', 'aria-label': `${t.compare}: ${dataset.name}`, title: t.compare })
  box.addEventListener('change', () => choose(dataset.slug, box.checked))
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
    box,
  )
}
