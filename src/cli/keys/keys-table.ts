import type { KeyRecord } from '../../auth/keys.ts'
import { printNotice, printTable } from '../print.ts'

/** Prints keys as a table. Marks the keys and grants that have expired at `now`. */
export function printKeys(keys: readonly KeyRecord[], now: Date): void {
  const toCells = (key: KeyRecord) => [
    key.id,
    key.name,
    stateOf(key, now),
    key.expiresAt?.toISOString() ?? 'never',
    key.lastUsedAt?.toISOString() ?? 'never',
    limitOf(key),
    key.origins.join(',') || '-',
    key.accessTiers.join(',') || '-',
    key.grants.map(({ dataset, expiresAt }) => (isPast(expiresAt, now) ? `${dataset} (expired)` : dataset)).join(',') ||
      '-',
  ]

  printTable(
    ['ID', 'NAME', 'STATE', 'EXPIRES', 'LAST USED', 'LIMIT', 'ORIGINS', 'TIERS', 'DATASETS'],
    keys.map(toCells),
  )
  // On stderr, so that a script reads only the table.
  printNotice('A valid key may also access the public datasets that are active or archived.')
}

/** Returns the limits of a key in words. */
export function limitOf({ requestsPerMinute, itemsPerMinute }: KeyRecord): string {
  const limits = [
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute}/min`]),
    ...(itemsPerMinute === null ? [] : [`${itemsPerMinute} items/min`]),
  ]
  return limits.join(', ') || 'none'
}

/** Returns whether a key works at `now`, or why it does not. */
export function stateOf({ revokedAt, expiresAt }: KeyRecord, now: Date): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return isPast(expiresAt, now) ? 'expired' : 'active'
}

function isPast(expiresAt: Date | null, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now
}
