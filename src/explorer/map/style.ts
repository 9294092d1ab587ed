import type { Feature, FeatureCollection, Geometry } from 'geojson'
import type { StyleSpecification } from 'maplibre-gl'
import type { BaseMap } from './base-map.ts'
import { type Colouring, type Colours, placeColour } from './colours.ts'
import { circle } from './geodesic.ts'
import { alwaysShown, nameLayer, placeLayers } from './place-layers.ts'
import type { TileSource } from './tiles.ts'

/*
 * Converts the content of the map to a MapLibre style. MapLibre compares the style with the last one, and draws the difference.
 */

/** A place that is marked on the map. */
interface MarkedPlace {
  id: string
  name: string
  categoryCode: string
  datasetId: string
  latitude: string
  longitude: string
}

/** A circle around a point: degrees and metres. */
interface Circle {
  latitude: number
  longitude: number
  radius: number
}

export interface MapContent {
  /** The tiles with the places. Without a key, and for a dataset that is not there, there are no places to show: undefined. */
  sources: readonly TileSource[] | undefined
  /** The searched circle. */
  near: Circle | undefined
  /** What the colours of places mean. */
  colouring: Colouring
  /** The item that is shown. */
  chosen: MarkedPlace | undefined
  /** What a search proposes that has found nothing. */
  proposed?: readonly MarkedPlace[]
  colour: Colours
}

/** Returns the style for a content on a base map. */
export function styleOf(content: MapContent, baseMap: BaseMap, places: FeatureCollection): StyleSpecification {
  const base = baseMap.draw(content.colour)
  // MapLibre takes some time to empty a source, but removes a source at once.
  const shown = content.sources ? placesOf(content, places) : { sources: {}, layers: [] }
  return {
    version: 8,
    ...(base.sprite !== undefined && { sprite: base.sprite }),
    sources: { ...base.sources, ...shown.sources },
    layers: [...base.layers, ...shown.layers],
  }
}

/** The layers above the base map: the circle of a nearby search, the places of the view, and the shown item. */
function placesOf(
  { near, chosen, proposed = [], colouring, colour }: MapContent,
  places: FeatureCollection,
): Pick<StyleSpecification, 'sources' | 'layers'> {
  const marked = chosen ? [chosen] : proposed
  const names = nameLayer('chosen-name', { source: 'chosen' }, colour)
  return {
    sources: {
      // MapLibre would leave out so many points that one sees the corners.
      area: { type: 'geojson', data: areaOf(near), tolerance: 0 },
      places: { type: 'geojson', data: places },
      chosen: { type: 'geojson', data: pointsOf(marked) },
    },
    layers: [
      { id: 'area', type: 'fill', source: 'area', paint: { 'fill-color': colour.chosen, 'fill-opacity': 0.08 } },
      { id: 'area-edge', type: 'line', source: 'area', paint: { 'line-color': colour.chosen, 'line-width': 1.5 } },
      ...placeLayers(
        { source: 'places' },
        colouring,
        colour,
        marked.map(({ id }) => id),
      ),
      {
        id: 'chosen',
        type: 'circle',
        source: 'chosen',
        paint: {
          'circle-color': chosen ? colour.chosen : placeColour(colouring, colour),
          'circle-radius': 8,
          'circle-stroke-color': colour.ink,
          'circle-stroke-width': 2.5,
        },
      },
      marked.length === 1 ? alwaysShown(names) : names,
    ],
  }
}

function pointsOf(items: readonly MarkedPlace[]): FeatureCollection {
  const features = items.map(({ id, name, categoryCode, datasetId, longitude, latitude }): Feature => {
    const geometry: Geometry = { type: 'Point', coordinates: [Number(longitude), Number(latitude)] }
    return { type: 'Feature', properties: { id, name, categoryCode, datasetId }, geometry }
  })
  return { type: 'FeatureCollection', features }
}

function areaOf(near: Circle | undefined): FeatureCollection {
  const rings = near ? [circle([near.longitude, near.latitude], near.radius)] : []
  const geometry: Geometry = { type: 'Polygon', coordinates: rings }
  return { type: 'FeatureCollection', features: rings.map(() => ({ type: 'Feature', properties: {}, geometry })) }
}
