import { InvalidArgumentError } from 'commander'
import { parseExpiry } from '../auth/expiry.ts'
import { parseOrigin } from '../config/origin.ts'

/* The arguments and options of several commands. */

export const KEY = ['<id>', 'id of the key, its name, or the first 4 or more characters of its id'] as const
export const DATASET_NAMES = 'slug of the dataset, its id, its name, or the first 4 or more characters of its id'
export const DATASET = ['<slug>', DATASET_NAMES] as const
export const ALLOW_REMOVALS = [
  '--allow-removals',
  'do not ask before more than a tenth of the items of a dataset are removed',
] as const
export const ALLOW_MOVES = [
  '--allow-moves',
  'do not ask before more than a tenth of the items move by more than a kilometre',
] as const
export const YES = ['--yes', 'do not ask; needed without a terminal'] as const
export const EXPIRES = ['--expires <when>', 'a duration such as 90d, or an ISO date', parseTime] as const
export const RATE_LIMIT = ['--rate-limit <n>', 'requests per minute, or none', parseLimit] as const
export const ITEM_LIMIT = ['--item-limit <n>', 'items in responses per minute, or none', parseLimit] as const

/** Returns the time of an expiry. @throws `OPERATION_FAILED` */
export function parseTime(text: string): Date {
  return parseExpiry(text, new Date())
}

/** @throws `InvalidArgumentError` unless the text is a whole number or `none` */
function parseLimit(text: string): number | 'none' {
  if (text === 'none') return text
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999, or none.')
}

/** Adds a value of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Adds an origin of an option that may be given several times. An empty text adds none. */
export function collectOrigin(value: string, before: string[] = []): string[] {
  if (value === '') return before
  const parsed = parseOrigin(value)
  if ('problem' in parsed) throw new InvalidArgumentError(parsed.problem)
  return [...before, parsed.origin]
}
