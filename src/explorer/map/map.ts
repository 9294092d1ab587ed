import { type MapGeoJSONFeature, Map as MapView, Popup } from 'maplibre-gl'
import { fill, t } from '../shared/text.ts'
import type { BaseMap } from './base-map.ts'
import { type Bounds, visibleBox, wrapLongitude } from './box.ts'
import type { Events, ExplorerMap, Place } from './explorer-map.ts'
import { addControls, useKeyboard } from './map-controls.tsx'
import { nameOf, placeAt, placeAtCentre, pointRadius, positionOf, type TopPlace } from './map-places.ts'
import { addPies } from './pie.ts'
import { type Dot, groupDots } from './place-groups.ts'
import { placeFeatures } from './place-layers.ts'
import { PlaceTiles } from './place-tiles.ts'
import { type MapContent, styleOf } from './style.ts'

const CLUSTER_ZOOM_STEP = 2
const FLIGHT_MS = 600
/** Before the map shows anything there is nothing to fly over. */
const STILL = { animate: false }
/** Pixels above and below what the map is moved to, and at most beside it. */
const MARGIN = 56
const SIDE = 128
/** How long names appear and disappear. */
const FADE_MS = 300
/** The width of the world at zoom 0, in pixels. */
const WORLD_PIXELS = 512

/**
 * Opens the map in an element. `start` is its first position.
 * @param isFramed is whether people scroll over the map on a page of another site, so the wheel and one finger don't move the map
 */
export function openMap(
  container: HTMLElement,
  start: Place | undefined,
  events: Events,
  { isFramed = false } = {},
): ExplorerMap {
  let content: MapContent | undefined
  let baseMap: BaseMap | undefined
  const map = new MapView({
    container,
    style: { version: 8, sources: {}, layers: [] },
    center: start ? [start.longitude, start.latitude] : [20, 20],
    zoom: start?.zoom ?? 1,
    attributionControl: false,
    cooperativeGestures: isFramed,
    locale: {
      'Map.Title': t.map,
      'NavigationControl.ZoomIn': t.zoomIn,
      'NavigationControl.ZoomOut': t.zoomOut,
      'FullscreenControl.Enter': t.enterFullscreen,
      'FullscreenControl.Exit': t.exitFullscreen,
      'CooperativeGesturesHandler.WindowsHelpText': fill(t.zoomWithKey, { key: 'Ctrl' }),
      'CooperativeGesturesHandler.MacHelpText': fill(t.zoomWithKey, { key: '⌘' }),
      'CooperativeGesturesHandler.MobileHelpText': t.moveWithTwoFingers,
    },
    fadeDuration: isStill() ? 0 : FADE_MS,
  })
  addControls(map, container.parentElement ?? container, events.onHome)
  map.touchZoomRotate.disableRotation()

  let isReady = false
  const draw = () => {
    if (!isReady || !content || !baseMap) return
    const places = placesNow(content)
    addPies(map, places)
    map.setStyle(styleOf(content, baseMap, places), { diff: true })
  }
  let dots: readonly Dot[] = []
  /** The dots as they are at this zoom. */
  const placesNow = ({ colouring, colour }: MapContent) =>
    placeFeatures(groupDots(dots, WORLD_PIXELS * 2 ** map.getZoom()), colouring, colour)
  const tiles = new PlaceTiles({
    onDots: (next) => {
      dots = next
      draw()
    },
    onLoading: (isLoading) => container.toggleAttribute('data-loading-places', isLoading),
    onProblem: () => events.onProblem(),
  })
  const readTiles = () => void tiles.read(boundsOf(map), map.getZoom())
  // MapLibre compares styles only when it has loaded the first one.
  map.once('style.load', () => {
    isReady = true
    draw()
  })
  const choose = (under: TopPlace, { lat, lng }: { lat: number; lng: number }) => {
    if (!under || events.isPicking()) return events.onGround(lat, wrapLongitude(lng))
    if (!isCluster(under)) return events.onPlace(String(under.properties.id))
    const [longitude, latitude] = positionOf(under, lng)
    const radius = pointRadius(map, under)
    if (radius !== undefined) return events.onPoint(latitude, wrapLongitude(longitude), radius)
    map.easeTo({ center: [longitude, latitude], zoom: map.getZoom() + CLUSTER_ZOOM_STEP, ...animation() })
  }
  map.on('click', ({ point, lngLat }) => choose(placeAt(map, point), lngLat))
  useKeyboard(map, {
    describeCentre: () => {
      const top = placeAtCentre(map)
      if (!top) return t.noPlace
      if (!isCluster(top)) return fill(t.enterOpens, { name: nameOf(top) })
      return fill(pointRadius(map, top) === undefined ? t.enterZooms : t.enterLists, { name: nameOf(top) })
    },
    clickCentre: () => choose(placeAtCentre(map), map.getCenter()),
    say: events.onCentre,
  })
  showNames(map)
  // The map never shows the same place twice, and one can still move over the antimeridian.
  const keepOneWorld = () => map.setMinZoom(Math.log2(Math.max(container.clientWidth, WORLD_PIXELS / 4) / WORLD_PIXELS))
  keepOneWorld()
  map.on('resize', keepOneWorld)
  map.on('dataloading', () => container.setAttribute('data-loading', ''))
  map.on('idle', () => container.removeAttribute('data-loading'))
  map.on('moveend', () => {
    draw()
    readTiles()
    const { lat, lng } = map.getCenter()
    events.onMove({ latitude: lat, longitude: wrapLongitude(lng), zoom: map.getZoom() })
  })
  map.on('error', () => events.onProblem())

  return {
    show: (next) => {
      content = next
      if (tiles.use(next.sources ?? [])) dots = []
      draw()
      readTiles()
    },
    useBaseMap: (next) => {
      baseMap = next
      draw()
    },
    fit: ([west, south, east, north], maxZoom) => {
      // A table may just have taken a part of its width.
      map.resize()
      // The names of places, and the legend, need room beside the places.
      const side = Math.min(SIDE, container.clientWidth / 6)
      const padding = { top: MARGIN, bottom: MARGIN, left: side, right: side }
      map.fitBounds([west, south, east, north], { padding, maxZoom, ...(content ? animation() : STILL) })
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
    const place = placeAt(map, point)
    map.getCanvas().style.cursor = place ? 'pointer' : ''
    if (!place) return popup.remove()
    return popup.setLngLat(positionOf(place, lngLat.lng)).setText(nameOf(place)).addTo(map)
  })
  map.on('mouseout', () => popup.remove())
}

function isCluster({ properties }: MapGeoJSONFeature): boolean {
  return properties.total !== undefined
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
