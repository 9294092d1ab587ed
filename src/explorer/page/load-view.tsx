import { hasPlaces, type View } from '../data/address.ts'
import { DatasetsView } from '../views/datasets/datasets-view.tsx'
import type { Loaded, Source } from './load-place-view.tsx'

/** Loads a view; undefined if there is nothing to show. The list of datasets, which most people see first, waits for no other view's code. */
export async function loadView(view: View, source: Source): Promise<Loaded | undefined> {
  if (isFirstView(view)) return { view, content: <DatasetsView signal={source.signal} /> }
  return (await loadViews()).loadPlaceView(view, source)
}

/** Loads the code of the other views. */
export const loadViews = () => import('./load-place-view.tsx')

/** Whether a view is the list of datasets. */
export const isFirstView = (view: View) => view.item === undefined && !view.compared && !hasPlaces(view)
