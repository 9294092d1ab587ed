import type { Feature, FeatureCollection } from 'geojson'
import type { StyleSpecification } from 'maplibre-gl'
import { isSearch, type View } from './address.ts'
import type { BaseMap } from './base-map.ts'
import { type Colours, DARK, LIGHT } from './colours.ts'
import type { ListedItem } from './data.ts'
import { circle } from './geodesic.ts'
import type { Legend } from './legend.ts'
import { alwaysShown, dotLayers, nameLayer, textLayers } from './place-layers.ts'
import { tileTemplate } from './tiles.ts'

/*
 * Converts the content of the map to a MapLibre style. MapLibre compares the style with the last one, and draws the difference.
 */

export interface MapContent {
  /** Without a key there are no places to show. */
  hasKey: boolean
  view: View
  /** The items of the list if the view has filters or a search. The map then shows the same items. */
  results: readonly ListedItem[]
  /** What the colours of places mean. */
  legend: Legend
  /** The item that is shown. */
  item: ListedItem | undefined
  isDark: boolean
}

/**
 * Whether the map shows the results of the list. It shows those of a search above all places, and others instead of all places.
 */
export function showsResults(view: View): boolean {
  const { near, category, area } = view
  return near !== undefined || category !== undefined || area !== undefined || isSearch(view)
}

/** Returns the style for a content on a base map. */
export function styleOf(content: MapContent, baseMap: BaseMap): StyleSpecification {
  const colour = content.isDark ? DARK : LIGHT
  const base = baseMap.draw(colour, content.isDark)
  // MapLibre takes some time to empty a source, but removes a source at once.
  const places = content.hasKey ? placesOf(content, colour) : { sources: {}, layers: [] }
  return {
    version: 8,
    ...(base.sprite !== undefined && { sprite: base.sprite }),
    sources: { ...base.sources, ...places.sources },
    layers: [...base.layers, ...places.layers],
  }
}

/** The layers above the base map: the area of a nearby search, the places, the results of a search, and the shown item. */
function placesOf(
  { view, results, item, legend }: MapContent,
  colour: Colours,
): Pick<StyleSpecification, 'sources' | 'layers'> {
  const isList = showsResults(view) && !isSearch(view)
  const points = isList ? 'results' : 'places'
  const source = isList ? { source: points } : { source: points, 'source-layer': 'items' }
  return {
    sources: {
      area: { type: 'geojson', data: areaOf(view) },
      found: { type: 'geojson', data: pointsOf(isSearch(view) ? results : []) },
      chosen: { type: 'geojson', data: pointsOf(item ? [item] : []) },
      [points]: isList
        ? { type: 'geojson', data: pointsOf(results) }
        : { type: 'vector', tiles: [tileTemplate(view.dataset)], minzoom: 0, maxzoom: 18 },
    },
    layers: [
      { id: 'area', type: 'fill', source: 'area', paint: { 'fill-color': colour.chosen, 'fill-opacity': 0.08 } },
      { id: 'area-edge', type: 'line', source: 'area', paint: { 'line-color': colour.chosen, 'line-width': 1.5 } },
      ...dotLayers(source, legend, colour),
      {
        id: 'found',
        type: 'circle',
        source: 'found',
        paint: {
          'circle-color': colour.chosen,
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 4, 14, 7],
          'circle-stroke-color': colour.ink,
          'circle-stroke-width': 1.5,
        },
      },
      ...textLayers(source, colour),
      nameLayer('found-names', { source: 'found' }, colour),
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
      alwaysShown(nameLayer('chosen-name', { source: 'chosen' }, colour)),
    ],
  }
}

function pointsOf(items: readonly ListedItem[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: items.map(({ id, name, categoryCode, datasetId, longitude, latitude }) => ({
      type: 'Feature',
      properties: { id, name, categoryCode, datasetId },
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
