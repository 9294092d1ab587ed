import type { ExpressionSpecification, LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl'
import type { Colours } from './colours.ts'
import { type Legend, placeColour } from './legend.ts'

/*
 * The map layers of places: clusters with their exact counts, single places, and names.
 */

/** From this zoom on, the map shows the names of places where there is room. Before, it shows those of cities. */
const NAMES_ZOOM = 7

/** Below this zoom the world is narrower than 700 pixels. */
const PHONE_ZOOM = 0.45

/** The number of items of a cluster as a power of ten. */
const MAGNITUDE: ExpressionSpecification = ['log10', ['get', 'total']]
/** In pixels: a number of 11 pixels with its commas fits into the circle. */
const CLUSTER_RADIUS: ExpressionSpecification = [
  'step',
  ['get', 'total'],
  11,
  ...[100, 13, 1e3, 18, 1e4, 21, 1e5, 24, 1e6, 29, 1e7, 33],
]
/** Clusters with fewer items are pale, with dark figures. */
const FEW = 30

interface PlaceSource {
  source: string
  'source-layer'?: string
}

/** Returns the dots of a source of places: features with a `total` are clusters, others items with a `name`. */
export function dotLayers(source: PlaceSource, legend: Legend, colour: Colours): LayerSpecification[] {
  return [
    {
      id: 'clusters',
      type: 'circle',
      ...source,
      filter: ['has', 'total'],
      layout: { 'circle-sort-key': ['get', 'total'] },
      paint: {
        'circle-color': ['interpolate', ['linear'], MAGNITUDE, 0, colour.few, 2, colour.dot, 5, colour.many],
        'circle-radius': CLUSTER_RADIUS,
        'circle-stroke-color': colour.land,
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'points',
      type: 'circle',
      ...source,
      filter: ['!', ['has', 'total']],
      paint: {
        'circle-color': placeColour(legend, colour),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 4, 14, 7],
        'circle-stroke-color': colour.edge,
        'circle-stroke-width': 1,
      },
    },
  ]
}

/** Returns the names of places where there is room for them. */
export function nameLayer(id: string, source: PlaceSource, colour: Colours): SymbolLayerSpecification {
  return {
    id,
    type: 'symbol',
    ...source,
    layout: {
      'text-field': ['slice', ['get', 'name'], 0, 40],
      'text-size': 12,
      'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
      'text-radial-offset': 0.9,
      'text-padding': 4,
      'text-max-width': 12,
    },
    paint: { 'text-color': colour.text, 'text-halo-color': colour.land, 'text-halo-width': 1.5 },
  }
}

/** Returns the names of a layer, also where they cover others. */
export function alwaysShown(layer: SymbolLayerSpecification): SymbolLayerSpecification {
  return { ...layer, layout: { ...layer.layout, 'text-allow-overlap': true, 'text-size': 14 } }
}

/** Returns the texts on the dots and beside them. The name of the chosen place has a layer of its own. */
export function textLayers(source: PlaceSource, colour: Colours, chosen = ''): LayerSpecification[] {
  return [
    {
      ...nameLayer('names', source, colour),
      minzoom: NAMES_ZOOM,
      filter: ['all', ['!', ['has', 'total']], ['!=', ['get', 'id'], chosen]],
    },
    // Where names overlap these, MapLibre hides the names, because it places the last layer first.
    {
      id: 'totals',
      type: 'symbol',
      ...source,
      filter: ['has', 'total'],
      layout: {
        'text-field': ['number-format', ['get', 'total'], { locale: 'en' }],
        'text-size': 11,
        // On a phone the world is so small that not all numbers have room: the greatest have it.
        'text-overlap': ['step', ['zoom'], 'never', PHONE_ZOOM, 'always'],
        'symbol-sort-key': ['-', ['get', 'total']],
        // About the radius of the dot, which names of the base map must not cover.
        'text-padding': ['step', ['zoom'], 1, PHONE_ZOOM, 7],
      },
      paint: { 'text-color': ['step', ['get', 'total'], colour.inkOnFew, FEW, colour.ink] },
    },
  ]
}
