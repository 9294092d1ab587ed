import { FIRST_TIMESTAMP, LAST_TIMESTAMP } from '../../catalog/models.ts'
import type { FeatureSelection } from '../../catalog/sql/features.ts'
import type { Problem } from './bbox.ts'

/**
 * `full-date` or `date-time` of RFC 3339 section 5.6. As others write them, too: GDAL 3.6 ends a date with a T, and an offset may have no
 * colon. A plus that is not percent-encoded arrives as a space.
 */
const TIME =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[Tt]?|[Tt ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+ -])(?<hours>[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?))$/

const DAY_MS = 86_400_000
const FIRST_MS = Date.parse(FIRST_TIMESTAMP)
const LAST_MS = Date.parse(LAST_TIMESTAMP)

/**
 * The first and the last millisecond since 1970 of a date or a date-time. A date-time has one of them, or none if it is between two:
 * then the last is before the first.
 */
interface Time {
  firstMs: number
  lastMs: number
}

type Interval = Pick<FeatureSelection, 'updatedFrom' | 'updatedTo'>

/**
 * Parses the parameter `datetime` (OGC 17-069r4, section 7.15.4): a date-time, a date, which is the whole day in UTC, or an interval whose
 * start or end can be open (`..` or empty). Both ends are included. The result has milliseconds, as the catalog's timestamps have.
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
        'must be a date-time such as 2026-01-31T09:00:00Z, a date such as 2026-01-31, or an interval of two with a slash, where .. is an open end',
    }
  }
  if (from !== 'open' && to !== 'open' && Math.min(from.firstMs, from.lastMs) > Math.max(to.firstMs, to.lastMs))
    return { problem: 'must have a start that is not after its end' }
  return {
    updatedFrom: from === 'open' ? undefined : toDate(from.firstMs),
    updatedTo: to === 'open' ? undefined : toDate(to.lastMs),
  }
}

function parseEnd(text: string): Time | 'open' | undefined {
  if (text === '' || text === '..') return 'open'
  const { day, hour, minute, second, fraction = '', sign, hours, minutes } = TIME.exec(text)?.groups ?? {}
  // Date.parse moves February 30 to March.
  const midnightMs = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnightMs) || new Date(midnightMs).toISOString().slice(0, 10) !== day) return undefined
  if (hour === undefined) return { firstMs: midnightMs, lastMs: midnightMs + DAY_MS - 1 }
  const offsetMinutes = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
  const wholeMs = midnightMs + ((Number(hour) * 60 + Number(minute) - offsetMinutes) * 60 + Number(second)) * 1000
  const lastMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { firstMs: /[1-9]/.test(fraction.slice(3)) ? lastMs + 1 : lastMs, lastMs }
}

function toDate(ms: number): Date {
  return new Date(Math.max(FIRST_MS, Math.min(LAST_MS, ms)))
}
