import { z } from 'zod'
import { LAST_TIMESTAMP } from '../catalog/models.ts'
import { operationFailed } from '../errors/errors.ts'

const UNIT_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** For this time before it stops working, each response to a key says so. */
export const EXPIRY_NOTICE_MS = 14 * 86_400_000

/** A date, or a date with a time and an offset. */
const isoDate = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

/**
 * Parses an expiry: a duration from now (`12h`, `90d`, `4w`) or an ISO date. A date without a time means midnight UTC.
 * @throws `OPERATION_FAILED` if the text is neither, or the time is not in the future, or after the year 9999
 */
export function parseExpiry(text: string, now: Date): Date {
  const durationMs = parseDuration(text, /^(\d{1,5})([hdw])$/)
  const expiry = new Date(
    durationMs === undefined ? (isoDate.safeParse(text).data ?? Number.NaN) : now.getTime() + durationMs,
  )
  if (Number.isNaN(expiry.getTime())) {
    throw operationFailed(`--expires must be a duration such as 90d or an ISO date such as 2027-01-31, not "${text}"`)
  }
  if (expiry <= now) throw operationFailed(`--expires must be in the future; ${expiry.toISOString()} is not`)
  if (expiry > new Date(LAST_TIMESTAMP))
    throw operationFailed(`--expires must be at most ${LAST_TIMESTAMP}, not "${text}"`)
  return expiry
}

/**
 * Returns in milliseconds how long an old secret still works, from text such as `0s`, `30m`, `24h`, `7d` or `2w`.
 * @throws `OPERATION_FAILED` for any other text
 */
export function parseGrace(text: string): number {
  const durationMs = parseDuration(text, /^(\d{1,5})([smhdw])$/)
  if (durationMs === undefined) {
    throw operationFailed(`--grace must be a duration such as 30m, 24h or 7d, or 0s for none, not "${text}"`)
  }
  return durationMs
}

/** Returns milliseconds; undefined for text that does not match the form, whose groups are a number and a unit. */
function parseDuration(text: string, form: RegExp): number | undefined {
  const [, count, unit = ''] = form.exec(text) ?? []
  const unitMs = UNIT_MS.get(unit)
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs
}
