import type { Legend } from '../map/legend.ts'
import { swatchOf } from '../map/legend-box.ts'
import { element, later } from '../shared/dom.ts'
import { AT_LEAST, number } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, isSearch, type View } from './address.ts'
import type { CodesOf } from './codes.ts'
import { type Dataset, findDataset } from './data.ts'
import { developerPanel } from './developer-panel.ts'
import { filterChips } from './filter-chips.ts'
import { row } from './place-rows.ts'
import { backLine } from './places-view.ts'
import { reasonOf } from './problem.ts'
import type { Results } from './results.ts'

/*
 * Two or more datasets side by side: each with its number of places, its credit line and its first places, or those that a search has found.
 */

const SHOWN = 10

export interface CompareContent {
  view: View
  datasets: readonly Dataset[]
  /** The results of each dataset of the view, in its order, or why there are none. */
  results: readonly (Results | { error: unknown })[]
  codesOf: CodesOf
  legend: Promise<Legend>
}

/** Creates the view. */
export function compareView(content: CompareContent): HTMLElement {
  const { view, datasets, results, codesOf, legend } = content
  const columns = (view.compared ?? []).map((slug, n) => {
    const dataset = findDataset(datasets, { dataset: slug })
    const result = results[n] ?? { items: [], total: Promise.resolve(0) }
    if ('error' in result) {
      const others = (nearest: string) => ({
        ...view,
        compared: view.compared?.map((each) => (each === slug ? nearest : each)),
      })
      return element('section', {}, element('h2', { dir: 'auto' }, slug), reasonOf(result.error, others))
    }
    const { items, total } = result
    const own = { ...view, compared: undefined, dataset: slug, at: undefined }
    return element(
      'section',
      {},
      element(
        'h2',
        {},
        dataset && legend.then((known) => swatchOf(known, { datasetId: dataset.id, categoryCode: '' })),
        element('a', { href: formatAddress(own), 'data-view': true, dir: 'auto' }, dataset?.name ?? slug),
      ),
      element(
        'p',
        {},
        element(
          'strong',
          {},
          later(
            t.places(items.length, AT_LEAST),
            total.then((known) => t.places(known)),
          ),
        ),
      ),
      // The totals are those of the whole dataset.
      isSearch(view) || view.near ? undefined : topCategories(dataset, codesOf),
      element('p', { class: 'soft small', dir: 'auto' }, dataset?.attribution ?? ''),
      element('ul', { class: 'places' }, ...items.slice(0, SHOWN).map((item) => row({ view, codesOf, legend }, item))),
      total.then((known) =>
        known > SHOWN
          ? element('p', {}, element('a', { href: formatAddress(own), 'data-view': true }, t.allPlaces(known)))
          : undefined,
      ),
    )
  })
  return element(
    'div',
    { class: 'view' },
    backLine(element('a', { href: formatAddress({}), 'data-view': 'back' }, t.backToDatasets)),
    element('h1', { tabindex: -1 }, t.compared),
    filterChips(view, codesOf),
    element('div', { class: 'compared' }, ...columns),
    developerPanel(view),
  )
}

const MAX_CATEGORIES = 3

/** The most frequent categories of a dataset with their totals. */
function topCategories(dataset: Dataset | undefined, codesOf: CodesOf): HTMLElement {
  const shown = codesOf(dataset?.id ?? '').then(({ categories }) =>
    categories.slice(0, MAX_CATEGORIES).map(({ code, label, total }) => `${label ?? code}\u00a0${number(total)}`),
  )
  return element(
    'p',
    { class: 'small', dir: 'auto' },
    shown.then((texts) => texts.join(' · ')),
  )
}
