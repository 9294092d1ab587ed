import { haveSamePlaces, isSearch, type View } from '../views/address.ts'
import { readExtent } from '../views/data.ts'
import { placeZoom } from './base-map.ts'
import { asMapped, boxAround, boxAroundAll, type Position } from './box.ts'
import { circle } from './geodesic.ts'
import type { ExplorerMap } from './map.ts'

/*
 * Moves the map when a view is opened.
 */

/** The highest zoom at which a whole dataset is shown. */
const DATASET_ZOOM = 13
const CIRCLE_ZOOM = 18

/**
 * Moves the map to the circle, the box or the dataset of a view. The map stays when a person goes back from an item to its
 * list. A search by name moves the map when its results are known (`moveToItems`).
 */
export async function moveMap(map: ExplorerMap, view: View, before: View, signal: AbortSignal): Promise<void> {
  const { dataset, near, within, item } = view
  if (item !== undefined) return
  if (near) return map.fit(boxAround(circle([near.longitude, near.latitude], near.radius)), CIRCLE_ZOOM)
  if (within) return map.fitExactly(within)
  if (isSearch(view)) return
  if (before.item !== undefined && haveSamePlaces({ ...before, item: undefined }, view)) return
  const { compared = [dataset] } = view
  const extents = await Promise.all(compared.map((each) => readExtent(each, signal)))
  const known = extents.filter((extent) => extent !== undefined)
  if (known.length > 0 && !signal.aborted) map.fit(asMapped(boxAroundAll(known)), DATASET_ZOOM)
}

/** Moves the map to the results of a search. */
export function moveToItems(map: ExplorerMap, items: readonly Position[]): void {
  if (items.length === 0) return
  const box = boxAround(items.map(({ longitude, latitude }) => [Number(longitude), Number(latitude)]))
  const [only] = items.length === 1 ? items : []
  map.fit(asMapped(box), only ? placeZoom(only) : DATASET_ZOOM)
}
