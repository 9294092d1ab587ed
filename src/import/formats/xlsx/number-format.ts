/** How a number is shown: as a number, as a date or a time, or with zeros before it. */
export type NumberKind =
  | { kind: 'number' }
  | { kind: 'time'; hasDate: boolean; hasTime: boolean }
  /** A duration, of more than a day too. */
  | { kind: 'hours' }
  | { kind: 'padded'; digits: number }

/** Formats that have a number and no code in the file (ECMA-376, part 1, 18.8.30). */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
const isBuiltInTime = (id: number) => (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
const BUILT_IN_BOTH = 22
const BUILT_IN_HOURS = 46

/** Returns how a format shows numbers. */
export function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code === undefined ? id === BUILT_IN_HOURS : /\[h+\]/i.test(code)) return { kind: 'hours' }
  if (code === undefined) {
    const hasDate = isBuiltInDate(id) || id === BUILT_IN_BOTH
    const hasTime = isBuiltInTime(id) || id === BUILT_IN_BOTH
    return hasDate || hasTime ? { kind: 'time', hasDate, hasTime } : { kind: 'number' }
  }
  if (/^0+$/.test(code)) return code.length > 1 ? { kind: 'padded', digits: code.length } : { kind: 'number' }
  const letters = code.replace(/"[^"]*"|\\.|_.|\[(?!m+\]|s+\])[^\]]*\]|General/gi, '')
  const hasDate = /[yd]/i.test(letters)
  const hasTime = /[hs]/i.test(letters)
  return hasDate || hasTime ? { kind: 'time', hasDate, hasTime } : { kind: 'number' }
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
/** The days from 1899-12-30, from which dates are counted, to 1970 and to 1904. */
const DAYS_TO_1970 = 25_569
const DAYS_TO_1904 = 1_462
/** Excel counts a 29 February 1900, which did not exist, so the number of an earlier day is one too small. */
const FIRST_RIGHT_DAY = 61

/** Returns the number of a cell as people see it: dates as `2026-01-31`, times as `09:00`, and all digits of other numbers. */
export function showNumber(value: number, shown: NumberKind, startsIn1904: boolean): string | number {
  if (shown.kind === 'padded') return String(value).padStart(shown.digits, '0')
  if (shown.kind === 'number' || value < 0) return value
  if (shown.kind === 'hours') return showHours(value)
  const days = startsIn1904 ? value + DAYS_TO_1904 : value < FIRST_RIGHT_DAY ? value + 1 : value
  const date = new Date(Math.round(((days - DAYS_TO_1970) * DAY_MS) / SECOND_MS) * SECOND_MS)
  if (Number.isNaN(date.getTime())) return value
  const [day = '', rest = ''] = date.toISOString().split('T')
  const time = rest.slice(0, rest.startsWith(':00', 5) ? 5 : 8)
  if (!shown.hasDate) return time
  return shown.hasTime ? `${day}T${rest.slice(0, 8)}` : day
}

/** A duration of days as hours and minutes, and seconds if there are some: `26:00`. */
function showHours(days: number): string {
  const seconds = Math.round((days * DAY_MS) / SECOND_MS)
  const parts = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    ...(seconds % 60 === 0 ? [] : [seconds % 60]),
  ]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
