import { z } from 'zod'
import { operationFailed } from '../errors.ts'

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** A date, or a date with a time and an offset. */
const isoDate = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

/**
 * Parses an expiry: a duration from now (`12h`, `90d`, `4w`) or an ISO date. A date without a time means midnight UTC.
 * @throws `OPERATION_FAILED` if the text is neither, or the time is not in the future
 */
export function parseExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const expiry =
    count !== undefined && isUnit(unit)
      ? new Date(now.getTime() + Number(count) * UNIT_MS[unit])
      : new Date(isoDate.safeParse(text).data ?? Number.NaN)
  if (Number.isNaN(expiry.getTime())) {
    throw operationFailed(`--expires must be a duration such as 90d or an ISO date such as 2027-01-31, not "${text}"`)
  }
  if (expiry <= now) throw operationFailed(`--expires must be in the future; ${expiry.toISOString()} is not`)
  return expiry
}

function isUnit(unit: string | undefined): unit is keyof typeof UNIT_MS {
  return unit !== undefined && Object.hasOwn(UNIT_MS, unit)
}
