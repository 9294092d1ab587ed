import { textOf } from '../rows/column-mapping.ts'
import type { Choice, Inference } from '../rows/inference.ts'
import type { Columns } from '../rows/manifest.ts'
import { findReferenceSystem, type ReferenceSystem } from '../rows/reference-system.ts'
import { type Country, countryOf } from './country.ts'
import { countryRanking, type Evidence, spokenIn } from './evidence.ts'
import { type GuessedColumns, readNumber, type Sample } from './guess-columns.ts'
import data from './usual-systems.json' with { type: 'json' }

/** Systems that fit to nearly any numbers. */
const BROAD = codesOf(data.broad)
/** Systems whose first axis, which is called `x`, points to the north. */
const NORTH_FIRST = codesOf(data.northFirst)

function codesOf(numbers: readonly number[]): ReadonlySet<string> {
  return new Set(numbers.map((number) => `EPSG:${number}`))
}

interface Point {
  x: number
  y: number
}

/** What speaks for a system. */
interface CrsEvidence extends Evidence {
  /** The columns with the longitude and the latitude. Their order is a guess too. */
  columns: { longitude: string; latitude: string }
}

/** A system, the order of the columns, and where they put the first place. */
interface Candidate {
  system: ReferenceSystem
  isSwapped: boolean
  longitude: number
  latitude: number
  country: Country | undefined
}

interface GuessedCrs {
  code: string
  /** Whether the columns for longitude and latitude are the other way round. */
  isSwapped: boolean
  inference: Inference | undefined
}

/** Nearly all points must be in the area of a system. */
const FITTING = 0.95
/** Systems with larger areas fit to everything. */
const MAX_GUESSES = 8

/**
 * Returns the systems that metres may be in, the likeliest first: those that the columns or the file name, those of the country that the text
 * names, and the usual ones. Only a name such as `EPSG:25832` or `utm32` proves one.
 */
export function guessCrs(evidence: CrsEvidence, points: readonly Point[]): GuessedCrs | undefined {
  const { names } = evidence
  const named = distinct(fittingOf(names.flatMap(namedSystems), points))
  const [only, ...more] = named
  if (only && more.length === 0) return { code: only.system.code, isSwapped: only.isSwapped, inference: undefined }
  const mentioned = names.flatMap((name) => [...name.matchAll(/(?<!\d)\d{4,5}(?!\d)/g)].map(([code]) => Number(code)))
  const spoken = spokenIn(evidence).flatMap((each) => each.numbers)
  const numbers = [...mentioned, ...spoken, ...data.others]
  const likely = codesOf(spoken)
  const rank = countryRanking(evidence)
  const areXY = /(?<![a-z])y|y(?![a-z])/i.test(evidence.columns.latitude)
  const doubtsAbout = ({ system, isSwapped, country }: Candidate) =>
    4 -
    2 * rank(country) +
    (country === undefined ? 2 : 0) +
    (isSwapped && !likely.has(system.code) ? 1 : 0) +
    (isSwapped !== (areXY && NORTH_FIRST.has(system.code)) ? 0.5 : 0) +
    (BROAD.has(system.code) ? 3 : 0)
  // A column of points has its own order.
  const canSwap = evidence.columns.latitude !== evidence.columns.longitude
  const fitting = distinct([...named, ...fittingOf(numbers, points)]).filter(({ isSwapped }) => canSwap || !isSwapped)
  const ranked = fitting.sort((one, other) => doubtsAbout(one) - doubtsAbout(other))
  const [first, ...others] = ranked.slice(0, MAX_GUESSES)
  if (!first) return undefined
  const toChoice = (candidate: Candidate) => choiceOf(candidate, evidence.columns)
  const [point] = points
  const another = {
    choice: 'another of 4,100 systems, such as a zone of UTM',
    example: `the first place has ${point?.x} in ${evidence.columns.longitude} and ${point?.y} in ${evidence.columns.latitude}`,
    write: '"crs": "EPSG:…" with its number',
  }
  const inference = { what: 'crs', chosen: toChoice(first), alternatives: [...others.map(toChoice), another] }
  return { code: first.system.code, isSwapped: first.isSwapped, inference }
}

function choiceOf(
  { system: { code, name }, isSwapped, longitude, latitude, country }: Candidate,
  columns: CrsEvidence['columns'],
): Choice {
  const [east, north] = isSwapped ? [columns.latitude, columns.longitude] : [columns.longitude, columns.latitude]
  const place = `latitude ${latitude.toFixed(4)}, longitude ${longitude.toFixed(4)}, ${country?.name ?? 'in the sea'}`
  const write = `"crs": "${code}", "latitude": ${JSON.stringify(north)}, "longitude": ${JSON.stringify(east)}`
  return { choice: `${code} (${name})`, example: `the first place at ${place}`, write }
}

/** The systems that a name says: `EPSG:25832`, `utm32`, `UTM_Zone_52N`. Without N or S a zone is on either side of the equator. */
function namedSystems(name: string): number[] {
  const codes = [...name.matchAll(/epsg\D{0,3}(\d{4,6})(?!\d)/gi)].map(([, code]) => Number(code))
  const [, digits, side] = /utm\D{0,6}(\d{1,2})([ns])?(?!\d)/i.exec(name) ?? []
  const zone = Number(digits)
  if (!(zone >= 1 && zone <= 60)) return codes
  const north = zone >= 28 && zone <= 38 ? [25800 + zone, 32600 + zone] : [32600 + zone]
  return [
    ...codes,
    ...(side?.toLowerCase() === 's' ? [] : north),
    ...(side?.toLowerCase() === 'n' ? [] : [32700 + zone]),
  ]
}

/** The systems that have nearly all points, with the columns as they are and exchanged. */
function fittingOf(numbers: readonly number[], points: readonly Point[]): Candidate[] {
  const swapped = points.map(({ x, y }) => ({ x: y, y: x }))
  return [...new Set(numbers)].flatMap((number) => {
    const system = findReferenceSystem(`EPSG:${number}`)
    return system ? [...fitting(system, points, false), ...fitting(system, swapped, true)] : []
  })
}

function fitting(system: ReferenceSystem, points: readonly Point[], isSwapped: boolean): Candidate[] {
  const places = points.flatMap(({ x, y }) => system.toDegrees(x, y) ?? [])
  const inside = places.filter((place) => system.contains(place))
  const [first] = inside
  if (!first || system.isGeographic || inside.length < FITTING * points.length) return []
  return [{ system, isSwapped, ...first, country: countryOf(first) }]
}

/** Of the systems that have the first point at the same place, within ten metres, only the first. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>()
  return candidates.filter(({ longitude, latitude }) => {
    const place = `${longitude.toFixed(4)} ${latitude.toFixed(4)}`
    return seen.size < seen.add(place).size
  })
}

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
