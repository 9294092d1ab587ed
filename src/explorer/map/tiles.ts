import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { reach, request } from '../shared/api.ts'
import { patiently } from '../shared/patience.ts'
import { type Bounds, mercator } from './box.ts'
import type { Dot } from './place-groups.ts'

/** Tiles, and what their clusters tell. */
export interface TileSource {
  /** The URL with `{z}/{x}/{y}`. */
  template: string
  /** The member of a place by which a cluster tells its shares. */
  by: 'categoryCode' | 'datasetId'
}

/** Reads the dots of a tile, which `address` names as `z/x/y`. Throws an ApiError if the server refuses it. */
export function readTile(source: TileSource, address: string, signal: AbortSignal): Promise<Dot[]> {
  return patiently(async () => {
    const response = await request(source.template.replace('{z}/{x}/{y}', address), { signal })
    return dotsOf(await reach(response.arrayBuffer(), signal), source.by, address)
  }, signal)
}

/** Returns the dots of a tile. */
export function dotsOf(tile: ArrayBuffer, by: TileSource['by'], address: string): Dot[] {
  const { items } = new VectorTile(new PbfReader(tile)).layers
  // A tile without items has no layer.
  if (!items) return []
  const [zoom = 0, column = 0, row = 0] = address.split('/').map(Number)
  const tiles = 2 ** zoom
  return Array.from({ length: items.length }, (_, n) => {
    const feature = items.feature(n)
    const [[point = { x: 0, y: 0 }] = []] = feature.loadGeometry()
    const position = { x: (column + point.x / items.extent) / tiles, y: (row + point.y / items.extent) / tiles }
    const { total, shares, id, name, categoryCode, datasetId } = feature.properties
    if (total !== undefined) return { ...position, total: Number(total), shares: JSON.parse(String(shares ?? '{}')) }
    const item = {
      id: String(id),
      name: String(name),
      categoryCode: String(categoryCode),
      datasetId: String(datasetId),
    }
    return { ...position, total: 1, shares: { [item[by]]: 1 }, item }
  })
}

/** The tiles of a zoom in a box, as `z/x/y`. The box may go beyond the antimeridian. */
export function tilesIn([west, south, east, north]: Bounds, zoom: number): string[] {
  const count = 2 ** zoom
  const column = (longitude: number) => Math.floor(((longitude + 180) / 360) * count)
  const row = (latitude: number) => Math.min(count - 1, Math.max(0, Math.floor(mercator(latitude) * count)))
  const columns = range(column(west), Math.min(column(east), column(west) + count - 1))
  return columns.flatMap((x) =>
    range(row(north), row(south)).map((y) => `${zoom}/${((x % count) + count) % count}/${y}`),
  )
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n)
}
