import type { Access, ApiKey } from '../../src/catalog/access.ts'

/** An API key with these permissions, by default none, and without limits. */
export function keyWith(access: Partial<Access> = {}): ApiKey {
  const facts = { id: '99999999-0000-4000-8000-000000000001', name: 'key', expiresAt: null, origins: [] }
  return { ...facts, requestsPerMinute: null, itemsPerMinute: null, accessTiers: [], grants: [], ...access }
}
