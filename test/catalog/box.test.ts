import { describe, expect, test } from 'vitest'
import { type BoundingBox, cellsOfRange, divide, type NumberedTile, WORLD } from '../../src/catalog/box.ts'
import {
  cellRange,
  countedZoomFor,
  mortonNumber,
  positionInTile,
  rangeAtZoom,
  tileOfNumber,
} from '../../src/catalog/tile.ts'

/* Boxes and tiles, against the definitions of Web Mercator and of the Morton order, written out in bits. */

const CELL_ZOOM = 30
const SIZE = 2 ** CELL_ZOOM

const bitsOf = (value: number, length: number) => value.toString(2).padStart(length, '0')

/** The number of a tile: the bits of its row and its column in turn. */
function morton(x: number, y: number, z: number): bigint {
  const [columns, rows] = [bitsOf(x, z), bitsOf(y, z)]
  return z === 0 ? 0n : BigInt(`0b${Array.from({ length: z }, (_, n) => `${rows[n]}${columns[n]}`).join('')}`)
}

/** The cell of a point, which is the tile at zoom 30. */
function cellOf(latitude: number, longitude: number): bigint {
  const x = Math.floor(((longitude + 180) / 360) * SIZE) % SIZE
  const phi = (Math.max(-85.06, Math.min(85.06, latitude)) * Math.PI) / 180
  const y = Math.floor(((1 - Math.log(Math.tan(phi) + 1 / Math.cos(phi)) / Math.PI) / 2) * SIZE)
  return morton(x, Math.max(0, Math.min(SIZE - 1, y)), CELL_ZOOM)
}

const isIn = (latitude: number, longitude: number, { west, south, east, north }: BoundingBox) =>
  latitude >= south &&
  latitude <= north &&
  (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east)

const BOXES: Record<string, BoundingBox> = {
  'a city': { west: 126.9, south: 37.4, east: 127.1, north: 37.6 },
  'a house': { west: 126.9001, south: 37.4001, east: 126.9002, north: 37.4002 },
  'the antimeridian': { west: 179.5, south: -10, east: -179.2, north: 10 },
  'the edge of the east': { west: 170, south: 0, east: 180, north: 5 },
  'the edge of the west': { west: -180, south: -80, east: -179, north: 80 },
  'the world': { west: -180, south: -90, east: 180, north: 90 },
  'a pole': { west: -20, south: 84, east: 40, north: 90 },
  'a point': { west: 10, south: 20, east: 10, north: 20 },
  'a meridian': { west: 33.3, south: -60, east: 33.3, north: 60 },
}

/** Points on the edges and corners of a box, just outside of them, inside, and elsewhere. */
function pointsAround({ west, south, east, north }: BoundingBox): [number, number][] {
  const step = 1e-5
  const latitudes = [south - step, south, south + step, (south + north) / 2, north - step, north, north + step, 0, 89]
  const middle = west <= east ? (west + east) / 2 : 180
  const longitudes = [west - step, west, west + step, middle, east - step, east, east + step, -180, 180, 0]
  return latitudes.flatMap((latitude) =>
    longitudes
      .filter((longitude) => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)
      .map((longitude): [number, number] => [latitude, longitude]),
  )
}

