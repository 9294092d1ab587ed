import { operationFailed } from '../errors/errors.ts'
import { columnsOfField, textOf } from './column-mapping.ts'
import {
  Angle,
  COORDINATES,
  type CoordinateField,
  degreesOf,
  describeCoordinate,
  plainCoordinate,
  plainPair,
} from './coordinate-text.ts'
import { adviseEntry, type Fields } from './formats/source.ts'
import type { ItemFile } from './manifest.ts'
import { Misfit } from './parse-item.ts'
import { findReferenceSystem, type ReferenceSystem } from './reference-system.ts'

const DECIMALS = 7
/** Larger numbers may be metres or feet, and are no angle. */
const LARGEST_ANGLE = 999
/** Larger numbers are no metres. */
const LARGEST_METRES = 20_100_000
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/
const COMMA_NUMBER = /^[+-]?\d+(?:\.\d{3})*,\d+$/
/** Commas that may separate thousands. */
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

/**
 * Returns a function that gives the fields of a row coordinates in degrees of WGS 84, or says why it has none. It takes the reference system that the
 * file itself names.
 * @throws `OPERATION_FAILED` if that is unknown, or another one than in the manifest
 */
export function positionReader(file: ItemFile): (fields: Fields, ownCrs: string | undefined) => Fields | Misfit {
  const [one, other] = COORDINATES.map((field) => columnsOfField(file.columns, field).join())
  // One column must have both coordinates.
  const read = one === other && one !== '' ? readHalf : readCoordinate
  const systems = new Map<string | undefined, ReferenceSystem | undefined>()
  return (fields, ownCrs) => {
    if (!systems.has(ownCrs)) systems.set(ownCrs, findSystem(file, ownCrs))
    const system = systems.get(ownCrs)
    const latitude = read(fields.latitude, 'latitude', file, system)
    const longitude = read(fields.longitude, 'longitude', file, system)
    if (latitude instanceof Misfit) return latitude
    if (longitude instanceof Misfit) return longitude
    // Without a value, the check of the fields says what is wrong.
    if (latitude === undefined || longitude === undefined) return { ...fields, latitude, longitude }
    if (system) return project(fields, Number(longitude), Number(latitude), system)
    const isSame = latitude === fields.latitude && longitude === fields.longitude
    return isSame ? fields : { ...fields, latitude, longitude }
  }
}

/** A coordinate as a number with a decimal point, or why it is none; undefined without a value. */
type Coordinate = string | Misfit | undefined

function readHalf(value: unknown, field: CoordinateField, file: ItemFile): Coordinate {
  if (value instanceof Angle) return readCoordinate(value, field, file, undefined)
  const text = textOf(value).trim()
  if (text === '') return undefined
  const number = plainPair(text, field) ?? ''
  const wrong =
    'must be one of two numbers in one cell, with the longitude above 90 or in WKT or GeoJSON; else write two columns'
  return NUMBER.test(number) ? number : new Misfit(`${field} ${wrong}`, [field])
}

function readCoordinate(
  value: unknown,
  field: CoordinateField,
  file: ItemFile,
  system: ReferenceSystem | undefined,
): Coordinate {
  const { decimal } = file.dialect
  if (value instanceof Angle) return value.text === '' ? undefined : degreesOf(value, field, decimal)
  const text = textOf(value).trim()
  if (text === '') return undefined
  const areMetres = system !== undefined && !system.isGeographic
  const plain = plainCoordinate(text, { field, decimal, areMetres })
  if (!NUMBER.test(plain)) return new Misfit(`${field} ${describeWrong(text, plain, file)}`, [field])
  if (system || Math.abs(Number(plain)) <= LARGEST_ANGLE) return plain
  const advice = Math.abs(Number(plain)) > LARGEST_METRES ? 'divide it by 10,000,000 if it is E7' : adviseMetres(file)
  return new Misfit(`${field} is no number of degrees; ${advice}`, [field])
}

const adviseMetres = (file: ItemFile) => `if it is metres, ${adviseEntry(file, { crs: 'EPSG:…' })}`

function describeWrong(text: string, plain: string, file: ItemFile): string {
  const isComma = file.dialect.decimal !== ',' && COMMA_NUMBER.test(plain)
  const ways = [
    ...(isComma ? [`if its comma is a decimal sign, ${adviseEntry(file, { decimal: ',' })}`] : []),
    ...(THOUSANDS.test(plain) ? [adviseMetres(file)] : []),
  ]
  const what = ways.length > 0 ? undefined : describeCoordinate(text)
  if (what !== undefined) return `must be a number of degrees, and is ${what}`
  return ['must be a decimal number', ...ways].join('; ')
}

/** The system to convert from; undefined if the coordinates are degrees of WGS 84. */
function findSystem(file: ItemFile, ownCrs: string | undefined): ReferenceSystem | undefined {
  const [own, given] = [ownCrs, file.dialect.crs].map((crs) => (crs === undefined ? crs : findReferenceSystem(crs)))
  if (own && given && own.code !== given.code) {
    throw operationFailed(`${file.name}: says that its crs is ${own.code}; ${adviseEntry(file, { crs: own.code })}`)
  }
  const system = given ?? own
  if (!system && ownCrs !== undefined) {
    const advice = `${adviseEntry(file, { crs: 'EPSG:…' })}, with its number`
    throw operationFailed(`${file.name}: its crs ${ownCrs.slice(0, 80)} is not known; ${advice}`)
  }
  return system?.code === 'EPSG:4326' ? undefined : system
}

function project(fields: Fields, x: number, y: number, system: ReferenceSystem): Fields | Misfit {
  const degrees = system.toDegrees(x, y)
  if (!degrees || !system.contains(degrees)) return new Misfit(outsideOf(system, x, y), COORDINATES)
  const { longitude, latitude } = degrees
  return { ...fields, longitude: longitude.toFixed(DECIMALS), latitude: latitude.toFixed(DECIMALS) }
}

function outsideOf({ code, name, isGeographic, toDegrees, contains }: ReferenceSystem, x: number, y: number): string {
  const place = `latitude and longitude are outside of the area of ${code} (${name})`
  if (!isGeographic && Math.abs(x) <= 180 && Math.abs(y) <= 90) return `${place}; they look like degrees`
  const swapped = toDegrees(y, x)
  return swapped && contains(swapped) ? `${place}; they look swapped` : place
}
