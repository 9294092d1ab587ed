import type { ExpressionSpecification, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import type { Colours } from './colours.ts'

/*
 * The base map that needs no configuration: land, lakes, rivers, borders, the parks and main roads of Seoul, and the names of countries and cities.
 */

/** What is drawn below the places. */
export interface DrawnBaseMap {
  sources: Record<string, SourceSpecification>
  layers: LayerSpecification[]
  sprite?: string
}

export const WORLD_CREDIT = 'Natural Earth, GeoNames (CC BY 4.0)'

const TILES = `${new URL('../lib/world/', import.meta.url).href}{z}/{x}/{y}.mvt`
const MAX_ZOOM = 6
const layer = (name: string) => ({ source: 'world', 'source-layer': name })

/** The area in square degrees from which on a zoom shows the name of a country. Of names that overlap it shows the largest. */
const COUNTRY_AREAS: ExpressionSpecification = ['step', ['zoom'], 60, 2, 20, 3, 4, 4, 0.5, 5, 0]
/** The population from which on a zoom shows a city. Capitals appear two zooms before others of their size. */
const populations = (zoomsBefore: number): ExpressionSpecification => {
  const steps = [2e6, 1e6, 3e5, 1e5, 3e4, 1e4, 0].flatMap((population, n) => [3 + n - zoomsBefore, population])
  return ['step', ['zoom'], 5e6, ...steps]
}

/** Returns the base map, with the names of countries in the first of the languages that the browser knows. */
export function worldMap(colour: Colours, languages: readonly string[]): DrawnBaseMap {
  return {
    sources: { world: { type: 'vector', tiles: [TILES], maxzoom: MAX_ZOOM } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colour.water } },
      { id: 'land', type: 'fill', ...layer('land'), paint: { 'fill-color': colour.land } },
      { id: 'parks', type: 'fill', ...layer('parks'), minzoom: 9, paint: { 'fill-color': colour.park } },
      { id: 'lakes', type: 'fill', ...layer('lakes'), paint: { 'fill-color': colour.water } },
      ...['land', 'lakes'].map(
        (name): LayerSpecification => ({
          id: `shores-of-${name}`,
          type: 'line',
          ...layer(name),
          paint: { 'line-color': colour.border, 'line-width': 0.75 },
        }),
      ),
      // From zoom 9 on, the rivers of the world would be seen beside their beds.
      { id: 'rivers', ...waterLine(colour), ...layer('rivers'), minzoom: 3, maxzoom: 9 },
      { id: 'streams', ...waterLine(colour), ...layer('streams'), minzoom: 9 },
      {
        id: 'roads',
        type: 'line',
        ...layer('roads'),
        minzoom: 10,
        paint: { 'line-color': colour.road, 'line-width': ['interpolate', ['linear'], ['zoom'], 10, 0.5, 14, 3] },
        layout: { 'line-cap': 'round', 'line-join': 'round' },
      },
      {
        id: 'borders',
        type: 'line',
        ...layer('borders'),
        paint: { 'line-color': colour.border, 'line-width': 0.75, 'line-dasharray': [3, 2] },
      },
      ...nameLayers(colour, languages),
    ],
  }
}

const waterLine = (colour: Colours) =>
  ({
    type: 'line',
    paint: { 'line-color': colour.water, 'line-width': 1.5 },
    layout: { 'line-join': 'round' },
  }) as const

function nameLayers(colour: Colours, languages: readonly string[]): LayerSpecification[] {
  const names = (id: string) => ({ id, type: 'symbol', ...layer(id) }) as const
  const halo = { 'text-halo-color': colour.land, 'text-halo-width': 1.25 }
  return [
    {
      ...names('cities'),
      minzoom: 2,
      filter: [
        'any',
        ['>=', ['get', 'population'], populations(0)],
        ['all', ['has', 'isCapital'], ['>=', ['get', 'population'], populations(2)]],
      ],
      layout: {
        'text-field': nameIn(languages),
        'text-size': ['interpolate', ['linear'], ['log10', ['get', 'population']], 4, 11, 7, 14],
        'text-padding': 6,
        'text-max-width': 8,
        // Beside a cluster's number rather than nowhere.
        'text-variable-anchor': ['center', 'top', 'bottom', 'left', 'right'],
        'text-radial-offset': 0.8,
        'symbol-sort-key': ['-', ['get', 'population']],
      },
      paint: { 'text-color': colour.cities, ...halo },
    },
    {
      ...names('districts'),
      minzoom: 10.5,
      layout: { 'text-field': nameIn(languages), 'text-size': 11, 'text-padding': 6 },
      paint: { 'text-color': colour.countries, ...halo },
    },
    {
      ...names('countries'),
      maxzoom: 8,
      filter: ['>=', ['get', 'area'], COUNTRY_AREAS],
      layout: {
        'text-field': countryNames(languages),
        'text-size': ['interpolate', ['linear'], ['zoom'], 1, 11, 6, 15],
        'text-padding': 8,
        'text-max-width': 7,
        'text-letter-spacing': 0.04,
        'symbol-sort-key': ['-', ['get', 'area']],
      },
      paint: { 'text-color': colour.countries, ...halo },
    },
  ]
}

/** The name of a city or a district in the reader's language, if the tiles have it. */
const nameIn = ([language = 'en']: readonly string[]): ExpressionSpecification => [
  'coalesce',
  ['get', `name_${language.split('-')[0]}`],
  ['get', 'name'],
]

/** The name of a country in the reader's language, as the browser has it (Unicode CLDR). */
function countryNames(languages: readonly string[]): ExpressionSpecification {
  const names = new Intl.DisplayNames([...languages], { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i))
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const known = codes.flatMap((code) => {
    const name = names.of(code)
    return name === undefined ? [] : ([[code, name]] as const)
  })
  return [
    'coalesce',
    ['get', ['coalesce', ['get', 'code'], ''], ['literal', Object.fromEntries(known)]],
    ['get', 'name'],
  ]
}
