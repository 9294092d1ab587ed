import type { FeatureSelection } from '../catalog/features.ts'
import { FIRST_TIMESTAMP, LAST_TIMESTAMP } from '../catalog/models.ts'
import type { Problem } from './bbox.ts'

/** `date-time` of RFC 3339 section 5.6, with its fraction of a second and its offset in minutes. */
const DATE_TIME =
  /^(?<day>\d{4}-\d\d-\d\d)[Tt](?<time>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/

const FIRST_MS = Date.parse(FIRST_TIMESTAMP)
const LAST_MS = Date.parse(LAST_TIMESTAMP)

/** A point in time, in milliseconds since 1970, rounded down and up. */
interface Instant {
  floorMs: number
  ceilingMs: number
}

type Interval = Pick<FeatureSelection, 'updatedFrom' | 'updatedTo'>

/**
 * Parses the parameter `datetime` (OGC 17-069r4, section 7.15.4): an instant, or an interval whose start or end can be open (`..` or
 * empty). Both ends are included. The result has milliseconds, as the catalog's timestamps have.
 */
export function parseDatetime(text: string): Interval | Problem {
  const parts = text.split('/')
  const [start = '', end = start] = parts
  const from = parseEnd(start)
  const to = parseEnd(end)
  const isOpen = from === 'open' || to === 'open'
  if (parts.length > 2 || !from || !to || (isOpen && (from === to || parts.length === 1))) {
    return {
      problem:
        'must be a date-time such as 2026-01-31T09:00:00Z, or an interval of two with a slash, where .. is an open end',
    }
  }
  if (from !== 'open' && to !== 'open' && from.floorMs > to.ceilingMs)
    return { problem: 'must have a start that is not after its end' }
  return {
    updatedFrom: from === 'open' ? undefined : toDate(from.ceilingMs),
    updatedTo: to === 'open' ? undefined : toDate(to.floorMs),
  }
}

function parseEnd(text: string): Instant | 'open' | undefined {
  if (text === '' || text === '..') return 'open'
  const { day, time, minute, second, fraction = '', sign, hours, minutes } = DATE_TIME.exec(text)?.groups ?? {}
  // Date.parse moves February 30 to March.
  const midnightMs = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnightMs) || new Date(midnightMs).toISOString().slice(0, 10) !== day) return undefined
  const offsetMinutes = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
  const wholeMs = midnightMs + ((Number(time) * 60 + Number(minute) - offsetMinutes) * 60 + Number(second)) * 1000
  const floorMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { floorMs, ceilingMs: /[1-9]/.test(fraction.slice(3)) ? floorMs + 1 : floorMs }
}

function toDate(ms: number): Date {
  return new Date(Math.max(FIRST_MS, Math.min(LAST_MS, ms)))
}
