import { type MapGeoJSONFeature, type Map as MapView, Point } from 'maplibre-gl'
import { places } from '../shared/text.ts'

const PLACES = ['points', 'clusters', 'chosen']
/** Pixels from the cross in which it finds a place. */
const REACH = 24

interface PixelPoint {
  x: number
  y: number
}

/** A place, or a cluster of several. */
export type TopPlace = MapGeoJSONFeature | undefined

/** Returns the place at a point of the map, undefined if there is none. */
export function placeAt(map: MapView, { x, y }: PixelPoint): TopPlace {
  return placesIn(map, [x, y])[0]
}

/** Returns the place at the centre of the map or, if there is none, the nearest one in the reach of the cross. */
export function placeAtCentre(map: MapView): TopPlace {
  const { lng } = map.getCenter()
  const centre = map.project(map.getCenter())
  const exact = placeAt(map, centre)
  if (exact) return exact
  const reach = new Point(REACH, REACH)
  const pointOf = (place: MapGeoJSONFeature) => map.project(positionOf(place, lng))
  const [nearest] = placesIn(map, [centre.sub(reach), centre.add(reach)])
    .map(pointOf)
    .sort((left, right) => left.dist(centre) - right.dist(centre))
  return nearest && placeAt(map, nearest)
}

/** Returns the name of a place, or the number of places. */
export function nameOf({ properties }: MapGeoJSONFeature): string {
  return properties.total === undefined ? String(properties.name) : places(properties.total)
}

/** The Earth's equator. */
const EQUATOR_METRES = 40_075_017
/** Units of a tile along its side, within which its positions are rounded. */
const TILE_UNITS = 4096
/** Squares of a tile along its side, of which a cluster has one (docs/tiles.md). */
const SQUARES = 16
const MAX_TILE_ZOOM = 18
/** From here on dots within a few pixels are at the same point: nearer zooms hardly part them. */
const POINT_ZOOM = 11

/**
 * Returns the radius in metres around the places of a cluster that no zoom parts, because they are at the same point; undefined for other
 * clusters.
 */
export function pointRadius(map: MapView, cluster: MapGeoJSONFeature): number | undefined {
  const zoom = Math.min(MAX_TILE_ZOOM, Math.floor(map.getZoom()))
  const unit = 1 / TILE_UNITS / 2 ** zoom
  const { spread } = cluster.properties
  const isPoint = zoom >= POINT_ZOOM && spread <= 2 * unit
  if (!isPoint && zoom < MAX_TILE_ZOOM) return undefined
  const share = Math.min(spread, 1 / SQUARES / 2 ** zoom) + 2 * unit
  const [, latitude] = positionOf(cluster, 0)
  return Math.ceil(share * EQUATOR_METRES * Math.cos((latitude * Math.PI) / 180))
}

/** Returns the position of a place in degrees, in the copy of the world that is nearest to a longitude. */
export function positionOf({ geometry }: MapGeoJSONFeature, nearLongitude: number): [number, number] {
  if (geometry.type !== 'Point') return [nearLongitude, 0]
  const [longitude = 0, latitude = 0] = geometry.coordinates
  return [longitude + 360 * Math.round((nearLongitude - longitude) / 360), latitude]
}

function placesIn(map: MapView, where: [number, number] | [Point, Point]): MapGeoJSONFeature[] {
  const layers = PLACES.filter((layer) => map.getLayer(layer))
  return map.queryRenderedFeatures(where, { layers })
}
