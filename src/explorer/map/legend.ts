import type { ExpressionSpecification } from 'maplibre-gl'
import { isSearch, refined, type View } from '../views/address.ts'
import type { Codes } from '../views/codes.ts'
import { type Dataset, findDataset } from '../views/data.ts'
import type { Colours } from './colours.ts'

/*
 * The colours of places: by category in a dataset, by dataset elsewhere. The most frequent values have a colour of their own.
 */

export interface Entry {
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
  /** Those with a colour of their own, if there are several. */
  entries: readonly Entry[]
  /** The others. */
  rest: readonly Entry[]
  /** The category of all places, if a filter has chosen it. */
  only?: Entry | undefined
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
          view: refined(view, { category: code }),
        }))
  const byTotal = all.filter(({ total }) => total > 0).sort((left, right) => right.total - left.total)
  // If only one value has no colour, the rest would be that value.
  const most = byTotal.length === MAX_ENTRIES + 1 ? MAX_ENTRIES - 1 : MAX_ENTRIES
  const isFiltered = view.category !== undefined
  return {
    property: view.dataset === undefined ? 'datasetId' : 'categoryCode',
    entries: isFiltered ? [] : byTotal.slice(0, most),
    rest: isFiltered ? [] : byTotal.slice(most),
    only: all.find(({ value }) => value === view.category),
    isWhole: view.area === undefined && view.near === undefined && !isSearch(view),
  }
}

/** The colour of a place. If all places have the same value, it is the colour of a dot. */
export function placeColour({ property, entries }: Legend, colour: Colours): ExpressionSpecification | string {
  const [first, ...rest] = entries.map(({ value }, i) => [value, colour.values[i] ?? colour.others] as const)
  if (!first || rest.length === 0) return colour.dot
  return ['match', ['get', property], ...first, ...rest.flat(), colour.others]
}
