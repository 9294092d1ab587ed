import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { isObject } from '../json.ts'
import { textOf } from './column-mapping.ts'
import { type CoordinateField, describeCoordinate, isPacked, plainCoordinate } from './coordinate-text.ts'
import { adviseEntry, type Dialect, type SourceFile } from './formats/dialect.ts'
import type { Fields } from './formats/source-row.ts'
import { findReferenceSystem, type ReferenceSystem } from './reference-system.ts'

/** Converts the coordinates of a row to degrees of WGS 84, or says why it can't. */
type ConvertPosition = (fields: Fields, ownCrs: string | undefined) => { fields: Fields } | { problem: string }

/**
 * Returns the conversion for the coordinates of a file, by its decimal sign and its reference system.
 * The conversion throws `OPERATION_FAILED` if the file itself names an unknown system, or another one than the manifest.
 */
export function positionConverter(file: SourceFile): ConvertPosition {
  const { decimal, crs } = file.dialect
  return (given, ownCrs) => {
    const isPlain = crs === undefined && ownCrs === undefined
    const projection = isPlain ? undefined : projectionOf(file, ownCrs)
    const fields = withPlainNumbers(given, decimal, projection !== undefined && !projection.isGeographic)
    return projection ? project(fields, projection) : { fields }
  }
}

/** The system to convert from; undefined if the coordinates are degrees of WGS 84. */
function projectionOf(file: SourceFile, ownCrs: string | undefined): ReferenceSystem | undefined {
  const { crs } = file.dialect
  const own = ownCrs === undefined ? undefined : findReferenceSystem(ownCrs)
  const given = crs === undefined ? undefined : findReferenceSystem(crs)
  if (own && given && own.code !== given.code) {
    throw operationFailed(`${file.name}: says that its crs is ${own.code}; ${adviseEntry(file, { crs: own.code })}`)
  }
  const projection = given ?? own
  if (!projection && ownCrs !== undefined) {
    const advice = adviseEntry(file, { crs: 'EPSG:…' })
    throw operationFailed(`${file.name}: its crs ${ownCrs.slice(0, 80)} is not known; ${advice}, with its number`)
  }
  return projection?.code === 'EPSG:4326' ? undefined : projection
}

function withPlainNumbers(fields: Fields, decimal: Dialect['decimal'], areMetres: boolean): Fields {
  const plain = (field: CoordinateField) => {
    const value = fields[field]
    if (typeof value !== 'string' && !(isObject(value) || Array.isArray(value))) return value
    const text = textOf(value)
    const read = plainCoordinate(text, { field, decimal, areMetres })
    return read === text ? value : read
  }
  const [latitude, longitude] = [plain('latitude'), plain('longitude')]
  if (latitude === fields.latitude && longitude === fields.longitude) return fields
  return { ...fields, latitude, longitude }
}

const DECIMALS = 7

function project(fields: Fields, projection: ReferenceSystem): ReturnType<ConvertPosition> {
  const [y, x] = [numberOf(fields.latitude), numberOf(fields.longitude)]
  // Without numbers, the check of the fields says what is wrong.
  if (x === undefined || y === undefined) return { fields }
  const degrees = projection.toDegrees(x, y)
  if (!degrees || !projection.contains(degrees)) return { problem: outsideOf(projection, x, y) }
  const { longitude, latitude } = degrees
  return { fields: { ...fields, longitude: longitude.toFixed(DECIMALS), latitude: latitude.toFixed(DECIMALS) } }
}

function outsideOf({ code, name, isGeographic, toDegrees, contains }: ReferenceSystem, x: number, y: number): string {
  const place = `latitude and longitude are outside of the area of ${code} (${name})`
  if (!isGeographic && Math.abs(x) <= 180 && Math.abs(y) <= 90) return `${place}; they look like degrees`
  const swapped = toDegrees(y, x)
  return swapped && contains(swapped) ? `${place}; they look swapped` : place
}

const COMMA_NUMBER = /^\s*[+-]?\d+(\.\d{3})*,\d+\s*$/
/** Characters of a value that are shown. */
const SHOWN = 60
/** Larger numbers are metres or feet. */
const LARGEST_ANGLE = 360

/** Returns what to change in the manifest if the coordinates of a bad row are written in another way than it says. */
export function explainPosition(file: SourceFile, { latitude, longitude }: Fields): string | undefined {
  const { decimal, crs } = file.dialect
  const texts = [textOf(latitude), textOf(longitude)]
  const areMetres = (read: Dialect['decimal']) => (text: string) => {
    const number = Number(plainCoordinate(text, { field: 'latitude', decimal: read, areMetres: true }))
    return Math.abs(number) > LARGEST_ANGLE
  }
  // With commas between thousands they are metres with either decimal sign.
  const areThousands = texts.every(areMetres('.')) && texts.some(areMetres(','))
  if (decimal !== ',' && !areThousands && texts.some((text) => COMMA_NUMBER.test(text))) {
    return `they have decimal commas; ${adviseEntry(file, { decimal: ',' })}`
  }
  for (const text of areThousands ? [] : texts) {
    const what = describeCoordinate(text)
    if (what !== undefined)
      return `${text.slice(0, SHOWN)} is ${what}; write latitude and longitude as numbers of degrees, in two columns`
  }
  if (crs !== undefined || !texts.every(areMetres(decimal))) return undefined
  const advice = adviseEntry(file, { crs: 'EPSG:…' })
  const orPacked = texts.every(isPacked) ? `, or like 37°30'00" written as 373000` : ''
  return `they look like metres${orPacked}, not degrees; ${advice}, with the number of their reference system (npx catalog import init ${quoteForShell(file.name)} guesses it)`
}

function numberOf(value: unknown): number | undefined {
  const text = textOf(value).trim()
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}
