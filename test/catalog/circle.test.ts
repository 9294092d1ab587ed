import { expect, test } from 'vitest'
import { coverOf, distancesTo, isBeyondMap, pointAt, straightLine } from '../../src/catalog/circle.ts'
import { tileOfNumber } from '../../src/catalog/tile.ts'

/* Bounds of distances to tiles, against points in the tiles. */

/** A number from 0 to 1 for each `n`, spread evenly. */
const spread = (n: number, step: number) => (n * step) % 1

const turned = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180

/** Places from a few metres to 300 kilometres away from a centre, on all sides, also beyond the pole and the antimeridian. */
const PAIRS = Array.from({ length: 2_000 }, (_, n) => {
  const latitude = n % 4 === 0 ? 83 + spread(n, 0.618034) * 7 : spread(n, 0.618034) * 170 - 85
  const longitude = n % 5 === 0 ? 180 - spread(n, 0.754878) / 50 : spread(n, 0.754878) * 360 - 180
  const degrees = 10 ** (-4 + 4.5 * spread(n, 0.569841))
  const direction = 2 * Math.PI * spread(n, 0.438579)
  const north = latitude + degrees * Math.cos(direction)
  const east = longitude + (degrees * Math.sin(direction)) / Math.max(0.02, Math.cos((latitude * Math.PI) / 180))
  const place =
    north > 90
      ? { latitude: 180 - north, longitude: turned(east + 180) }
      : { latitude: Math.max(north, -90), longitude: turned(east) }
  return { latitude, longitude, centre: pointAt(latitude, longitude), place }
})

/** The tile of a zoom in which the database counts a place: in its edge rows, beyond the edge of the map. */
function tileOf({ latitude, longitude }: { latitude: number; longitude: number }, z: number) {
  const size = 2 ** z
  const sine = Math.sin((Math.max(-85.06, Math.min(85.06, latitude)) * Math.PI) / 180)
  const row = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size)
  return { z, x: Math.floor(((longitude + 180) / 360) * size) % size, y: Math.max(0, Math.min(size - 1, row)) }
}

test.each([2, 3, 5, 9, 13, 17, 20])(
  'the tile of zoom %i of a place is as near as the place, and reaches to it',
  (z) => {
    for (const { centre, place } of PAIRS) {
      const distance = straightLine(centre, pointAt(place.latitude, place.longitude))
      const { nearest, farthest } = distancesTo(centre, tileOf(place, z))
      expect(nearest).toBeLessThanOrEqual(distance)
      expect(farthest).toBeGreaterThanOrEqual(distance)
    }
  },
)

test('the tiles of a circle contain the places in it, are few, and no larger than needed', () => {
  for (const { latitude, longitude, centre, place } of PAIRS) {
    const radius = straightLine(centre, pointAt(place.latitude, place.longitude)) + 0.001
    const { z, tiles } = coverOf({ latitude, longitude, radius })
    const { x, y } = tileOf(place, z)
    expect(tiles.map((number) => tileOfNumber(z, number))).toContainEqual({ z, x, y })
    expect(tiles.length).toBeLessThanOrEqual(20)
    if (z < 17) expect(tiles.length).toBeGreaterThanOrEqual(4)
    const small = coverOf({ latitude, longitude, radius }, { most: 64, lastZoom: 20 })
    const within = tileOf(place, small.z)
    expect(small.tiles.map((number) => tileOfNumber(small.z, number))).toContainEqual({
      z: small.z,
      x: within.x,
      y: within.y,
    })
    expect(small.tiles.length).toBeLessThanOrEqual(64)
  }
})

test('the bounds of a small tile far from the poles differ by little more than its diagonal', () => {
  const centre = pointAt(37.5, 127)
  for (const degrees of [0.001, 0.01, 0.1, 0.4]) {
    const { nearest, farthest } = distancesTo(
      centre,
      tileOf({ latitude: 37.5 + degrees, longitude: 127 + degrees }, 17),
    )
    expect(farthest - nearest).toBeGreaterThan(335)
    expect(farthest - nearest).toBeLessThan(345)
  }
})

test.each([
  ['with its centre beyond the edge of the map', { latitude: -85.1, radius: 50_000 }, false],
  ['beyond the edge', { latitude: 85.5, radius: 50_000 }, true],
  ['at a pole', { latitude: -90, radius: 1 }, true],
])('whether a circle %s has no place on the map', (_where, circle, expected) => {
  expect(isBeyondMap({ ...circle, longitude: 0 })).toBe(expected)
})

test('a circle beyond the map has no place at latitude 85', () => {
  for (let latitude = 85; latitude <= 90; latitude += 0.01) {
    const radius = straightLine(pointAt(latitude, 0), pointAt(85, 0))
    expect(isBeyondMap({ latitude, longitude: 0, radius })).toBe(false)
  }
})

test('a straight line is measured to the micrometre, however short', () => {
  const east = (metres: number) => pointAt(0, (metres / 6_378_137) * (180 / Math.PI))
  for (const metres of [0.001, 1, 100]) expect(straightLine(east(0), east(metres))).toBeCloseTo(metres, 6)
})
