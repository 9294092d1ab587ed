import type { FeatureCollection } from 'geojson'
import { type MapGeoJSONFeature, Map as MapView, Popup } from 'maplibre-gl'
import { t } from '../shared/text.ts'
import type { View } from '../views/address.ts'
import type { BaseMap } from './base-map.ts'
import { type Bounds, visibleBox, wrapLongitude } from './box.ts'
import { DARK, LIGHT } from './colours.ts'
import { addControls } from './map-controls.ts'
import { useKeyboard } from './map-keyboard.ts'
import { nameOf, placeAt, placeAtCentre, pointRadius, positionOf, type TopPlace } from './map-places.ts'
import { drawPie } from './pie.ts'
import { type Dot, groupDots } from './place-groups.ts'
import { placeFeatures } from './place-layers.ts'
import { PlaceTiles } from './place-tiles.ts'
import { type MapContent, styleOf } from './style.ts'
import { tileSources } from './tiles.ts'

/*
 * The map. It draws its content, and reports the person's actions.
 */

export interface Events {
  onPlace: (id: string) => void
  /** Several places at one point, all of them within a radius in metres. */
  onPoint: (latitude: number, longitude: number, radius: number) => void
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
  /** Returns the box that is visible; undefined if there is no map, or not yet. */
  visibleBox: () => Bounds | undefined
  flyTo: (latitude: number, longitude: number, zoom: number) => void
  /** Moves the map to a place, without an animation. */
  jumpTo: (at: NonNullable<View['at']>) => void
  /** Gives the map the size of its element at once. Without it, MapLibre does so later. */
  resize: () => void
}

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
  start: View['at'],
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
      'CooperativeGesturesHandler.WindowsHelpText': t.zoomWithKey('Ctrl'),
      'CooperativeGesturesHandler.MacHelpText': t.zoomWithKey('⌘'),
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
  const placesNow = ({ legend, isDark }: MapContent) =>
    placeFeatures(groupDots(dots, WORLD_PIXELS * 2 ** map.getZoom()), legend, isDark ? DARK : LIGHT)
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
      if (!isCluster(top)) return t.enterOpens(nameOf(top))
      return pointRadius(map, top) === undefined ? t.enterZooms(nameOf(top)) : t.enterLists(nameOf(top))
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
      const sources = tileSources(next.view, next.legend.property, next.legend.entries.length > 1)
      if (tiles.use(next.hasPlaces ? sources : [])) dots = []
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

/** From this number on, pies that the map does not show are dropped. */
const MAX_PIES = 1000

/** Draws the pies of the places. The name of each describes it. */
function addPies(map: MapView, { features }: FeatureCollection): void {
  const shown = new Set<string>(features.flatMap(({ properties }) => properties?.icon ?? []))
  const known = map.listImages().filter((name) => name.startsWith('{'))
  if (known.length > MAX_PIES) for (const name of known) if (!shown.has(name)) map.removeImage(name)
  // MapLibre smooths an image between pixels only if its ratio is not that of the screen.
  const pixelRatio = devicePixelRatio * 2
  for (const name of shown) {
    if (!map.hasImage(name)) map.addImage(name, drawPie(JSON.parse(name), pixelRatio), { pixelRatio })
  }
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
