import { operationFailed } from '../errors/errors.ts'
import { columnsOfField, textOf } from './column-mapping.ts'
import {
  Angle,
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

const COORDINATES = ['latitude', 'longitude'] as const
const DECIMALS = 7
/** Larger numbers may be metres or feet, and are no angle. */
const LARGEST_ANGLE = 999
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/
const COMMA_NUMBER = /^[+-]?\d+(?:\.\d{3})*,\d+$/
/** Commas that may separate thousands. */
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

/** Reads the coordinates of the rows of a file, by its decimal sign and its reference system. */
export class PositionReader {
  readonly #file: ItemFile
  /** Whether both coordinates come from one column, which must have both. */
  readonly #isPair: boolean
  readonly #systems = new Map<string | undefined, ReferenceSystem | undefined>()

  constructor(file: ItemFile) {
    this.#file = file
    const [latitude, longitude] = COORDINATES.map((field) => columnsOfField(file.columns, field).join())
    this.#isPair = latitude === longitude && latitude !== ''
  }

  /**
   * Returns the fields of a row with coordinates in degrees of WGS 84, or why it has none.
   * @throws `OPERATION_FAILED` if the file names an unknown system itself, or another one than the manifest
   */
  read(fields: Fields, ownCrs: string | undefined): Fields | Misfit {
    const system = this.#systemOf(ownCrs)
    const latitude = this.#readCoordinate(fields.latitude, 'latitude', system)
    const longitude = this.#readCoordinate(fields.longitude, 'longitude', system)
    if (typeof latitude === 'object') return new Misfit(latitude.reason, ['latitude'])
    if (typeof longitude === 'object') return new Misfit(longitude.reason, ['longitude'])
    // Without a value, the check of the fields says what is wrong.
    if (latitude === undefined || longitude === undefined) return { ...fields, latitude, longitude }
    if (system) return project(fields, Number(longitude), Number(latitude), system)
    const isSame = latitude === fields.latitude && longitude === fields.longitude
    return isSame ? fields : { ...fields, latitude, longitude }
  }

  /** A coordinate as a number, or why it is none; undefined without a value, or for what the check of the fields reads itself. */
  #readCoordinate(
    value: unknown,
    field: CoordinateField,
    system: ReferenceSystem | undefined,
  ): string | { reason: string } | undefined {
    const { decimal } = this.#file.dialect
    if (value instanceof Angle) return value.text === '' ? undefined : degreesOf(value, field, decimal)
    const text = textOf(value).trim()
    if (text === '') return undefined
    const plain = this.#isPair
      ? (plainPair(text, field) ?? '')
      : plainCoordinate(text, { field, decimal, areMetres: system !== undefined && !system.isGeographic })
    if (!NUMBER.test(plain)) return { reason: `${field} ${this.#describeWrong(text, plain)}` }
    const isFar = !system && !this.#isPair && Math.abs(Number(plain)) > LARGEST_ANGLE
    if (isFar)
      return { reason: `${field} is no number of degrees; if it is metres, ${this.#advise({ crs: 'EPSG:…' })}` }
    return plain
  }

  #describeWrong(text: string, plain: string): string {
    const { decimal } = this.#file.dialect
    if (this.#isPair) return 'must be one of two numbers in one cell, with the longitude above 90 or in WKT or GeoJSON'
    const isComma = decimal !== ',' && COMMA_NUMBER.test(plain)
    const ways = [
      ...(isComma ? [`if its comma is a decimal sign, ${this.#advise({ decimal: ',' })}`] : []),
      ...(THOUSANDS.test(plain) ? [`if it is metres, ${this.#advise({ crs: 'EPSG:…' })}`] : []),
    ]
    const what = ways.length > 0 ? undefined : describeCoordinate(text)
    if (what !== undefined) return `must be a number of degrees, and is ${what}`
    return ['must be a decimal number', ...ways].join('; ')
  }

  #advise(dialect: Parameters<typeof adviseEntry>[1]): string {
    return adviseEntry(this.#file, dialect)
  }

  /** The system to convert from; undefined if the coordinates are degrees of WGS 84. */
  #systemOf(ownCrs: string | undefined): ReferenceSystem | undefined {
    if (!this.#systems.has(ownCrs)) this.#systems.set(ownCrs, this.#findSystem(ownCrs))
    return this.#systems.get(ownCrs)
  }

  #findSystem(ownCrs: string | undefined): ReferenceSystem | undefined {
    const { name, dialect } = this.#file
    const own = ownCrs === undefined ? undefined : findReferenceSystem(ownCrs)
    const given = dialect.crs === undefined ? undefined : findReferenceSystem(dialect.crs)
    if (own && given && own.code !== given.code) {
      throw operationFailed(`${name}: says that its crs is ${own.code}; ${this.#advise({ crs: own.code })}`)
    }
    const system = given ?? own
    if (!system && ownCrs !== undefined) {
      const advice = `${this.#advise({ crs: 'EPSG:…' })}, with its number`
      throw operationFailed(`${name}: its crs ${ownCrs.slice(0, 80)} is not known; ${advice}`)
    }
    return system?.code === 'EPSG:4326' ? undefined : system
  }
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
