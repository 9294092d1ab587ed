import type { CoordinateField } from '../rows/coordinate-text.ts'
import data from './header-names.json' with { type: 'json' }

/**
 * Usual names of columns in data files, in the languages of the people who publish them, after `normalizeName`. An earlier pattern is a
 * better candidate. The names of angles are those of GTFS (`stop_lat`), Overpass (`@lat`), the US Census (`INTPTLAT`), Darwin Core
 * (`decimalLatitude`) and others; a name such as `geom` is that of a column with both coordinates.
 */
const NAMES: Readonly<Record<string, readonly RegExp[]>> = Object.fromEntries(
  Object.entries(data.names).map(([what, patterns]) => [what, patterns.map((pattern) => new RegExp(pattern))]),
)

/** What systems are called, with their numbers of EPSG. */
export const SYSTEM_NAMES = Object.entries(data.systems).map(
  ([name, number]) => [new RegExp(name, 'i'), number] as const,
)

/** What degrees are called that are some hundred metres off those of WGS 84. */
export const OTHER_DATUM = new RegExp(data.datums, 'i')

/** The columns that are called like a field or another thing, the better first. */
export function columnsCalled(what: string, columns: readonly string[]): string[] {
  return (NAMES[what] ?? []).flatMap((pattern) => columns.filter((column) => matches(pattern, column)))
}

/** Whether a column is called like a thing of `header-names.json`. */
export function isCalled(what: keyof typeof data.names, column: string): boolean {
  return columnsCalled(what, [column]).length > 0
}

/** What may stand after a name: a unit, a language, a side. */
const REST = new RegExp(data.rest, 'i')
const known = new Map<string, readonly string[]>()

/** Whether a pattern matches the name of a column, the last part of a name such as `addr.street`, or the name without a rest. */
function matches(pattern: RegExp, column: string): boolean {
  let ways = known.get(column)
  if (!ways) {
    const whole = [
      column,
      column.slice(column.lastIndexOf('.') + 1),
      column.replace(/[([（［].*?[)\]）］]/g, ' ').trim(),
    ]
    ways = [...new Set([...whole, ...whole.map((name) => name.replace(REST, ''))].map(normalizeName))]
    known.set(column, ways)
  }
  return ways.some((name) => pattern.test(name))
}

/** Returns a name without letter case, spaces and signs, with its letters composed. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\s_\-./()[\]°:]/gu, '')
}

const SIDE = new RegExp(data.sides, 'i')

/** The side that a header says after its name: `S` of `lat_s`, `W` of `Longitude (W)`; of those that take a minus. */
export function sideOf(column: string): 'S' | 'W' | undefined {
  const [whole, after = whole] = SIDE.exec(column) ?? []
  if (after === undefined) return undefined
  return /^(s|south|남위)$/i.test(after) ? 'S' : 'W'
}

const partsOf = ({ base, side }: { base: string; side: string }) => {
  const patternOf = (words: string) => `(?:gps)?(?:${base})(?:${words})|(?:${words})(?:of)?(?:gps)?(?:${base})`
  const parts = Object.entries(data.words).map(([part, words]) => [part, patternOf(words)])
  return [...parts, ['hemisphere', side]].map(([part, pattern]) => ({ part, pattern: new RegExp(`^(?:${pattern})$`) }))
}
const PARTS = { latitude: partsOf(data.parts.latitude), longitude: partsOf(data.parts.longitude) }

/** The part of a coordinate that a column has by its name: `lat_min`, `위도(분)`, `Breitengrad Sek.`, `degLat`. */
export function partOf(coordinate: CoordinateField, column: string): string | undefined {
  const name = column
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.\-()[\]:/]/g, '')
  return PARTS[coordinate].find(({ pattern }) => pattern.test(name))?.part
}

/** Returns the columns that are called like degrees, then those like metres, then those whose names differ only in the letter of an axis. */
export function findCoordinates(columns: readonly string[]): Readonly<Record<CoordinateField, readonly string[]>> {
  const byName = new Map(columns.map((column) => [normalizeName(column), column]))
  // `COORDENADA_Y` and `COORDENADA_X`, `UTM35S_N` and `UTM35S_E`.
  const axes = [...byName].flatMap(([name, north]) =>
    [...name.matchAll(/[yn]/g)].flatMap(({ 0: letter, index }) => {
      const east = byName.get(`${name.slice(0, index)}${letter === 'y' ? 'x' : 'e'}${name.slice(index + 1)}`)
      return east === undefined ? [] : { north, east }
    }),
  )
  const isOther = (column: string) => Number(OTHER_DATUM.test(column))
  const called = (...names: string[]) =>
    names.flatMap((name) => columnsCalled(name, columns)).sort((one, two) => isOther(one) - isOther(two))
  return {
    latitude: [...new Set([...called('latitude', 'northing'), ...axes.map(({ north }) => north)])],
    longitude: [...new Set([...called('longitude', 'easting'), ...axes.map(({ east }) => east)])],
  }
}

/** Whether a column has a name of an angle, such as `lat`. `x` and `y` may be angles or metres, in any order. */
export function isAngleName(column: string): boolean {
  return (
    (isCalled('latitude', column) || isCalled('longitude', column)) && !matches(/^(wgs84|coord|point)?[xy]/, column)
  )
}
