import { basename } from 'node:path'
import type { Columns } from '../manifest.ts'
import { textOf } from '../row/column-mapping.ts'
import { type GuessedColumns, readNumber, type Sample } from './guess-columns.ts'
import { type GuessedCrs, guessCrs } from './guess-crs.ts'

/** Rows whose text may name a country. */
const TEXT_ROWS = 100
const TEXT_LENGTH = 500

/** Guesses the reference system of the first rows. */
export function guessSampleCrs(
  path: string,
  { columns, rows, decimal }: Sample,
  { mappings: [{ latitude, longitude }] }: GuessedColumns,
): GuessedCrs | undefined {
  if (typeof latitude !== 'string' || typeof longitude !== 'string') return undefined
  const points = rows
    .map((row) => ({
      x: readNumber(textOf(row[longitude]), { field: 'longitude', decimal, areMetres: true }),
      y: readNumber(textOf(row[latitude]), { field: 'latitude', decimal, areMetres: true }),
    }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && x !== 0 && y !== 0)
  const text = rows
    .slice(0, TEXT_ROWS)
    .flatMap((row) => columns.map((column) => textOf(row[column]).slice(0, TEXT_LENGTH)))
  return guessCrs(
    { names: [...columns, basename(path)], text: text.join(' '), columns: { latitude, longitude } },
    points,
  )
}

/** Returns a mapping with the columns of latitude and longitude exchanged. */
export function exchangePosition({ latitude, longitude, ...columns }: Columns): Columns {
  return { ...columns, ...(longitude && { latitude: longitude }), ...(latitude && { longitude: latitude }) }
}