describe.each(Object.entries(BOXES))('The box of %s', (_name, box) => {
  test.each([5, 9])(
    'has each of its points in a tile of zoom %i, and no other point in a tile inside of it',
    (zoom) => {
      const { inside, border } = divide(box, [WORLD], zoom)
      const within = inside.map((range) => cellsOfRange(range, zoom))
      const onBorder = border.map(cellRange)
      for (const [latitude, longitude] of pointsAround(box)) {
        const cell = cellOf(latitude, longitude)
        const has = (cells: readonly { first: bigint; end: bigint }[]) =>
          cells.some(({ first, end }) => cell >= first && cell < end)
        const where = [has(within), has(onBorder)]
        if (isIn(latitude, longitude, box)) expect(where, `${latitude} ${longitude}`).toContain(true)
        else expect(has(within), `${latitude} ${longitude}`).toBe(false)
        expect(where, 'a tile is inside and on the border').not.toEqual([true, true])
      }
    },
  )

  test('has few tiles on its border, which are divided in turn', () => {
    const { inside, border } = divide(box, [WORLD], 5)
    const next = divide(box, border, 9)
    const direct = divide(box, [WORLD], 9)
    expect(next.border).toEqual(direct.border)
    const cells = (ranges: typeof inside, zoom: number) =>
      ranges.map((range) => cellsOfRange(range, zoom)).reduce((sum, { first, end }) => sum + end - first, 0n)
    expect(cells(inside, 5) + cells(next.inside, 9)).toBe(cells(direct.inside, 9))
    for (const { z, x, y, number } of border) expect([z, BigInt(number)]).toEqual([5, morton(x, y, z)])
  })
})

test('most of a large box is inside, in ranges that follow each other with gaps', () => {
  const { inside } = divide({ west: -170, south: -80, east: 170, north: 80 }, [WORLD], 5)
  const tiles = inside.reduce((sum, { first, end }) => sum + end - first, 0)
  expect(tiles).toBeGreaterThan(600)
  for (const [n, { first, end }] of inside.entries()) {
    expect(end).toBeGreaterThan(first)
    expect(first).toBeGreaterThan(inside[n - 1]?.end ?? -1)
  }
})

test('the tiles on both sides of an edge belong to the border, because arithmetic may differ in the last bit', () => {
  // All four edges are edges of tiles of zoom 5.
  const { inside, border } = divide({ west: -90, south: 0, east: 0, north: 66.51326044311186 }, [WORLD], 5)
  const row = (y: number) => border.filter((tile) => tile.y === y).map(({ x }) => x)
  expect(row(12).sort((a, b) => a - b)).toEqual([7, 8, 15, 16])
  const column = border.filter(({ x }) => x === 10).map(({ y }) => y)
  expect(column.sort((a, b) => a - b)).toEqual([7, 8, 15, 16])
  expect(inside.reduce((sum, { first, end }) => sum + end - first, 0)).toBe(6 * 6)
})

const TILES: [z: number, x: number, y: number][] = [
  [0, 0, 0],
  [1, 1, 0],
  [3, 2, 5],
  [9, 437, 198],
  [18, 223_511, 101_500],
  [20, 1_048_575, 699_051],
]

test.each(TILES)('the tile %i/%i/%i has the cells that begin with the bits of its row and column', (z, x, y) => {
  const number = morton(x, y, z)
  const tile: NumberedTile = { z, x, y, number: Number(number) }
  const bits = BigInt(2 * (CELL_ZOOM - z))
  const cells = { first: number << bits, end: (number + 1n) << bits }
  expect(cellRange(tile)).toEqual(cells)
  expect(mortonNumber(tile)).toBe(tile.number)
  expect(tileOfNumber(z, tile.number)).toEqual({ z, x, y })
  expect(rangeAtZoom(tile, z)).toEqual({ first: number, end: number + 1n })
  expect(rangeAtZoom(tile, z + 2)).toEqual({ first: number << 4n, end: (number + 1n) << 4n })
})

test('a position in a tile is the cell in units of 1/4096 of the tile', () => {
  expect(positionInTile({ z: 18, x: 5, y: 0 }, 5 * 4096 + 4095)).toBe(4095)
  expect(positionInTile({ z: 18, x: 5, y: 0 }, 6 * 4096)).toBe(0)
  expect(positionInTile({ z: 17, x: 5, y: 0 }, (5 * 4096 + 17) * 2 + 1)).toBe(17)
})

test('the counts of a tile are at least four zooms finer, so that a square has its own', () => {
  expect([0, 1, 2, 5, 6, 9, 10, 13, 14, 18].map((z) => countedZoomFor({ z, x: 0, y: 0 }))).toEqual([
    5,
    5,
    9,
    9,
    13,
    13,
    17,
    17,
    undefined,
    undefined,
  ])
})
