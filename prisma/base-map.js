// Writes the base map of the explorer to src/generated: land and borders of Natural Earth (public domain), from the package
// world-atlas, cut into vector tiles. As one file, the detailed land is 8 MB, which a browser would have to load and cut itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { feature, mesh } from 'topojson-client'

/** From the zoom 5 on, the detailed coasts look different. A browser enlarges the tiles of the last zoom. */
const SCALES = ['50m', '50m', '50m', '50m', '50m', '10m', '10m']
/** Positions in a tile. At the last zoom, one is 76 m. */
const EXTENT = 8192
const OPTIONS = { maxZoom: SCALES.length - 1, extent: EXTENT, buffer: 128, indexMaxZoom: 0 }

/** Writes base-map.json (the tiles in base64, by `zoom/x/y`) and land.json (the coarsest land as a GeoJSON geometry). */
export function writeBaseMap() {
  write('land.json', landOf(readWorld('110m')))
  const indexes = new Map(['50m', '10m'].map((scale) => [scale, indexOf(readWorld(scale))]))
  write('base-map.json', Object.fromEntries(SCALES.flatMap((scale, z) => tilesOf(indexes.get(scale), z))))
}

function tilesOf({ land, borders }, z) {
  const places = Array.from({ length: 4 ** z }, (_, i) => [i % 2 ** z, Math.floor(i / 2 ** z)])
  return places.map(([x, y]) => {
    const layers = Object.entries({ land: land.getTile(z, x, y), borders: borders.getTile(z, x, y) })
    const drawn = Object.fromEntries(layers.filter(([, tile]) => tile !== null))
    const bytes = fromGeojsonVt(drawn, { version: 2, extent: EXTENT })
    return [`${z}/${x}/${y}`, Buffer.from(bytes).toString('base64')]
  })
}

function indexOf(world) {
  return { land: new GeoJSONVT(landOf(world), OPTIONS), borders: new GeoJSONVT(bordersOf(world), OPTIONS) }
}

function readWorld(scale) {
  return JSON.parse(
    readFileSync(new URL(`../node_modules/world-atlas/countries-${scale}.json`, import.meta.url), 'utf8'),
  )
}

function write(name, content) {
  writeFileSync(fileURLToPath(new URL(`../src/generated/${name}`, import.meta.url)), JSON.stringify(content))
}

/** Returns the land as a GeoJSON geometry. */
function landOf(world) {
  const { features } = feature(world, world.objects.land)
  const polygons = features.flatMap(({ geometry }) => geometry.coordinates)
  return {
    type: 'MultiPolygon',
    coordinates: polygons.map((rings) => rings.map((ring) => closeOverPole(unwrap(ring)))),
  }
}

/** Returns the borders between countries, without the coasts, as a GeoJSON geometry. */
function bordersOf(world) {
  const { coordinates } = mesh(world, world.objects.countries, (left, right) => left !== right)
  return { type: 'MultiLineString', coordinates: coordinates.map(unwrap) }
}

/** A line over the antimeridian jumps from 180 to -180 degrees. Continues beyond 180 instead, as maps draw it. */
function unwrap(line) {
  let turns = 0
  return line.map(([longitude, latitude], i) => {
    const step = longitude - (line[i - 1]?.[0] ?? longitude)
    if (Math.abs(step) > 180) turns -= Math.sign(step)
    return [round(longitude + 360 * turns), round(latitude)]
  })
}

/** A ring around the south pole (Antarctica) does not end where it begins. Closes it along the edge of the map. */
function closeOverPole(ring) {
  const [first] = ring[0]
  const [last] = ring.at(-1)
  return first === last ? ring : [...ring, [last, -90], [first, -90], ring[0]]
}

/** Four decimals of a degree are 11 m, finer than the map is drawn. */
function round(degrees) {
  return Math.round(degrees * 1e4) / 1e4
}
