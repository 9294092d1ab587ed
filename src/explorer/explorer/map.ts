import { type MapGeoJSONFeature, Map as MapView, NavigationControl, Popup, ScaleControl } from 'maplibre-gl'
import { readKey } from '../shared/key.ts'
import type { View } from './address.ts'
import { type Bounds, visibleBox, wrapLongitude } from './box.ts'
import { type MapContent, styleOf } from './style.ts'

/*
 * The map. It draws its content, and reports the person's actions.
 */

interface Events {
  onPlace: (id: string) => void
  /** A click beside all places, with its position in degrees. */
  onGround: (latitude: number, longitude: number) => void
  onMove: (at: NonNullable<View['at']>) => void
  /** A part of the map could not be loaded. */
  onProblem: () => void
}

export interface ExplorerMap {
  show: (content: MapContent) => void
  fit: (bounds: Bounds, maxZoom: number) => void
  /** Shows a box, without a margin around it. */
  fitExactly: (box: Bounds) => void
  /** Returns the box that is visible. */
  visibleBox: () => Bounds
  flyTo: (latitude: number, longitude: number, zoom: number) => void
  /** Moves the map to a place, without an animation. */
  jumpTo: (at: NonNullable<View['at']>) => void
  /** Gives the map the size of its element at once. Without it, MapLibre does so later. */
  resize: () => void
}

const PLACES = ['points', 'clusters', 'found', 'chosen']
const CLUSTER_ZOOM_STEP = 2
const FLIGHT_MS = 600
/** How long names appear and disappear. */
const FADE_MS = 300
/** From here on a click opens an item, even if its dot lies on others. */
const STACK_ZOOM = 16

/** Opens the map in an element. `start` is its first position. */
export function openMap(container: HTMLElement, start: View['at'], events: Events): ExplorerMap {
  let content: MapContent | undefined
  const map = new MapView({
    container,
    style: { version: 8, sources: {}, layers: [] },
    center: start ? [start.longitude, start.latitude] : [20, 20],
    zoom: start?.zoom ?? 1,
    attributionControl: false,
    fadeDuration: isStill() ? 0 : FADE_MS,
    // Tiles need the key; other files of this server don't, and no request goes elsewhere.
    transformRequest: (url) => {
      const key = readKey()
      const isTile = new URL(url, location.href).pathname.startsWith('/tiles/')
      return isTile && key !== undefined ? { url, headers: { Authorization: `Bearer ${key}` } } : { url }
    },
  })
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(new ScaleControl({}), 'bottom-left')
  map.touchZoomRotate.disableRotation()

  let isReady = false
  const draw = () => {
    if (isReady && content) map.setStyle(styleOf(content), { diff: true })
  }
  // MapLibre compares styles only when it has loaded the first one.
  map.once('style.load', () => {
    isReady = true
    draw()
  })
  const placeAt = (point: { x: number; y: number }) => {
    const layers = PLACES.filter((layer) => map.getLayer(layer))
    return topPlace(map.queryRenderedFeatures([point.x, point.y], { layers }))
  }
  map.on('click', ({ point, lngLat }) => {
    const { place, total } = placeAt(point)
    if (!place) events.onGround(lngLat.lat, wrapLongitude(lngLat.lng))
    else if (place.layer.id === 'clusters' || (total > 1 && map.getZoom() < STACK_ZOOM)) {
      map.easeTo({ center: positionOf(place, lngLat.lng), zoom: map.getZoom() + CLUSTER_ZOOM_STEP })
    } else events.onPlace(String(place.properties.id))
  })
  showNames(map, placeAt)
  map.on('moveend', () => {
    const { lat, lng } = map.getCenter()
    events.onMove({ latitude: lat, longitude: wrapLongitude(lng), zoom: map.getZoom() })
  })
  map.on('error', () => events.onProblem())

  return {
    show: (next) => {
      content = next
      draw()
    },
    fit: ([west, south, east, north], maxZoom) =>
      map.fitBounds([west, south, east, north], { padding: 56, maxZoom, ...animation() }),
    fitExactly: ([west, south, east, north]) =>
      map.fitBounds([west, south, east < west ? east + 360 : east, north], animation()),
    visibleBox: () => visibleBox(boundsOf(map)),
    flyTo: (latitude, longitude, zoom) =>
      map.easeTo({ center: [longitude, latitude], zoom: Math.max(zoom, map.getZoom()), ...animation() }),
    jumpTo: ({ latitude, longitude, zoom }) => map.jumpTo({ center: [longitude, latitude], zoom }),
    resize: () => void map.resize(),
  }
}

interface TopPlace {
  /** The dot that is above the others. */
  place: MapGeoJSONFeature | undefined
  /** The items of a cluster, or the items whose dots lie on each other. */
  total: number
}

function topPlace(places: readonly MapGeoJSONFeature[]): TopPlace {
  const [place] = places
  // A chosen or found item is drawn twice.
  const ids = new Set(places.flatMap(({ properties }) => properties.id ?? []))
  return { place, total: place?.properties.total ?? ids.size }
}

/** Shows the name of the place, or the number of places, under the mouse. */
function showNames(map: MapView, placeAt: (point: { x: number; y: number }) => TopPlace): void {
  const popup = new Popup({ closeButton: false, closeOnClick: false, offset: 12, className: 'place-name' })
  map.on('mousemove', ({ point, lngLat }) => {
    const { place, total } = placeAt(point)
    map.getCanvas().style.cursor = place ? 'pointer' : ''
    if (!place) return popup.remove()
    const text = total > 1 ? `${total.toLocaleString('en')} places` : place.properties.name
    return popup.setLngLat(positionOf(place, lngLat.lng)).setText(String(text)).addTo(map)
  })
  map.on('mouseout', () => popup.remove())
}

/** The position of a place, in the copy of the world under the mouse. */
function positionOf({ geometry }: MapGeoJSONFeature, nearLongitude: number): [number, number] {
  if (geometry.type !== 'Point') return [nearLongitude, 0]
  const [longitude = 0, latitude = 0] = geometry.coordinates
  return [longitude + 360 * Math.round((nearLongitude - longitude) / 360), latitude]
}

function boundsOf(map: MapView): Bounds {
  const bounds = map.getBounds()
  return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]
}

function animation(): { animate: boolean; duration: number } {
  return { animate: !isStill(), duration: FLIGHT_MS }
}

/** Whether the person wants no motion. */
function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
