import { Map as MapView, Popup } from 'maplibre-gl'
import { readKey } from '../shared/key.ts'
import { t } from '../shared/text.ts'
import type { View } from './address.ts'
import type { BaseMap } from './base-map.ts'
import { type Bounds, visibleBox, wrapLongitude } from './box.ts'
import { addControls } from './map-controls.ts'
import { useKeyboard } from './map-keyboard.ts'
import { watchLoading } from './map-loading.ts'
import { NOTHING, nameOf, placeAt, placeAtCentre, positionOf, type TopPlace } from './map-places.ts'
import { hasWebGL, noMap } from './no-map.ts'
import { type MapContent, styleOf } from './style.ts'

/*
 * The map. It draws its content, and reports the person's actions.
 */

interface Events {
  onPlace: (id: string) => void
  /** Whether the next click is a point, even on a place. */
  isPicking: () => boolean
  /** A click beside all places, with its position in degrees. */
  onGround: (latitude: number, longitude: number) => void
  /** The button that shows the whole view again. */
  onHome: () => void
  onMove: (at: NonNullable<View['at']>) => void
  /** What is under the cross, when a person moves the map by keyboard. */
  onCentre: (message: string) => void
  /** A part of the map could not be loaded. */
  onProblem: () => void
}

export interface ExplorerMap {
  show: (content: MapContent) => void
  /** Draws the base map. Until then the map shows nothing. */
  useBaseMap: (baseMap: BaseMap) => void
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

const CLUSTER_ZOOM_STEP = 2
const FLIGHT_MS = 600
/** How long names appear and disappear. */
const FADE_MS = 300
/** From here on a click opens an item, even if its dot lies on others. */
const STACK_ZOOM = 16

/** Opens the map in an element. `start` is its first position. */
export function openMap(container: HTMLElement, start: View['at'], events: Events): ExplorerMap {
  if (!hasWebGL()) return noMap(container)
  let content: MapContent | undefined
  let baseMap: BaseMap | undefined
  const map = new MapView({
    container,
    style: { version: 8, sources: {}, layers: [] },
    center: start ? [start.longitude, start.latitude] : [20, 20],
    zoom: start?.zoom ?? 1,
    attributionControl: false,
    locale: {
      'Map.Title': t.map,
      'NavigationControl.ZoomIn': t.zoomIn,
      'NavigationControl.ZoomOut': t.zoomOut,
      'FullscreenControl.Enter': t.enterFullscreen,
      'FullscreenControl.Exit': t.exitFullscreen,
    },
    fadeDuration: isStill() ? 0 : FADE_MS,
    // Tiles need the key; other files of this server don't. The server of a configured base map never gets it, whatever its paths.
    transformRequest: (url) => {
      const key = readKey()
      const isTile = url.startsWith(`${location.origin}/tiles/`)
      return isTile && key !== undefined ? { url, headers: { Authorization: `Bearer ${key}` } } : { url }
    },
  })
  addControls(map, container.parentElement ?? container, events.onHome)
  map.touchZoomRotate.disableRotation()

  let isReady = false
  const draw = () => {
    if (isReady && content && baseMap) map.setStyle(styleOf(content, baseMap), { diff: true })
  }
  // MapLibre compares styles only when it has loaded the first one.
  map.once('style.load', () => {
    isReady = true
    draw()
  })
  const opens = ({ place, total }: TopPlace) =>
    place?.layer.id !== 'clusters' && (total === 1 || map.getZoom() >= STACK_ZOOM)
  const choose = (under: TopPlace, { lat, lng }: { lat: number; lng: number }) => {
    const top = events.isPicking() ? NOTHING : under
    if (!top.place) events.onGround(lat, wrapLongitude(lng))
    else if (opens(top)) events.onPlace(String(top.place.properties.id))
    else map.easeTo({ center: positionOf(top.place, lng), zoom: map.getZoom() + CLUSTER_ZOOM_STEP, ...animation() })
  }
  map.on('click', ({ point, lngLat }) => choose(placeAt(map, point), lngLat))
  useKeyboard(map, {
    describeCentre: () => {
      const top = placeAtCentre(map)
      if (!top.place) return t.noPlace
      return opens(top) ? t.enterOpens(nameOf(top)) : t.enterZooms(nameOf(top))
    },
    clickCentre: () => choose(placeAtCentre(map), map.getCenter()),
    say: events.onCentre,
  })
  showNames(map)
  map.on('moveend', () => {
    const { lat, lng } = map.getCenter()
    events.onMove({ latitude: lat, longitude: wrapLongitude(lng), zoom: map.getZoom() })
  })
  watchLoading(map, (source) => source === 'places', events.onProblem)

  return {
    show: (next) => {
      content = next
      draw()
    },
    useBaseMap: (next) => {
      baseMap = next
      draw()
    },
    fit: ([west, south, east, north], maxZoom) => {
      // A table may just have taken a part of its width.
      map.resize()
      map.fitBounds([west, south, east, north], { padding: 56, maxZoom, ...animation() })
    },
    fitExactly: ([west, south, east, north]) => {
      map.resize()
      map.fitBounds([west, south, east < west ? east + 360 : east, north], animation())
    },
    visibleBox: () => visibleBox(boundsOf(map)),
    flyTo: (latitude, longitude, zoom) =>
      map.easeTo({ center: [longitude, latitude], zoom: Math.max(zoom, map.getZoom()), ...animation() }),
    jumpTo: ({ latitude, longitude, zoom }) => map.jumpTo({ center: [longitude, latitude], zoom }),
    resize: () => void map.resize(),
  }
}

/** Shows the name of the place, or the number of places, under the mouse. */
function showNames(map: MapView): void {
  const popup = new Popup({ closeButton: false, closeOnClick: false, offset: 12, className: 'place-name' })
  map.on('mousemove', ({ point, lngLat }) => {
    const { place, total } = placeAt(map, point)
    map.getCanvas().style.cursor = place ? 'pointer' : ''
    if (!place) return popup.remove()
    return popup.setLngLat(positionOf(place, lngLat.lng)).setText(nameOf({ place, total })).addTo(map)
  })
  map.on('mouseout', () => popup.remove())
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
