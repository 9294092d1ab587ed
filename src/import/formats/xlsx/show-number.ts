import type { CellValue } from './cells.ts'
import type { NumberFormat, NumberKind, Part } from './number-format.ts'

/**
 * Returns the number of a cell as people see it: dates as `2026-01-31`, times as `09:00`, codes as `02139`, and other numbers as they are.
 * No digit of a number is lost.
 */
export function showNumber(value: number, format: NumberFormat, startsIn1904: boolean): CellValue {
  const section = sectionOf(format, value)
  if (section === undefined || section.shown.kind === 'number') return value
  const { shown } = section
  if (shown.kind === 'code') {
    const code = showCode(shown.parts, value)
    // Sections for negative numbers alone have their own sign.
    const sign = value < 0 && section === format[0] && (section.condition?.(1) ?? true) ? '-' : ''
    return code === undefined ? value : { code: sign + code, number: value }
  }
  if (value < 0) return value
  return shown.kind === 'hours' ? showHours(value) : showTime(value, shown, startsIn1904)
}

function sectionOf(format: NumberFormat, value: number): NumberFormat[number] | undefined {
  if (format.some(({ condition }) => condition)) return format.find(({ condition }) => condition?.(value) ?? true)
  return format[value < 0 ? 1 : value === 0 ? 2 : 0] ?? format[0]
}

/** Puts each digit at its place, from the right. The first place has all that are left, and the last one the decimals too. Undefined for a number with an exponent. */
function showCode(parts: readonly Part[], value: number): string | undefined {
  const [, whole = '', decimals = ''] = /^(?:0|(\d+))(\.\d+)?$/.exec(String(Math.abs(value))) ?? []
  if (whole + decimals === '' && value !== 0) return undefined
  const places = parts.flatMap((part) => ('place' in part ? part.place : []))
  const firstZero = places.indexOf('0')
  const digits = places.map((place, index) => {
    const end = whole.length - places.length + index + 1
    const digit = whole.slice(index === 0 ? 0 : Math.max(end - 1, 0), Math.max(end, 0))
    const empty = firstZero >= 0 && index >= firstZero ? '0' : place === '?' ? ' ' : ''
    return (digit || empty) + (index === places.length - 1 ? decimals : '')
  })
  const shown = parts.map((part) => ('text' in part ? part.text : (digits.shift() ?? ''))).join('')
  return shown.trim()
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
/** The days from 1899-12-30, from which dates are counted, to 1970 and to 1904. */
const DAYS_TO_1970 = 25_569
const DAYS_TO_1904 = 1_462
/** Excel counts a 29 February 1900, which did not exist, so the number of an earlier day is one too small. */
const FIRST_RIGHT_DAY = 61

function showTime(value: number, given: NumberKind & { kind: 'time' }, startsIn1904: boolean): string | number {
  const { hasDate, hasTime } =
    given.hasDate || given.hasTime ? given : { hasDate: value >= 1, hasTime: !Number.isInteger(value) }
  const days = startsIn1904 ? value + DAYS_TO_1904 : value < FIRST_RIGHT_DAY ? value + 1 : value
  const date = new Date(Math.round(((days - DAYS_TO_1970) * DAY_MS) / SECOND_MS) * SECOND_MS)
  if (Number.isNaN(date.getTime())) return value
  const [day = '', rest = ''] = date.toISOString().split('T')
  const time = rest.slice(0, rest.startsWith(':00', 5) ? 5 : 8)
  if (!hasDate) return time
  return hasTime ? `${day}T${rest.slice(0, 8)}` : day
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,9})?)Z?)?$/

/** Returns the number of a date that a cell has as text (ECMA-376, part 1, 18.18.11); undefined for other text. */
export function numberOfMoment(text: string, startsIn1904: boolean): number | undefined {
  const [, day, time = '00:00:00'] = MOMENT.exec(text) ?? []
  if (day === undefined) return undefined
  const days = Date.parse(`${day}T${time}Z`) / DAY_MS + DAYS_TO_1970 - (startsIn1904 ? DAYS_TO_1904 : 0)
  return Number.isFinite(days) ? days : undefined
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
