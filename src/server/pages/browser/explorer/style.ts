import type { Feature, FeatureCollection } from 'geojson'
import type { StyleSpecification } from 'maplibre-gl'
import type { View } from './address.ts'
import type { ListedItem } from './data.ts'
import { circle } from './geodesic.ts'
import { tileTemplate } from './tiles.ts'

/*
 * The map as one value: what is shown in, a MapLibre style out. MapLibre compares it with the last one and draws the difference.
 */

export interface MapContent {
  /** Without a key there are no places to show. */
  hasKey: boolean
  view: View
  /** What the list shows when the view has filters or a searched point; the map then shows the same. */
  results: readonly ListedItem[]
  /** The item that is shown. */
  item: ListedItem | undefined
  isDark: boolean
}

const LIGHT = {
  water: '#dfe8ef',
  land: '#f7f7f4',
  border: '#c6ccd2',
  dot: '#0b5cad',
  ink: '#ffffff',
  text: '#3b4653',
  chosen: '#c2410c',
}
const DARK = {
  water: '#10161d',
  land: '#222a33',
  border: '#3d4854',
  dot: '#7db9f5',
  ink: '#0d1722',
  text: '#c3ccd6',
  chosen: '#fdba74',
}

/** From here on places have room for their names. */
const NAMES_ZOOM = 11

const world = (file: string) => new URL(`../lib/world/${file}.json`, import.meta.url).href

/** Whether the map shows the list's results instead of all places. */
export function showsResults({ near, category, area }: View): boolean {
  return near !== undefined || category !== undefined || area !== undefined
}

/** Returns the style for a content, with the finer base map or the coarser one. */
export function styleOf(content: MapContent, isDetailed: boolean): StyleSpecification {
  const { hasKey, view, results, item, isDark } = content
  const colour = isDark ? DARK : LIGHT
  const scale = isDetailed ? '10m' : '50m'
  const isList = !hasKey || showsResults(view)
  const points = isList ? 'results' : 'places'
  const source = isList ? { source: points } : { source: points, 'source-layer': 'items' }
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: world(`land-${scale}`), attribution: 'Map: Natural Earth' },
      borders: { type: 'geojson', data: world(`borders-${scale}`) },
      area: { type: 'geojson', data: areaOf(view) },
      chosen: { type: 'geojson', data: pointsOf(item ? [item] : []) },
      [points]: isList
        ? { type: 'geojson', data: pointsOf(results) }
        : { type: 'vector', tiles: [tileTemplate(view.dataset)], minzoom: 0, maxzoom: 18 },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colour.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colour.land } },
      { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': colour.border, 'line-width': 0.75 } },
      {
        id: 'borders',
        type: 'line',
        source: 'borders',
        paint: { 'line-color': colour.border, 'line-width': 0.75, 'line-dasharray': [3, 2] },
      },
      { id: 'area', type: 'fill', source: 'area', paint: { 'fill-color': colour.chosen, 'fill-opacity': 0.08 } },
      { id: 'area-edge', type: 'line', source: 'area', paint: { 'line-color': colour.chosen, 'line-width': 1.5 } },
      {
        id: 'clusters',
        type: 'circle',
        ...source,
        filter: ['has', 'total'],
        paint: {
          'circle-color': colour.dot,
          'circle-opacity': 0.9,
          'circle-radius': ['interpolate', ['linear'], ['log10', ['get', 'total']], 0, 11, 6, 34],
          'circle-stroke-color': colour.dot,
          'circle-stroke-opacity': 0.25,
          'circle-stroke-width': 4,
        },
      },
      {
        id: 'totals',
        type: 'symbol',
        ...source,
        filter: ['has', 'total'],
        layout: {
          'text-field': ['number-format', ['get', 'total'], { locale: 'en' }],
          'text-size': 12,
          'text-allow-overlap': true,
        },
        paint: { 'text-color': colour.ink },
      },
      {
        id: 'points',
        type: 'circle',
        ...source,
        filter: ['!', ['has', 'total']],
        paint: {
          'circle-color': colour.dot,
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 4, 14, 7],
          'circle-stroke-color': colour.ink,
          'circle-stroke-width': 1.5,
        },
      },
      {
        id: 'names',
        type: 'symbol',
        ...source,
        minzoom: NAMES_ZOOM,
        filter: ['!', ['has', 'total']],
        layout: {
          // Names in scripts that MapLibre can't shape (Arabic) stand in the list and in the hint under the mouse.
          'text-field': ['case', ['is-supported-script', ['get', 'name']], ['slice', ['get', 'name'], 0, 40], ''],
          'text-size': 12,
          'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
          'text-radial-offset': 0.9,
          'text-padding': 4,
          'text-max-width': 12,
        },
        paint: { 'text-color': colour.text, 'text-halo-color': colour.land, 'text-halo-width': 1.5 },
      },
      {
        id: 'chosen',
        type: 'circle',
        source: 'chosen',
        paint: {
          'circle-color': colour.chosen,
          'circle-radius': 8,
          'circle-stroke-color': colour.ink,
          'circle-stroke-width': 2.5,
        },
      },
    ],
  }
}

function pointsOf(items: readonly ListedItem[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: items.map(({ id, name, longitude, latitude }) => ({
      type: 'Feature',
      properties: { id, name },
      geometry: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] },
    })),
  }
}

function areaOf({ near }: View): FeatureCollection {
  const features: Feature[] = near
    ? [
        {
          type: 'Feature',
          properties: {},
          geometry: { type: 'Polygon', coordinates: [circle([near.longitude, near.latitude], near.radius)] },
        },
      ]
    : []
  return { type: 'FeatureCollection', features }
}
