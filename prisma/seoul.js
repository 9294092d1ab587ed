// Water, parks, main roads and districts of Seoul, the city of the sample, which Natural Earth lacks. Drawn by hand in seoul.geojson, exact
// to about 200 m.
import { readFileSync } from 'node:fs'

const { features } = JSON.parse(readFileSync(new URL('seoul.geojson', import.meta.url), 'utf8'))
const layer = (name) => features.filter(({ properties }) => properties.layer === name)
const linesOf = (name) => layer(name).flatMap(({ geometry }) => geometry.coordinates)

const METRES_IN_DEGREE = 111_320
/** The distance in metres between a bank of the Han and the motorway along it. */
const BANK_ROAD_METRES = 120

/** The middle of the Han (longitude, latitude), and half its width in metres, from the dam of Paldang to the estuary. */
const HAN = layer('han').flatMap(({ geometry, properties }) =>
  geometry.coordinates.map((position, i) => [...position, properties.halfWidths[i]]),
)

/** Returns the Han between its banks as the rings of a GeoJSON polygon. */
export function hanRiver() {
  const [left, right] = besideHan(0)
  const ring = [...left, ...right.reverse()]
  return [[...ring, ring[0]]]
}

/** The lines on both sides of the Han, at a distance in metres from its banks. */
function besideHan(distance) {
  const middle = smooth(smooth(HAN))
  const pairs = middle.map(([x, y, halfWidth], i) => {
    const [[fromX, fromY], [toX, toY]] = [middle[Math.max(i - 1, 0)], middle[Math.min(i + 1, middle.length - 1)]]
    const shrink = Math.cos((y * Math.PI) / 180)
    const [east, north] = [(toX - fromX) * shrink, toY - fromY]
    const scale = (halfWidth + distance) / METRES_IN_DEGREE / Math.hypot(east, north)
    const [stepX, stepY] = [(-north * scale) / shrink, east * scale]
    return [
      [x + stepX, y + stepY],
      [x - stepX, y - stepY],
    ]
  })
  return [pairs.map(([left]) => left), pairs.map(([, right]) => right)]
}

/** Returns the parks and mountains as a GeoJSON geometry. */
export function seoulParks() {
  const rings = linesOf('parks').map(([ring]) => {
    const corners = ring.slice(0, -1)
    const [first, last] = [corners[0], corners.at(-1)]
    const start = first.map((value, i) => (value + last[i]) / 2)
    return smooth(smooth([start, ...corners, start]))
  })
  return { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) }
}

/** Returns the main roads as a GeoJSON geometry. */
export function seoulRoads() {
  const lines = [...linesOf('roads').map((line) => smooth(smooth(line))), ...besideHan(BANK_ROAD_METRES)]
  return { type: 'MultiLineString', coordinates: lines }
}

/** Returns the streams as a GeoJSON geometry. */
export function seoulStreams() {
  return { type: 'MultiLineString', coordinates: linesOf('streams').map((line) => smooth(smooth(line))) }
}

/** Returns a point with the names of each district as GeoJSON features. */
export function seoulDistricts() {
  return layer('districts').map(({ geometry, properties: { layer: _, ...names } }) => ({
    type: 'Feature',
    properties: names,
    geometry,
  }))
}

/** Cuts each corner of a line (Chaikin). */
function smooth(line) {
  const between = (a, b, share) => a.map((value, i) => value + (b[i] - value) * share)
  const cut = line.slice(1).flatMap((to, i) => [between(line[i], to, 0.25), between(line[i], to, 0.75)])
  return [line[0], ...cut.slice(1, -1), line.at(-1)]
}
