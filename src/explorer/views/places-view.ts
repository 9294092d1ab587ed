import { button, element, later } from '../shared/dom.ts'
import { AT_LEAST, distance } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, isSearch, type View } from './address.ts'
import { codeHint } from './code-hint.ts'
import type { Codes } from './codes.ts'
import { controlRow } from './controls.ts'
import type { Dataset, ListedItem } from './data.ts'
import { developerPanel, embedButton } from './developer-panel.ts'
import { exportLinks } from './export-links.ts'
import { filterChips } from './filter-chips.ts'
import { filterForm } from './filter-form.ts'
import { isNarrow } from './narrow.ts'
import { type NearbyActions, nearbyForm } from './nearby-form.ts'
import { proposals, type RowContent, row } from './place-rows.ts'
import type { Results } from './results.ts'
import { shareButton } from './share.ts'
import { DEFAULT_TABLE } from './table-columns.ts'

/*
 * The list of places: of a dataset, filtered, near a point, or found by a search.
 */

/** The results of all pages that were read, in a view. */
export interface PlacesContent extends Results, RowContent {
  /** The number of places there are at least. */
  least: number
  dataset: Dataset | undefined
  /** The codes of the dataset as they are now, for the filters. */
  codes: Promise<Codes>
  /** What was probably meant, or the nearest place, if nothing was found. */
  suggestions?: readonly ListedItem[]
  /** The table that stands in for the list. */
  table?: HTMLElement
}

export interface PlacesActions extends NearbyActions {
  open: (view: View) => void
  more: () => void
}

/** Creates the view. */
export function placesView(content: PlacesContent, actions: PlacesActions): HTMLElement {
  const { view, dataset, items, total, codes } = content
  const developers = developerPanel(view, dataset && exportLinks(dataset, view, 'programs'))
  return element(
    'div',
    { class: 'view' },
    backLine(
      element('a', { href: formatAddress({}), 'data-view': 'back' }, t.backToDatasets),
      embedButton(view, developers),
    ),
    // A screen reader reads the number of places with the heading, which gets the focus.
    element(
      'h1',
      { tabindex: -1, dir: 'auto', 'aria-describedby': isSearch(view) ? 'search-status' : 'total' },
      dataset?.name ?? view.dataset ?? t.allDatasetsTitle,
    ),
    filterChips(view, content.codesOf),
    !isSearch(view) && dataset?.description
      ? element('p', { class: 'summary', dir: 'auto' }, dataset.description)
      : undefined,
    controls(content, actions),
    // The search form shows the number of found places.
    isSearch(view)
      ? undefined
      : element(
          'p',
          { class: 'soft', id: 'total', role: 'status' },
          later(
            count(content, content.least, AT_LEAST),
            total.then((known) => count(content, known)),
          ),
        ),
    content.least === 0 ? codes.then((known) => codeHint(view, known)) : undefined,
    content.suggestions && proposals(content, content.suggestions, actions.search),
    content.table ?? element('ol', { class: 'places' }, ...items.map((item) => row(content, item))),
    total.then((known) =>
      known > items.length && !content.table
        ? button(t.more(known - items.length), actions.more, { class: 'button' })
        : undefined,
    ),
    developers,
  )
}

/** The line above a heading: the way back, and the buttons to share the view. */
export function backLine(back: HTMLElement, more?: HTMLElement): HTMLElement {
  return element('p', { class: 'back' }, back, more, shareButton())
}

function controls({ view, dataset, codes, codesOf }: PlacesContent, actions: PlacesActions): HTMLElement {
  const other = { ...view, table: view.table ? undefined : DEFAULT_TABLE }
  const link = (label: string, to: View) =>
    element('a', { class: 'button', href: formatAddress(to), 'data-view': true }, label)
  return controlRow(
    [
      ...(view.dataset === undefined
        ? []
        : [
            {
              id: 'filters',
              label: t.filters,
              form: filterForm(view, [codesOf(view.dataset), codes], actions.open),
            },
          ]),
      ...(isSearch(view) ? [] : [{ id: 'nearby', label: t.nearby, form: nearbyForm(view, actions) }]),
      ...(dataset && !isSearch(view)
        ? [{ id: 'download', label: t.download, form: exportLinks(dataset, view, 'people') }]
        : []),
    ],
    view.near && !isNarrow() ? 'nearby' : undefined,
    link(view.table ? t.asList : t.asTable, other),
    dataset && link(t.about, { dataset: dataset.slug, isAbout: true }),
  )
}

function count({ view, suggestions: [nearest] = [] }: PlacesContent, total: number, more = ''): string {
  const { near, category, area, table } = view
  const isFiltered = category !== undefined || area !== undefined
  if (near && total === 0)
    return t.noneNear(distance(near.radius), nearest?.distance === undefined ? undefined : distance(nearest.distance))
  if (total === 0) return isFiltered ? t.noMatch : t.empty
  if (near) return t.within(total, distance(near.radius), isFiltered, more)
  if (isFiltered) return t.filtered(total)
  return table ? t.places(total) : t.byName(total)
}
