import type { Located } from '../../init/where.ts'
import { printLine, printNarrowTable } from '../print.ts'

/** Prints places as they would be stored, and where each of them is, between empty lines. */
export function printPlaces(places: readonly Located[]): void {
  if (places.length === 0) return
  const rows = places.map(({ row, name, latitude, longitude, where }) => [
    '',
    row.toLocaleString('en'),
    name,
    latitude,
    longitude,
    where,
  ])
  printLine()
  printNarrowTable(['', 'row', 'name', 'latitude', 'longitude', 'where'], rows)
  printLine()
}
