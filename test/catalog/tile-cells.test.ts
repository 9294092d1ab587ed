import { expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'

/* The cells of places in the database, against the formula of Web Mercator. */

const db = useDatabase()

const SIZE = 2 ** 30

const LATITUDES = [-90, -85.06, -85, -66.51, -33.86882, -0.00001, 0, 0.00001, 12.34567, 37.5665, 84.99999, 85.05, 90]
const LONGITUDES = [-180, -179.99999, -122.41942, -0.00001, 0, 0.00001, 11.25, 126.97797, 179.99999, 180]

function columnOf(longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * SIZE) % SIZE
}

function rowOf(latitude: number): number {
  if (Math.abs(latitude) > 85.0511287) return latitude > 0 ? 0 : SIZE - 1
  const phi = (latitude * Math.PI) / 180
  return Math.floor(((1 - Math.log(Math.tan(phi) + 1 / Math.cos(phi)) / Math.PI) / 2) * SIZE)
}

test('the cell of a place is its column and row of Web Mercator, bit by bit in turn', async () => {
  const places = LATITUDES.flatMap((latitude) => LONGITUDES.map((longitude) => [latitude, longitude] as const))
  const rows = await db.database.prisma.$queryRaw<{ cell: bigint; x: bigint; y: bigint }[]>`
    SELECT cell, even_bits(cell) AS x, even_bits(cell >> 1) AS y
      FROM unnest(${places.map(([latitude]) => latitude)}::numeric[], ${places.map(([, longitude]) => longitude)}::numeric[])
           WITH ORDINALITY AS place (latitude, longitude, n), tile_cell_of(latitude, longitude) AS cell
     ORDER BY n`
  for (const [n, [latitude, longitude]] of places.entries()) {
    const bits = rows[n]?.cell.toString(2).padStart(60, '0') ?? ''
    const every = (first: number) => Number.parseInt([...bits].filter((_, place) => place % 2 === first).join(''), 2)
    const [y, x] = [every(0), every(1)]
    expect([bits.length, Number(rows[n]?.x), Number(rows[n]?.y)]).toEqual([60, x, y])
    // The arithmetic of JavaScript and of PostgreSQL may differ in the last bit.
    expect(Math.abs(x - columnOf(longitude)), `column of ${longitude}`).toBeLessThanOrEqual(1)
    expect(Math.abs(y - rowOf(latitude)), `row of ${latitude}`).toBeLessThanOrEqual(1)
  }
})
