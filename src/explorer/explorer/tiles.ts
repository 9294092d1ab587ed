import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { readError, send } from '../shared/api.ts'
import { patiently } from '../shared/patience.ts'
import type { View } from './address.ts'

/*
 * The tiles of a dataset.
 */

/** A dot of a tile: an item, or a cluster. */
export interface TilePoint {
  /** Position in the tile, from 0 (west, north) to 1. */
  x: number
  y: number
  /** Number of items; 1 for a single item. */
  total: number
}

/**
 * Returns the address template of the tiles with the places of a view. A search in the visible part of the map needs no other tiles
 * after each move: the map shows that part anyway.
 */
export function tileTemplate(view: View): string {
  const { dataset, text, near } = view
  const selection = new URLSearchParams({
    ...filtersOf(view),
    ...(near
      ? { latitude: String(near.latitude), longitude: String(near.longitude), radius: String(near.radius) }
      : text && { text }),
  })
  const path = `/tiles/${encodeURIComponent(dataset ?? 'all')}/{z}/{x}/{y}.mvt`
  return location.origin + path + (selection.size > 0 ? `?${selection}` : '')
}

/** The parameters of tiles and exports for the filters of a view. */
export function filtersOf({ category, area }: View): Record<string, string> {
  return { ...(category && { categoryCode: category }), ...(area && { administrativeAreaCode: area }) }
}

/** Reads the dots of the tile of the whole world. */
export async function readWorld(dataset: string | undefined, signal: AbortSignal): Promise<TilePoint[]> {
  return patiently(async () => {
    const response = await send(tileTemplate({ dataset }).replace('{z}/{x}/{y}', '0/0/0'), { signal })
    if (!response.ok) throw await readError(response)
    return pointsOf(await response.arrayBuffer())
  }, signal)
}

/** Returns the dots of a tile. */
export function pointsOf(tile: ArrayBuffer): TilePoint[] {
  const { items } = new VectorTile(new PbfReader(tile)).layers
  // A tile without items has no layer.
  if (!items) return []
  return Array.from({ length: items.length }, (_, n) => {
    const feature = items.feature(n)
    const [[point = { x: 0, y: 0 }] = []] = feature.loadGeometry()
    return {
      x: point.x / items.extent,
      y: point.y / items.extent,
      total: Number(feature.properties.total ?? 1),
    }
  })
}
