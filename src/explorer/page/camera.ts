import { haveSamePlaces, isSearch, type View } from '../data/address.ts'
import { type Dataset, findDataset } from '../data/datasets.ts'
import { placeZoom } from '../map/base-map.ts'
import { type Bounds, boxAround, boxAroundAll, type Position } from '../map/box.ts'
import type { ExplorerMap } from '../map/explorer-map.ts'

/** The highest zoom at which a whole dataset is shown. */
const DATASET_ZOOM = 13
const CIRCLE_ZOOM = 18
const METRES_OF_DEGREE = 111_000

/**
 * Moves the map to the circle, the box or the dataset of a view. The map stays when a person goes back from an item to its
 * list. A search by name moves the map when its results are known (`moveToItems`).
 */
export function moveMap(map: ExplorerMap, view: View, before: View, datasets: readonly Dataset[]): void {
  const { compared, dataset, near, within, item } = view
  if (item !== undefined) return
  if (near) map.fit(boxOf(near), CIRCLE_ZOOM)
  else if (within) map.fitExactly(within)
  if (near || within || isSearch(view)) return
  if (before.item !== undefined && haveSamePlaces({ ...before, item: undefined }, view)) return
  const slugs = compared ?? (dataset === undefined ? undefined : [dataset])
  const shown = slugs ? slugs.map((slug) => findDataset(datasets, { dataset: slug })) : datasets
  const extents = shown.flatMap((each) => each?.extent ?? [])
  if (extents.length === 0) return
  const box = boxAroundAll(extents.map(({ west, south, east, north }) => [west, south, east, north]))
  map.fit(asMapped(box), DATASET_ZOOM)
}

/** The box of a circle, exact enough to move the map to it: the code of the exact circle comes with the map. */
function boxOf({ latitude, longitude, radius }: NonNullable<View['near']>): Bounds {
  const height = radius / METRES_OF_DEGREE
  const width = Math.min(180, height / Math.cos((latitude * Math.PI) / 180))
  return [longitude - width, Math.max(-90, latitude - height), longitude + width, Math.min(90, latitude + height)]
}

/** Moves the map to the results of a search. */
export function moveToItems(map: ExplorerMap, items: readonly Position[]): void {
  if (items.length === 0) return
  const box = boxAround(items.map(({ longitude, latitude }) => [Number(longitude), Number(latitude)]))
  const [only] = items.length === 1 ? items : []
  map.fit(asMapped(box), only ? placeZoom(only) : DATASET_ZOOM)
}

/** A box from which on a map shows most of the world, in degrees of longitude. */
const WORLD_WIDTH = 180
/** Beyond them, a map of the world has little land but Antarctica and Greenland, which are huge on it. */
const [SOUTH, NORTH] = [-58, 75]

/** Where there is more room, a map of the whole world has it in the north: no land is cut, and no Antarctica shown. */
const TOP = 84
/** The west end of a map of the world, in the Bering Strait: at 180 it would cut the dots of Fiji. */
const BERING_STRAIT = -169
/** The width of a box that the whole map is too narrow for, with a margin. */
const WHOLE_WIDTH = 340

/** Returns what a map shows of a box. A map of most of the world leaves out the poles, and has room for the rest. */
export function asMapped([west, south, east, north]: Bounds): Bounds {
  if (east - west < WORLD_WIDTH || north < SOUTH || south > NORTH) return [west, south, east, north]
  if (east - west >= WHOLE_WIDTH) return [BERING_STRAIT, SOUTH, BERING_STRAIT + 360, TOP]
  return [west, Math.max(south, SOUTH), east, Math.min(north, NORTH)]
}
