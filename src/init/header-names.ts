import data from './header-names.json' with { type: 'json' }

const compile = (patterns: readonly string[]) => patterns.map((pattern) => new RegExp(pattern))

/**
 * Usual names of a field in data files, in the languages of the people who publish them, after `normalizeName`. An earlier pattern is a
 * better candidate. The names of angles are those of GTFS (`stop_lat`), Overpass (`@lat`), the US Census (`INTPTLAT`), Darwin Core
 * (`decimalLatitude`) and others; a name such as `geom` is that of a column with both coordinates.
 */
export const NAMES: Readonly<Record<string, readonly RegExp[]>> = Object.fromEntries(
  Object.entries(data.names).map(([field, patterns]) => [field, compile(patterns)]),
)
/** Names of people and of their posts. */
export const PERSON_NAME = new RegExp(data.people)
/** Columns of countries. A code of an area may mean one place in each country. */
export const COUNTRY_NAME = new RegExp(data.country)
/** Columns that count the rows. */
export const COUNTER_NAME = new RegExp(data.counters)
/** Columns that name another row. */
export const REFERRING_NAME = new RegExp(data.referring)
/** Columns of the time at which an event begins. Times of a change or of a release name nothing. */
export const START_NAME = new RegExp(data.starts)
/** Columns of codes, such as `iata_code`. */
export const CODE_NAME = new RegExp(data.codes)
/** Columns of a zone of UTM, and of a reference system. */
export const ZONE_NAME = new RegExp(data.zone)
export const CRS_NAME = new RegExp(data.crs)

const [KEY_NAME, NO_KEY_NAME] = [new RegExp(data.keys), new RegExp(data.noKeys)]
const PROJECTED = { latitude: new RegExp(data.projected.latitude), longitude: new RegExp(data.projected.longitude) }

const ID_NAMES = compile(data.ids)

/** Whether a column is called like what identifies a row, such as `id`. */
export function isIdName(column: string): boolean {
  return ID_NAMES.some((name) => matches(name, column))
}

/** Whether a column is called like a number or code, such as `Standort-Nr.`, but not of a telephone or an address. */
export function isKeyName(column: string): boolean {
  return (matches(KEY_NAME, column) || /[\s_-]no\.?$/i.test(column)) && !matches(NO_KEY_NAME, column)
}

/** What may stand after a name: a unit, a language, a side. */
const REST = new RegExp(data.rest, 'i')
const SIDE = new RegExp(data.sides, 'i')

/** Whether a pattern matches the name of a column, the last part of a name such as `addr.street`, or the name without a rest. */
export function matches(pattern: RegExp, column: string): boolean {
  return writtenWays(column).some((name) => pattern.test(name))
}

const known = new Map<string, readonly string[]>()

function writtenWays(column: string): readonly string[] {
  const ways = known.get(column)
  if (ways) return ways
  const whole = [column, column.slice(column.lastIndexOf('.') + 1), column.replace(/[([（［].*?[)\]）］]/g, ' ').trim()]
  const names = [...new Set([...whole, ...whole.map((name) => name.replace(REST, ''))].map(normalizeName))]
  known.set(column, names)
  return names
}

/** The side that a header says after its name: `S` of `lat_s`, `W` of `Longitude (W)`; of those that take a minus. */
export function sideOf(column: string): 'S' | 'W' | undefined {
  const [, after, before] = SIDE.exec(column) ?? []
  const side = /^(s|south|남위)$/i.test(after ?? before ?? '') ? 'S' : 'W'
  return after === undefined && before === undefined ? undefined : side
}

export type Coordinate = 'latitude' | 'longitude'
type Part = 'degrees' | 'minutes' | 'seconds' | 'hemisphere'

const PARTS = (['degrees', 'minutes', 'seconds', 'hemisphere'] as const).map(
  (part) => [part, data.parts[part]] as const,
)

/** The part of a coordinate that a column has by its name: `lat_min`, `위도(분)`, `Breitengrad Sek.`, `degLat`. */
export function partOf(coordinate: Coordinate, column: string): Part | undefined {
  const name = column
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.\-()[\]:/]/g, '')
  const base = `(?:gps)?(?:${data.parts[coordinate]})`
  const found = PARTS.find(([, words]) => new RegExp(`^(?:${base}(?:${words})|(?:${words})(?:of)?${base})$`).test(name))
  if (found) return found[0]
  return new RegExp(coordinate === 'latitude' ? '^(ns|nors)$' : '^(ew|we|eorw)$').test(name) ? 'hemisphere' : undefined
}

/** Letters of the axes to the north and to the east. */
const AXES = [
  ['y', 'x'],
  ['n', 'e'],
] as const

/** Returns the columns whose names differ only in the letter of an axis: `COORDENADA_Y` and `COORDENADA_X`, `UTM35S_N` and `UTM35S_E`. */
function findAxes(columns: readonly string[]): Readonly<Record<Coordinate, readonly string[]>> {
  const byName = new Map(columns.map((column) => [normalizeName(column), column]))
  const pairs = [...byName].flatMap(([name, latitude]) =>
    AXES.flatMap(([north, east]) =>
      [...name.matchAll(new RegExp(north, 'g'))].flatMap(({ index }) => {
        const longitude = byName.get(`${name.slice(0, index)}${east}${name.slice(index + 1)}`)
        return longitude === undefined ? [] : { latitude, longitude }
      }),
    ),
  )
  return { latitude: pairs.map(({ latitude }) => latitude), longitude: pairs.map(({ longitude }) => longitude) }
}

/** Returns the columns that are called like degrees, and then those like metres. */
export function findCoordinates(columns: readonly string[]): Readonly<Record<Coordinate, readonly string[]>> {
  const axes = findAxes(columns)
  const find = (field: Coordinate) => {
    const patterns = [...(NAMES[field] ?? []), PROJECTED[field]]
    const named = patterns.flatMap((pattern) => columns.filter((column) => matches(pattern, column)))
    return [...new Set([...named, ...axes[field]])]
  }
  return { latitude: find('latitude'), longitude: find('longitude') }
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

/** What systems are called, with their numbers of EPSG. */
export const SYSTEM_NAMES = Object.entries(data.systems).map(
  ([name, number]) => [new RegExp(name, 'i'), number] as const,
)
