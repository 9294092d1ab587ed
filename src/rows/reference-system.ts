import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import proj4 from 'proj4'
import shifts from './datum-shifts.json' with { type: 'json' }

/** Converts coordinates of a reference system to degrees of WGS 84. */
export interface ReferenceSystem {
  /** `EPSG:` and a number. */
  code: string
  name: string
  isGeographic: boolean
  /** The longitude and latitude of a point; undefined if the system does not have the point. */
  toDegrees: (x: number, y: number) => Degrees | undefined
  /** Whether a point is in the area for which the system is made, or close to it. */
  contains: (point: Degrees) => boolean
  areaSize: number
}

interface Degrees {
  longitude: number
  latitude: number
}

/** The definitions of epsg.io, see vendor/NOTICE.md: a line for each system, with its number, name, proj4 text and area. */
const SYSTEMS = new URL('vendor/epsg-index-2.0.0.br', import.meta.url)
let lines: ReadonlyMap<string, string> | undefined

function indexLines(): ReadonlyMap<string, string> {
  const textLines = () => brotliDecompressSync(readFileSync(SYSTEMS)).toString().split('\n')
  lines ??= new Map(textLines().map((line) => [line.slice(0, line.indexOf('\t')), line]))
  return lines
}

const projections = new Map<string, ReferenceSystem | undefined>()

/** Returns all systems of metres, those with the smallest area first. */
export function allProjectedSystems(): ReferenceSystem[] {
  const all = [...indexLines().keys()].flatMap((number) => findReferenceSystem(`EPSG:${number}`) ?? [])
  return all.filter(({ isGeographic }) => !isGeographic).sort((one, two) => one.areaSize - two.areaSize)
}

/**
 * Returns the system with a code: `EPSG:25832`, or the same as a URN or URL, as GeoJSON has it.
 * Undefined for an unknown system, and for one whose datum or projection proj4 does not have.
 */
export function findReferenceSystem(name: string): ReferenceSystem | undefined {
  const number = epsgNumber(name)
  if (number === undefined) return undefined
  if (!projections.has(number)) projections.set(number, readProjection(number))
  return projections.get(number)
}

const CRS84 = /^(urn:ogc:def:crs:OGC:.*:|https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/.*\/|OGC:)CRS84$/i
const EPSG =
  /^(?:EPSG:|urn:(?:ogc|x-ogc):def:crs:EPSG:[\d.]*:|https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[\d.]+\/)(\d{1,6})$/i
/** The number that Web Mercator had before EPSG gave it one. The index has no area for it. */
const WEB_MERCATOR_BEFORE_EPSG = '900913'

/** The number of a system. `CRS84` is 4326 with longitude first, and the fields of an item have no order. */
function epsgNumber(name: string): string | undefined {
  const number = CRS84.test(name) ? '4326' : EPSG.exec(name)?.[1]
  return number === WEB_MERCATOR_BEFORE_EPSG ? '3857' : number
}

function readProjection(number: string): ReferenceSystem | undefined {
  const line = indexLines().get(number)
  if (line === undefined) return undefined
  const [, name = '', text = '', bounds = ''] = line.split('\t')
  const forward = findForward(Number(number), text)
  if (!forward) return undefined
  return {
    code: `EPSG:${number}`,
    name,
    isGeographic: text.includes('+proj=longlat'),
    toDegrees: (x, y) => {
      const [longitude = Number.NaN, latitude = Number.NaN] = forward([x, y])
      return Number.isFinite(longitude) && Number.isFinite(latitude) ? { longitude, latitude } : undefined
    },
    ...areaOf(bounds),
  }
}

/** A datum that is WGS 84, or equal to it within a metre. */
const MODERN = /\+datum=WGS84|\+nadgrids=@null|\+ellps=(GRS80|WGS84)(?! \+(towgs84=(?!0,0,0,0,0,0,0)|nadgrids))/
/** Systems whose coordinates are no longitude and latitude, or point elsewhere than east and north, or need a sphere that proj4 ignores. */
const UNUSUAL = /\+proj=geocent|\+axis=|\+R_A /
/** Systems that proj4 puts elsewhere than PROJ: two maps of the world far from their centre, and some whose datum the index lacks. */
const DIFFERENT: readonly number[] = [54021, 54028, 102400, 103699, 104022, 104050, 104645]

function findForward(number: number, text: string): ((point: [number, number]) => number[]) | undefined {
  // Shifts of older datums are those of PROJ, and exact to ten metres, nearly all to three. The index has other shifts, and some are wrong by
  // hundreds of metres, so only these are used.
  const isOf = ([first = 0, last = 0]: number[]) => number >= first && number <= last
  const shift = shifts.find(({ systems }) => systems.some(isOf))?.shift
  if (UNUSUAL.test(text) || DIFFERENT.includes(number) || (shift === undefined && !MODERN.test(text))) return undefined
  const shifted = text.replace(/\+(towgs84|nadgrids)=\S+ |(?=\+no_defs)/, `+towgs84=${shift} `)
  try {
    return proj4(shift === undefined ? text : shifted, 'WGS84').forward
  } catch {
    // proj4 has the usual projections, and throws for the others.
    return undefined
  }
}

/** Degrees by which a point may be outside of an area. */
const MARGIN = 1

/** @param bounds north, west, south and east */
function areaOf(bounds: string): Pick<ReferenceSystem, 'contains' | 'areaSize'> {
  const [north = 90, west = -180, south = -90, east = 180] = bounds.split(',').map(Number)
  return {
    areaSize: (north - south) * (east < west ? east - west + 360 : east - west),
    contains: ({ longitude, latitude }) => {
      if (latitude > north + MARGIN || latitude < south - MARGIN) return false
      const isEastOf = longitude >= west - MARGIN
      const isWestOf = longitude <= east + MARGIN
      return west <= east ? isEastOf && isWestOf : isEastOf || isWestOf
    },
  }
}
