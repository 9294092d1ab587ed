import { expect, test } from 'vitest'
import { BITS_PER_LEVEL, type CubeLevel, coverOf, distancesTo, pointAt } from '../../src/catalog/sql/ecef-grid.ts'

/* Bounds of distances to cubes, against points in the cubes. */

/** A number from 0 to 1 for each `n`, spread evenly. */
const spread = (n: number, step: number) => (n * step) % 1

/** Places on all sides of a centre, from a few metres to 300 kilometres away. */
const PAIRS = Array.from({ length: 1_000 }, (_, n) => {
  const [latitude, longitude] = [spread(n, 0.618034) * 170 - 85, spread(n, 0.754878) * 360 - 180]
  const degrees = 10 ** (-4 + 4.5 * spread(n, 0.569841))
  const direction = 2 * Math.PI * spread(n, 0.438579)
  return {
    centre: pointAt(latitude, longitude),
    place: pointAt(latitude + degrees * Math.cos(direction), longitude + degrees * Math.sin(direction)),
  }
})

test.each([0, 1, 2, 3] as const)(
  'the cube of level %i of a place is as near as the place, and reaches to it',
  (level) => {
    for (const { centre, place } of PAIRS) {
      const distance = Math.hypot(place.x - centre.x, place.y - centre.y, place.z - centre.z)
      for (const cube of cubesOf(place, level)) {
        const { nearest, farthest } = distancesTo(centre, level, cube)
        expect(nearest).toBeLessThanOrEqual(distance)
        expect(farthest).toBeGreaterThanOrEqual(distance)
      }
      const cover = coverOf(centre, distance)
      expect(cubesOf(place, cover.level).some((cube) => cover.cubes.includes(cube))).toBe(true)
    }
  },
)

/** The cube of a place; several if it is at their common edge. */
function cubesOf(place: ReturnType<typeof pointAt>, level: CubeLevel): number[] {
  return coverOf(place, 0).cubes.map((cube) => Math.floor(cube / 2 ** (BITS_PER_LEVEL * level)))
}
