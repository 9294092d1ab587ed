import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { View } from '../data/address.ts'
import { type CodesOf, NO_CODES } from '../data/codes.ts'
import type { Dataset } from '../data/datasets.ts'
import type { Legend } from './legend/legend.ts'

/*
 * What each view knows of the page.
 */

export interface ViewContext {
  view: View
  datasets: readonly Dataset[]
  /** The dataset of the view. */
  dataset: Dataset | undefined
  codesOf: CodesOf
  /** The colours of the map, which the list has too, when they are known. */
  legend: Promise<Legend>
  /** Opens another view, with an entry in the history. */
  open: (view: View) => void
  /** Opens a search around a point. */
  searchNear: (near: NonNullable<View['near']>) => void
  /** Waits for a click on the map, for a search around it. */
  pick: (radius: number) => void
}

const NO_PAGE: ViewContext = {
  view: {},
  datasets: [],
  dataset: undefined,
  codesOf: async () => NO_CODES,
  legend: new Promise(() => {}),
  open: () => {},
  searchNear: () => {},
  pick: () => {},
}

export const Context = createContext(NO_PAGE)
export const usePage = () => useContext(Context)
