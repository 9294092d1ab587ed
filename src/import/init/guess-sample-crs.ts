import type { Columns } from '../manifest.ts'
import { textOf } from '../row/column-mapping.ts'
import type { Evidence } from './evidence.ts'
import { type GuessedColumns, readNumber, type Sample } from './guess-columns.ts'
import { type GuessedCrs, guessCrs } from './guess-crs.ts'

/** Guesses the reference system of the first rows. */
export function guessSampleCrs(
  evidence: Evidence,
  { rows, decimal }: Sample,
  { mappings: [{ latitude, longitude }] }: GuessedColumns,
): GuessedCrs | undefined {
  if (typeof latitude !== 'string' || typeof longitude !== 'string') return undefined
  const points = rows
    .map((row) => ({
      x: readNumber(textOf(row[longitude]), { field: 'longitude', decimal, areMetres: true }),
      y: readNumber(textOf(row[latitude]), { field: 'latitude', decimal, areMetres: true }),
    }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && x !== 0 && y !== 0)
  return guessCrs({ ...evidence, columns: { latitude, longitude } }, points)
}

/** Returns a mapping with the columns of latitude and longitude exchanged. */
export function exchangePosition({ latitude, longitude, ...columns }: Columns): Columns {
  return { ...columns, ...(longitude && { latitude: longitude }), ...(latitude && { longitude: latitude }) }
}
