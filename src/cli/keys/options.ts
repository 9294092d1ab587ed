import { parseExpiry } from '../../auth/expiry.ts'

/* The arguments and options of several commands. */

export const KEY = ['<id>', 'id of the key, its name, or the first 4 or more characters of its id'] as const
export const DATASET_NAMES = 'slug of the dataset, its id, its name, or the first 4 or more characters of its id'
export const DATASET = ['--dataset <slug>', DATASET_NAMES] as const
export const EXPIRES = ['--expires <when>', 'a duration such as 90d, or an ISO date'] as const
export const JSON_OPTION = ['--json', 'print JSON'] as const

/** Returns the time of the option `--expires`; null without the option. */
export function expiry(text: string | undefined): Date | null {
  return text === undefined ? null : parseExpiry(text, new Date())
}
