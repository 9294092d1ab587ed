import type { KeyRecord } from '../auth/keys.ts'
import { printTable } from './print.ts'

/** Prints keys as a table; those whose expiry is before `now` are marked as expired. */
export function printKeys(keys: readonly KeyRecord[], now: Date): void {
  const isPast = (expiresAt: Date | null) => expiresAt !== null && expiresAt <= now

  const stateOf = ({ revokedAt, expiresAt }: KeyRecord) => {
    if (revokedAt !== null) return 'revoked'
    return isPast(expiresAt) ? 'expired' : 'active'
  }

  const toCells = (key: KeyRecord) => [
    key.id,
    key.name,
    stateOf(key),
    key.expiresAt?.toISOString() ?? 'never',
    key.lastUsedAt?.toISOString() ?? 'never',
    key.requestsPerMinute === null ? 'none' : `${key.requestsPerMinute}/min`,
    key.accessTiers.join(',') || '-',
    key.grants.map(({ dataset, expiresAt }) => (isPast(expiresAt) ? `${dataset} (expired)` : dataset)).join(',') || '-',
  ]

  printTable(['ID', 'NAME', 'STATE', 'EXPIRES', 'LAST USED', 'LIMIT', 'TIERS', 'DATASETS'], keys.map(toCells))
}
