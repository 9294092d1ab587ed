import data from './column-names.json' with { type: 'json' }

const compile = (patterns: readonly string[]) => patterns.map((pattern) => new RegExp(pattern))

/**
 * Usual names of a field in data files, in the languages of the people who publish them, after `normalizeName`. An earlier pattern is a
 * better guess. The names of angles are those of GTFS (`stop_lat`), Overpass (`@lat`), the US Census (`INTPTLAT`), Darwin Core
 * (`decimalLatitude`) and others; a name such as `geom` is that of a column with both coordinates.
 */
export const NAMES: Readonly<Record<string, readonly RegExp[]>> = Object.fromEntries(
  Object.entries(data.names).map(([field, patterns]) => [field, compile(patterns)]),
)

/** Columns of countries. A code of an area may mean one place in each country. */
export const COUNTRY_NAME = new RegExp(data.country)

/** Names of columns that identify a row. */
export const ID_NAMES = compile(data.ids)

const [KEY_NAME, NO_KEY_NAME] = [new RegExp(data.keys), new RegExp(data.noKeys)]

/** Whether a column is called like a number or code, such as `Standort-Nr.`, but not of a telephone or an address. */
export function isKeyName(column: string): boolean {
  return matches(KEY_NAME, column) && !matches(NO_KEY_NAME, column)
}

/** Columns of the time at which an event begins. Times of a change or of a release name nothing. */
export const START_NAME = new RegExp(data.starts)

/** Columns of codes, such as `iata_code`. */
export const CODE_NAME = new RegExp(data.codes)

/** Whether a pattern matches the name of a column, or the last part of a name such as `addr.street`. */
export function matches(pattern: RegExp, column: string): boolean {
  return pattern.test(normalizeName(column)) || pattern.test(normalizeName(column.slice(column.lastIndexOf('.') + 1)))
}

type Coordinate = 'latitude' | 'longitude'

/** Letters of the axes to the north and to the east. */
const AXES = [
  ['y', 'x'],
  ['n', 'e'],
] as const

/** Returns the columns whose names differ only in the letter of an axis: `COORDENADA_Y` and `COORDENADA_X`, `UTM35S_N` and `UTM35S_E`. */
export function findAxes(columns: readonly string[]): Readonly<Record<Coordinate, readonly string[]>> {
  const known = new Map(columns.map((column) => [normalizeName(column), column]))
  const pairs = [...known].flatMap(([name, latitude]) =>
    AXES.flatMap(([north, east]) =>
      [...name.matchAll(new RegExp(north, 'g'))].flatMap(({ index }) => {
        const longitude = known.get(`${name.slice(0, index)}${east}${name.slice(index + 1)}`)
        return longitude === undefined ? [] : { latitude, longitude }
      }),
    ),
  )
  return { latitude: pairs.map(({ latitude }) => latitude), longitude: pairs.map(({ longitude }) => longitude) }
}

const PROJECTED = { latitude: new RegExp(data.projected.latitude), longitude: new RegExp(data.projected.longitude) }

/** Returns the columns with names of degrees or of metres. */
export function findCoordinates(columns: readonly string[]): Readonly<Record<Coordinate, readonly string[]>> {
  const axes = findAxes(columns)
  const find = (field: Coordinate) => {
    const patterns = [...(NAMES[field] ?? []), PROJECTED[field]]
    const named = columns.filter((column) => patterns.some((pattern) => matches(pattern, column)))
    return [...new Set([...axes[field], ...named])]
  }
  return { latitude: find('latitude'), longitude: find('longitude') }
}

/** Whether a column has a name of only the other coordinate: `lon` for the latitude. */
export function isNameOfOther(field: Coordinate, column: string): boolean {
  const other = field === 'latitude' ? 'longitude' : 'latitude'
  const isNameOf = (each: Coordinate) => (NAMES[each] ?? []).some((pattern) => matches(pattern, column))
  return isNameOf(other) && !isNameOf(field)
}

/** Whether a column has a name of an angle, such as `lat`. `x` and `y` may be angles or metres, in any order. */
export function isAngleName(column: string): boolean {
  const patterns = [...(NAMES.latitude ?? []), ...(NAMES.longitude ?? [])]
  return patterns.some((pattern) => matches(pattern, column)) && !matches(/^(wgs84)?[xy]/, column)
}

/** Returns a name without letter case, spaces and signs, with its letters composed. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\s_\-./()[\]°:]/gu, '')
}
