import type { View } from './address.ts'
import { circle } from './geodesic.ts'
import type { ExplorerMap } from './map.ts'
import { type Bounds, findBounds } from './tiles.ts'

/*
 * Where the map looks when a view is opened.
 */

/** Places of a dataset are not shown from nearer than this. */
const DATASET_ZOOM = 13
const CIRCLE_ZOOM = 18

/** Moves the map to the circle or the dataset of a view. Going back from an item to its list moves nothing. */
export async function moveMap(map: ExplorerMap, view: View, before: View, signal: AbortSignal): Promise<void> {
  const { dataset, near, item } = view
  if (item !== undefined) return
  if (near) return map.fit(boundsOf(circle([near.longitude, near.latitude], near.radius)), CIRCLE_ZOOM)
  if (before.item !== undefined && before.dataset === dataset) return
  const bounds = await findBounds(dataset, signal)
  if (bounds && !signal.aborted) map.fit(bounds, DATASET_ZOOM)
}

function boundsOf(ring: readonly (readonly [number, number])[]): Bounds {
  const longitudes = ring.map(([longitude]) => longitude)
  const latitudes = ring.map(([, latitude]) => latitude)
  return [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)]
}
