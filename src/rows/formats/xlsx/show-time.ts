const DAY_MS = 86_400_000
const SECOND_MS = 1_000
/** The days from 1899-12-30, from which dates are counted, to 1970 and to 1904. */
const DAYS_TO_1970 = 25_569
const DAYS_TO_1904 = 1_462
/** Excel counts a 29 February 1900, which did not exist, so the number of an earlier day is one too small. */
const FIRST_RIGHT_DAY = 61

/** What of a moment is shown. */
interface ShownTime {
  hasDate: boolean
  hasTime: boolean
  /** Whether dates are counted from 1904. */
  startsIn1904: boolean
}

/** Returns a number of days as `2026-01-31`, `09:00` or `2026-01-31T09:00:00`. One that is no date stays as it is. */
export function showTime(value: number, { hasDate, hasTime, startsIn1904 }: ShownTime): string | number {
  const days = startsIn1904 ? value + DAYS_TO_1904 : value < FIRST_RIGHT_DAY ? value + 1 : value
  const date = new Date(Math.round(((days - DAYS_TO_1970) * DAY_MS) / SECOND_MS) * SECOND_MS)
  if (value < 0 || Number.isNaN(date.getTime())) return value
  const [day = '', rest = ''] = date.toISOString().split('T')
  if (!hasDate) return rest.slice(0, rest.startsWith(':00', 5) ? 5 : 8)
  return hasTime ? `${day}T${rest.slice(0, 8)}` : day
}

/** Returns a duration of days as hours and minutes, and seconds if there are some: `26:00`. A negative one stays as it is. */
export function showHours(days: number): string | number {
  if (days < 0) return days
  const seconds = Math.round((days * DAY_MS) / SECOND_MS)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (seconds % 60 === 0) parts.pop()
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,9})?)Z?)?$/

/** Returns the number of a date that a cell has as text (ECMA-376, part 1, 18.18.11); undefined for other text. */
export function parseMoment(text: string, startsIn1904: boolean): number | undefined {
  const [, day, time = '00:00:00'] = MOMENT.exec(text) ?? []
  const days = Date.parse(`${day}T${time}Z`) / DAY_MS + DAYS_TO_1970 - (startsIn1904 ? DAYS_TO_1904 : 0)
  return Number.isFinite(days) ? days : undefined
}
