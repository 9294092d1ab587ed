import type { TileSource } from '../map/tiles.ts'
import { filtersOf, type View } from './address.ts'

/**
 * Returns the tiles with the places of a view. A search in the visible part of the map needs no other tiles after each move: the map
 * shows that part anyway.
 * @param hasShares is whether the clusters have several colours
 */
export function tileSources(view: View, by: TileSource['by'], hasShares = true): TileSource[] {
  const { dataset = 'all', compared = [dataset], text, near } = view
  const selection = new URLSearchParams({
    ...filtersOf(view),
    ...(near
      ? { latitude: String(near.latitude), longitude: String(near.longitude), radius: String(near.radius) }
      : text && { text }),
    ...(hasShares && { shares: by }),
  })
  const query = selection.size > 0 ? `?${selection}` : ''
  return compared.map((id) => ({ template: `/tiles/${encodeURIComponent(id)}/{z}/{x}/{y}.mvt${query}`, by }))
}
