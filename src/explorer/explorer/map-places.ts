import { type MapGeoJSONFeature, type Map as MapView, Point } from 'maplibre-gl'
import { t } from '../shared/text.ts'

/*
 * The places that the map has drawn at a point.
 */

const PLACES = ['points', 'clusters', 'chosen']
/** Pixels from the cross in which it finds a place. */
const REACH = 24

interface PixelPoint {
  x: number
  y: number
}

export interface TopPlace {
  /** The dot that is above the others. */
  place: MapGeoJSONFeature | undefined
  /** The items of a cluster, or the items whose dots lie on each other. */
  total: number
}

export const NOTHING: TopPlace = { place: undefined, total: 0 }

/** Returns the place at a point of the map. */
export function placeAt(map: MapView, { x, y }: PixelPoint): TopPlace {
  const places = placesIn(map, [x, y])
  const [place] = places
  // A chosen item is drawn twice.
  const ids = new Set(places.flatMap(({ properties }) => properties.id ?? []))
  return { place, total: place?.properties.total ?? ids.size }
}

/** Returns the place at the centre of the map or, if there is none, the nearest one in the reach of the cross. */
export function placeAtCentre(map: MapView): TopPlace {
  const { lng } = map.getCenter()
  const centre = map.project(map.getCenter())
  const exact = placeAt(map, centre)
  if (exact.place) return exact
  const reach = new Point(REACH, REACH)
  const pointOf = (place: MapGeoJSONFeature) => map.project(positionOf(place, lng))
  const [nearest] = placesIn(map, [centre.sub(reach), centre.add(reach)])
    .map(pointOf)
    .sort((left, right) => left.dist(centre) - right.dist(centre))
  return nearest ? placeAt(map, nearest) : NOTHING
}

/** Returns the name of a place, or the number of places. */
export function nameOf({ place, total }: TopPlace): string {
  return total > 1 ? t.places(total) : String(place?.properties.name)
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
