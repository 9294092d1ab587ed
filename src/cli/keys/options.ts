import { InvalidArgumentError } from 'commander'
import { parseExpiry } from '../../auth/expiry.ts'
import { parseOrigin } from '../../auth/origins.ts'

/* The arguments and options of several commands. */

export const KEY = ['<id>', 'id of the key, its name, or the first 4 or more characters of its id'] as const
export const DATASET_NAMES = 'slug of the dataset, its id, its name, or the first 4 or more characters of its id'
export const DATASET = ['--dataset <slug>', DATASET_NAMES] as const
export const EXPIRES = ['--expires <when>', 'a duration such as 90d, or an ISO date'] as const
export const RATE_LIMIT = ['--rate-limit <n>', 'requests per minute, or none'] as const
export const ITEM_LIMIT = ['--item-limit <n>', 'items in responses per minute, or none'] as const
export const ORIGIN_FLAG = '--origin <url>'

/** Returns the time of the option `--expires`; null without the option. */
export function expiry(text: string | undefined): Date | null {
  return text === undefined ? null : parseExpiry(text, new Date())
}

/** Returns the time of the option `--expires`; null for `never`. */
export function expiryOrNever(text: string): Date | null {
  return text === 'never' ? null : parseExpiry(text, new Date())
}

/** A limit as an option has it. Commander would turn null into an empty text. */
export type Limit = number | 'none'

/** @throws `InvalidArgumentError` unless the text is a whole number or `none` */
export function parseLimit(text: string): Limit {
  if (text === 'none') return text
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999, or none.')
}

/** Returns a limit as the database has it. */
export function storedLimit(limit: Limit): number | null {
  return limit === 'none' ? null : limit
}

/** Adds a value of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Adds an origin of an option that may be given several times. An empty text adds none. */
export function collectOrigin(value: string, before: string[] = []): string[] {
  const origin = parseOrigin(value)
  if (origin === undefined && value !== '') {
    throw new InvalidArgumentError('It must be the origin of web pages, such as https://maps.example.')
  }
  return origin === undefined ? before : [...before, origin]
}
