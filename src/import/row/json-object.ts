import { z } from 'zod'
import { isObject } from '../../json.ts'

const MAX_DEPTH = 32

/** PostgreSQL's numeric has at most this many digits after the point. */
const MAX_DECIMALS = 16_383

/** A JSON object that PostgreSQL can store. Not `z.record`, which drops the key `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .refine(
    (value) => isStorable(value, MAX_DEPTH),
    `must hold well-formed text without NUL and finite numbers with at most ${MAX_DECIMALS} decimals, at most ${MAX_DEPTH} levels deep`,
  )

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (JSON.isRawJSON(value)) return decimalsOf(value.rawJSON) <= MAX_DECIMALS
  return (
    depth > 0 && Object.entries(value).every(([key, member]) => isStorable(key, 0) && isStorable(member, depth - 1))
  )
}

/** Counts the digits after the point of a JSON number when it is written without an exponent. */
function decimalsOf(number: string): number {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [, fraction = ''] = mantissa.split('.')
  return fraction.length - Number(exponent)
}
