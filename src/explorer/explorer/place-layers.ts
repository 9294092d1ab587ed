import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Colours } from './colours.ts'

/*
 * The map layers of places: clusters with their exact counts, single places, and names.
 */

/** From this zoom on, the map shows the names of places. */
const NAMES_ZOOM = 11

/** The number of items of a cluster as a power of ten. */
const MAGNITUDE: ExpressionSpecification = ['log10', ['get', 'total']]
/** Clusters with fewer items are pale, with dark figures. */
const FEW = 30

interface PlaceSource {
  source: string
  'source-layer'?: string
}

/** Returns the dots of a source of places: features with a `total` are clusters, others items with a `name`. */
export function dotLayers(source: PlaceSource, colour: Colours): LayerSpecification[] {
  return [
    {
      id: 'clusters',
      type: 'circle',
      ...source,
      filter: ['has', 'total'],
      paint: {
        'circle-color': ['interpolate', ['linear'], MAGNITUDE, 0, colour.few, 2, colour.dot, 5, colour.many],
        'circle-radius': ['interpolate', ['linear'], MAGNITUDE, 0, 10, 4, 15, 6, 24],
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
        'circle-color': colour.dot,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 4, 14, 7],
        'circle-stroke-color': colour.ink,
        'circle-stroke-width': 1.5,
      },
    },
  ]
}

/** Returns the texts on the dots and beside them. */
export function textLayers(source: PlaceSource, colour: Colours): LayerSpecification[] {
  return [
    {
      id: 'names',
      type: 'symbol',
      ...source,
      minzoom: NAMES_ZOOM,
      filter: ['!', ['has', 'total']],
      layout: {
        'text-field': ['slice', ['get', 'name'], 0, 40],
        'text-size': 12,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 0.9,
        'text-padding': 4,
        'text-max-width': 12,
      },
      paint: { 'text-color': colour.text, 'text-halo-color': colour.land, 'text-halo-width': 1.5 },
    },
    // Where names overlap these, MapLibre hides the names, because it places the last layer first.
    {
      id: 'totals',
      type: 'symbol',
      ...source,
      filter: ['has', 'total'],
      layout: {
        'text-field': ['number-format', ['get', 'total'], { locale: 'en' }],
        'text-size': ['interpolate', ['linear'], MAGNITUDE, 2, 11, 3, 10, 5, 12],
        'text-allow-overlap': true,
        // About the radius of the dot, which names of the base map must not cover.
        'text-padding': 7,
      },
      paint: { 'text-color': ['step', ['get', 'total'], colour.inkOnFew, FEW, colour.ink] },
    },
  ]
}
