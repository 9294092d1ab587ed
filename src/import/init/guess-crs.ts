import type { Choice, Inference } from '../inference.ts'
import { findReferenceSystem, type ReferenceSystem } from '../reference-system.ts'

/** A reference system that fits to coordinates, and where it puts the first of them. */
interface CrsGuess {
  code: string
  name: string
  longitude: number
  latitude: number
}

/** Usual systems, the more usual first, and the columns that speak for them. */
const USUAL: readonly { columns: RegExp; numbers: readonly number[] }[] = [
  {
    columns: /rechtswert|hochwert|ostwert|nordwert|straße|strasse|bezeichnung/i,
    numbers: [25832, 25833, 31467, 31468, 31466, 31469, 4647],
  },
  { columns: /\p{Script=Hangul}/u, numbers: [5186, 5179, 5174, 5187, 5185, 5181] },
  { columns: /緯|経|住所|施設/u, numbers: Array.from({ length: 19 }, (_, zone) => 6669 + zone) },
  { columns: /l93|lambert|commune/i, numbers: [2154] },
  { columns: /easting|northing/i, numbers: [27700, 29902] },
  { columns: /^rd_?[xy]$/i, numbers: [28992] },
]

const OTHERS = [
  25832, 25833, 25831, 4647, 31467, 31468, 2154, 27700, 28992, 2056, 21781, 31370, 2180, 5514, 3006, 3067, 5186, 5179,
  6677, 3857,
]

/** Nearly all points must be in the area of a system. */
const FITTING = 0.95
/** Systems with larger areas fit to everything. */
const MAX_GUESSES = 5

/**
 * Returns the systems that metres may be in, the likeliest first: the systems that the columns or the file name, or else the usual ones. The
 * guess is certain if the columns name it, or no other fits.
 * @param names are the names of the columns and of the file
 */
export function guessCrs(
  names: readonly string[],
  points: readonly { x: number; y: number }[],
): { code: string; inference: Inference | undefined } | undefined {
  const named = names.flatMap(namedSystems)
  const spoken = USUAL.flatMap(({ columns, numbers }) => (names.some((name) => columns.test(name)) ? numbers : []))
  const guessesOf = (numbers: readonly number[]) =>
    [...new Set(numbers)].flatMap((number) => {
      const projection = findReferenceSystem(`EPSG:${number}`)
      return projection ? fitting(projection, points) : []
    })
  const byName = guessesOf(named)
  if (byName[0]) return { code: byName[0].code, inference: undefined }
  const [first, ...others] = guessesOf([...spoken, ...OTHERS]).slice(0, MAX_GUESSES)
  if (!first) return undefined
  return { code: first.code, inference: { what: 'crs', chosen: toChoice(first), alternatives: others.map(toChoice) } }
}

function toChoice({ code, name, latitude, longitude }: CrsGuess): Choice {
  const example = `the first place at latitude ${latitude.toFixed(4)}, longitude ${longitude.toFixed(4)}`
  return { choice: `${code} (${name})`, example, write: `"crs": "${code}"` }
}

/** The systems that a name says: `EPSG:25832`, `utm32`, `x_25832`, `UTM_Zone_52N`. */
function namedSystems(name: string): number[] {
  const codes = [...name.matchAll(/(?<!\d)\d{4,5}(?!\d)/g)].map(([code]) => Number(code))
  const [, zone, side] = /utm\D{0,6}(\d{1,2})([ns])?(?!\d)/i.exec(name) ?? []
  if (zone === undefined || Number(zone) < 1 || Number(zone) > 60) return codes
  const european = Number(zone) >= 28 && Number(zone) <= 38 && side?.toLowerCase() !== 's' ? [25800 + Number(zone)] : []
  return [...codes, ...european, (side?.toLowerCase() === 's' ? 32700 : 32600) + Number(zone)]
}

function fitting(
  { code, name, isGeographic, toDegrees, contains }: ReferenceSystem,
  points: readonly { x: number; y: number }[],
): CrsGuess[] {
  const places = points.flatMap(({ x, y }) => toDegrees(x, y) ?? [])
  const inside = places.filter((place) => contains(place))
  const [first] = inside
  return first && !isGeographic && inside.length >= FITTING * points.length ? [{ code, name, ...first }] : []
}
