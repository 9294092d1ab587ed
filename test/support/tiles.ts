import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'

/** A feature of a map tile. */
export interface DecodedFeature {
  /** In degrees. */
  longitude: number
  latitude: number
  /** Units from the tile's top left corner, of which a side has 4,096. */
  x: number
  y: number
  properties: Record<string, string | number | boolean>
}

/** The features of a vector tile's layer `items`; a tile without layers has none. */
export function decodeTile(bytes: ArrayBuffer, { z, x, y }: { z: number; x: number; y: number }): DecodedFeature[] {
  const { layers } = new VectorTile(new PbfReader(bytes))
  const { items, ...others } = layers
  if (Object.keys(others).length > 0) throw new Error(`There are other layers: ${Object.keys(others)}`)
  if (!items) return []
  if (items.version !== 2 || items.extent !== 4096) throw new Error(`Version ${items.version}, extent ${items.extent}`)
  return Array.from({ length: items.length }, (_, n) => {
    const feature = items.feature(n)
    const { geometry } = feature.toGeoJSON(x, y, z)
    const [[point] = []] = feature.loadGeometry()
    if (geometry.type !== 'Point' || !point) throw new Error('A feature is not a point')
    const [longitude = Number.NaN, latitude = Number.NaN] = geometry.coordinates
    return { longitude, latitude, x: point.x, y: point.y, properties: feature.properties }
  })
}

/** The number of items that the features represent. A cluster represents its `total`. */
export function totalOf(features: readonly { properties: object }[]): number {
  const count = ({ properties }: { properties: object }) =>
    'total' in properties && typeof properties.total === 'number' ? properties.total : 1
  return features.reduce((sum, feature) => sum + count(feature), 0)
}

/** The tile that contains a place. Longitude 180 is -180. A place beyond 85.0511 degrees is in a tile at the edge. */
export function tileOf(place: { latitude: number; longitude: number }, z: number): { z: number; x: number; y: number } {
  const sine = Math.sin((Math.min(85.06, Math.max(-85.06, place.latitude)) * Math.PI) / 180)
  const row = (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z
  return {
    z,
    x: Math.floor(((place.longitude + 180) / 360) * 2 ** z) % 2 ** z,
    y: Math.min(2 ** z - 1, Math.max(0, Math.floor(row))),
  }
}
