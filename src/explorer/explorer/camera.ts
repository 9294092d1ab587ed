import { isSearch, type View } from './address.ts'
import { type Bounds, boxAround } from './box.ts'
import { type ListedItem, readExtent } from './data.ts'
import { circle } from './geodesic.ts'
import type { ExplorerMap } from './map.ts'
import { readWorld } from './tiles.ts'

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
  if (before.item !== undefined && before.dataset === dataset) return
  const bounds = await findBounds(dataset, signal)
  if (bounds && !signal.aborted) map.fit(bounds, DATASET_ZOOM)
}

/** A tile is divided into squares. A cluster is at the mean position of its items, which may be anywhere in its square. */
const SQUARES = 16

/**
 * Finds the box of the items; undefined if there are none. An extent does not cross the antimeridian, so for items on both of its
 * sides it is as wide as the world. The squares of the world's tile then show a narrower box that crosses it, if there is one.
 */
export async function findBounds(dataset: string | undefined, signal: AbortSignal): Promise<Bounds | undefined> {
  const extent = await readExtent(dataset, signal)
  if (!extent) return undefined
  const [west, south, east, north] = extent
  if (east - west <= 180) return extent
  const longitudes = (await readWorld(dataset, signal)).flatMap(({ x, total }) => {
    const square = Math.floor(x * SQUARES)
    return (total === 1 ? [x] : [square / SQUARES, (square + 1) / SQUARES]).map((value) => value * 360 - 180)
  })
  const [narrowWest, , narrowEast] = boxAround(longitudes.map((longitude) => [longitude, 0]))
  return narrowEast - narrowWest < 180 ? [narrowWest, south, narrowEast, north] : extent
}

/** Moves the map to the results of a search. */
export function moveToItems(map: ExplorerMap, items: readonly ListedItem[]): void {
  if (items.length === 0) return
  map.fit(boxAround(items.map(({ longitude, latitude }) => [Number(longitude), Number(latitude)])), DATASET_ZOOM)
}
