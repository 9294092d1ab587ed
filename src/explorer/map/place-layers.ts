import type { FeatureCollection } from 'geojson'
import type { LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl'
import { locale } from '../shared/language.ts'
import { latitudeOf } from './box.ts'
import { type Colouring, type Colours, placeColour } from './colours.ts'
import type { Pie } from './pie.ts'
import { type Group, radiusOf } from './place-groups.ts'

/*
 * The map layers of places: clusters with their exact counts and shares, single places, and names.
 */

/** From this zoom on, the map shows the names of places where there is room. Before, it shows those of cities. */
const NAMES_ZOOM = 7

interface PlaceSource {
  source: string
  'source-layer'?: string
}

/** Returns the layers of the places: features with a `total` are several at one place, others items with a `name`. */
export function placeLayers(
  source: PlaceSource,
  colouring: Colouring,
  colour: Colours,
  marked: readonly string[] = [],
): LayerSpecification[] {
  return [
    {
      id: 'points',
      type: 'circle',
      ...source,
      filter: ['!', ['has', 'total']],
      paint: {
        'circle-color': placeColour(colouring, colour),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 4, 14, 7],
        'circle-stroke-color': colour.edge,
        'circle-stroke-width': 1,
      },
    },
    // The names of marked places have a layer of their own.
    {
      ...nameLayer('names', source, colour),
      minzoom: NAMES_ZOOM,
      filter: ['all', ['!', ['has', 'total']], ['!', ['in', ['get', 'id'], ['literal', [...marked]]]]],
    },
    // Where names overlap these two layers, MapLibre moves or hides the names, because it places the last layer first. It takes no
    // notice of circles, so each has an invisible letter.
    {
      id: 'room',
      type: 'symbol',
      ...source,
      minzoom: NAMES_ZOOM,
      filter: ['!', ['has', 'total']],
      layout: { 'text-field': '●', 'text-size': 10, 'text-padding': 0, 'text-overlap': 'always' },
      paint: { 'text-opacity': 0 },
    },
    {
      id: 'clusters',
      type: 'symbol',
      ...source,
      filter: ['has', 'total'],
      layout: {
        'icon-image': ['get', 'icon'],
        'icon-overlap': 'always',
        'text-field': ['number-format', ['get', 'total'], { locale }],
        'text-size': 11,
        'text-overlap': 'always',
      },
      paint: { 'text-color': colour.text },
    },
  ]
}

/** Returns the groups as features. Their icons are descriptions of pies, which the map draws when it first needs them (pie.ts). */
export function placeFeatures(groups: readonly Group[], colouring: Colouring, colour: Colours): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: groups.map(({ x, y, total, item, spread, shares }) => ({
      type: 'Feature',
      properties: item ?? { total, spread, icon: JSON.stringify(pieOf(total, shares, colouring, colour)) },
      geometry: { type: 'Point', coordinates: [x * 360 - 180, latitudeOf(y)] },
    })),
  }
}

function pieOf(total: number, shares: Group['shares'], { entries }: Colouring, colour: Colours): Pie {
  const own =
    entries.length < 2
      ? []
      : entries.map(({ value }, i) => [colour.values[i] ?? colour.others, shares[value] ?? 0] as const)
  const rest = total - own.reduce((sum, [, n]) => sum + n, 0)
  const arcs = [...own, [own.length === 0 ? colour.dot : colour.others, rest] as const].filter(([, n]) => n > 0)
  return { radius: radiusOf(total), arcs, middle: colour.land, edge: colour.edge }
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
      'text-variable-anchor': ['left', 'top', 'bottom', 'right'],
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
