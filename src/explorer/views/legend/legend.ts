import { isSearch, refined, type View } from '../../data/address.ts'
import { type Codes, type Dataset, findDataset } from '../../data/datasets.ts'
import type { Colouring } from '../../map/colours.ts'

/*
 * The colours of places: by category in a dataset, by dataset elsewhere. The most frequent values have a colour of their own.
 */

export interface Entry {
  value: string
  name: string
  /** In the dataset, or of it. */
  total: number
  /** The view that shows only these places, or all again if it shows only these. */
  view: View
}

export interface Legend extends Colouring {
  /** Those with a colour of their own, if there are several. */
  entries: readonly Entry[]
  /** The others. */
  rest: readonly Entry[]
  /** The category of all places, if a filter has chosen it. */
  only?: string | undefined
  /** Whether the view has all the places that the totals count. */
  isWhole: boolean
}

const MAX_ENTRIES = 6

/** Returns the legend of a view. */
export function legendOf(view: View, { categories }: Codes, datasets: readonly Dataset[]): Legend {
  const { compared } = view
  const shown = compared ? compared.flatMap((dataset) => findDataset(datasets, { dataset }) ?? []) : datasets
  const all =
    view.dataset === undefined
      ? shown.map(({ id, slug, name, items: { total } }) => ({
          value: id,
          name,
          total,
          view: refined(view, { compared: undefined, dataset: slug }),
        }))
      : categories.map(({ code, label, total }) => ({
          value: code,
          name: label ?? code,
          total,
          view: refined(view, { category: code === view.category ? undefined : code }),
        }))
  const byTotal = all.filter(({ total }) => total > 0).sort((left, right) => right.total - left.total)
  // If only one value has no colour, the rest would be that value.
  const most = byTotal.length === MAX_ENTRIES + 1 ? MAX_ENTRIES - 1 : MAX_ENTRIES
  return {
    property: view.dataset === undefined ? 'datasetId' : 'categoryCode',
    entries: byTotal.slice(0, most),
    rest: byTotal.slice(most),
    only: view.category,
    isWhole: view.area === undefined && view.near === undefined && !isSearch(view),
  }
}
