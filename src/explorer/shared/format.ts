import { locale } from './language.ts'

/*
 * Numbers, dates and distances as a person writes them in the page's language.
 */

/** For example `1,234`. */
export function number(value: number): string {
  return value.toLocaleString(locale)
}

/** Follows a number that is the least there is, until the exact one comes. */
export const AT_LEAST = '+'

/** The day of a time in UTC, for example `August 5, 2026`. */
export function day(time: string): string {
  return new Date(time).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' })
}

/** A distance in metres, for example `46 m` or `1.24 km`. */
export function distance(metres: number): string {
  const [value, unit, digits] = metres < 1000 ? [metres, 'meter', metres < 10 ? 1 : 0] : [metres / 1000, 'kilometer', 2]
  return value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits: digits })
}

/** A number of bytes, for example `12 kB` or `1.4 MB`. */
export function size(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return (bytes / 1000 ** step).toLocaleString(locale, {
    style: 'unit',
    unit: units[step],
    maximumSignificantDigits: 2,
  })
}

/** Degrees with two decimals, for example `33.10`. */
export function degrees(value: number): string {
  return Math.abs(value).toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** A share, for example `15%`. */
export function percent(share: number): string {
  return share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: share < 0.01 ? 1 : 0 })
}
