import type { LayerSpecification } from 'maplibre-gl'
import type { Colours } from './colours.ts'

/*
 * How places are drawn: clusters with their exact counts, single places, and their names.
 */

/** From here on places have room for their names. */
const NAMES_ZOOM = 11

/** Returns the layers for a source of places: features with a `total` are clusters, others items with a `name`. */
export function placeLayers(
  source: { source: string; 'source-layer'?: string },
  colour: Colours,
): LayerSpecification[] {
  return [
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
  ]
}
