import type { MutantTable } from '../mutant.ts'

/** API keys: their form, expiry, rotation and use, and the limits on requests. */
export const AUTH: readonly MutantTable[] = [
  {
    file: 'src/auth/api-key.ts',
    tests: ['test/auth/keys.test.ts', 'test/auth/authenticate.test.ts'],
    mutants: [
      { find: 'RANDOM_BYTES = 32', replace: 'RANDOM_BYTES = 16' },
      { find: '{43,128}$', replace: '{43,}$' },
      { find: "hash('sha256', key", replace: "hash('sha512-256', key" },
      { find: 'revokedAt === null && ', replace: '' },
      { find: 'expiresAt === null || expiresAt > now', replace: 'expiresAt === null' },
      { find: 'expiresAt > now', replace: 'expiresAt >= now' },
    ],
  },
  {
    file: 'src/auth/api-key.ts',
    tests: ['test/auth/keys.test.ts', 'test/auth/authenticate.test.ts'],
    mutants: [
      { find: 'token !== undefined && isKeyShaped(token)', replace: 'token !== undefined' },
      { find: '!key || !isValidKey(key, now)', replace: '!key' },
      { find: '/^bearer(?: |$)/i', replace: '/^bearer(?: |$)/' },
      { find: '=*) *$/i', replace: '=*) *$/' },
      { find: '+/-]+=*) *$', replace: '+/-]+=*)' },
      { find: 'if (!sendsBearer(authorization)) return realm', replace: '' },
    ],
  },
  {
    file: 'src/auth/expiry.ts',
    tests: ['test/auth/expiry.test.ts', 'test/auth/authenticate.test.ts'],
    mutants: [
      { find: "['s', 1_000]", replace: "['s', 60_000]" },
      { find: "['m', 60_000]", replace: "['m', 1_000]" },
      { find: "['w', 604_800_000]", replace: "['w', 86_400_000]" },
      { find: 'expiry <= now', replace: 'expiry < now' },
      { find: 'expiry > new Date(LAST_TIMESTAMP)', replace: 'expiry >= new Date(LAST_TIMESTAMP)' },
      { find: '([hdw])$', replace: '([smhdw])$' },
      { find: '{ offset: true }', replace: '{}' },
    ],
  },
  {
    file: 'src/auth/rotate.ts',
    tests: ['test/auth/rotate.test.ts'],
    mutants: [
      { find: 'expiresAt <= now', replace: 'expiresAt < now' },
      { find: ' FOR UPDATE`', replace: '`', needsServer: true },
      { find: 'graceMs === 0 ? {} : { expiresAt: { lte: now } }', replace: '{}' },
      { find: 'graceMs === 0 ? {} : { expiresAt: { lte: now } }', replace: '{ expiresAt: { lte: now } }' },
      { find: 'lte: now', replace: 'gte: now' },
      { find: 'if (graceMs > 0)', replace: 'if (graceMs > 1_000)' },
      { find: 'now.getTime() + graceMs', replace: 'now.getTime() + 2 * graceMs' },
      { find: 'expiresAt: previousExpiresAt } })', replace: 'expiresAt: now } })' },
    ],
  },
  {
    file: 'src/auth/names.ts',
    tests: ['test/auth/names.test.ts'],
    mutants: [
      { find: 'named.length > 1 && valid.length === 1 ? valid : named', replace: 'named' },
      { find: 'SHORTEST_PREFIX = 4', replace: 'SHORTEST_PREFIX = 3' },
      { find: 'prefix.length < SHORTEST_PREFIX', replace: 'prefix.length <= SHORTEST_PREFIX' },
      { find: 'if (byId.length > 0) return byId', replace: '' },
      { find: 'if (named.length > 0) return named', replace: '' },
      { find: 'text.toLowerCase()', replace: 'text' },
      { find: 'if (key.revokedAt !== null)', replace: 'if (key.expiresAt !== null && key.revokedAt !== null)' },
      { find: 'bySlug.length > 0 ? bySlug : ', replace: '' },
      { find: 'if (found.length > 1) {', replace: 'if (found.length > 2) {' },
    ],
  },
  {
    file: 'src/auth/grants.ts',
    tests: ['test/auth/grants.test.ts'],
    mutants: [
      { find: 'update: { expiresAt }', replace: 'update: {}' },
      { find: 'deleteMany({ where: ids })', replace: 'deleteMany({ where: { apiKeyId: ids.apiKeyId } })' },
      { find: 'if (count === 0)', replace: 'if (count > 1)' },
    ],
  },
  {
    file: 'src/auth/keys.ts',
    tests: ['test/auth/grants.test.ts'],
    mutants: [
      { find: 'where: { revokedAt: null, OR:', replace: 'where: { OR:' },
      { find: 'expiresAt: { gt: now } }] }', replace: 'expiresAt: { not: null } }] }' },
      { find: 'where: { expiresAt: { gt: now } },\n', replace: '' },
      { find: "orderBy: { expiresAt: 'desc' }", replace: "orderBy: { expiresAt: 'asc' }" },
      { find: '...columns,\n', replace: 'name: columns.name,\n' },
      { find: "text.trim() !== '' && ", replace: '' },
    ],
  },
  {
    file: 'src/auth/key-usage.ts',
    tests: ['test/auth/key-usage.test.ts'],
    mutants: [
      { find: 'now > last', replace: 'now < last' },
      { find: 'row.requests += added.requests', replace: 'row.requests = added.requests' },
      { find: 'row.items += added.items', replace: 'row.items = added.items' },
      { find: 'this.#rows = new Map()\n    this', replace: 'this' },
      { find: 'for (const row of rows) this.#add(row)', replace: '' },
      { find: 'greatest(key_uses.used_at, excluded.used_at)', replace: 'excluded.used_at' },
      { find: 'total.requests + excluded.requests', replace: 'excluded.requests' },
      {
        find: 'JOIN api_keys USING (id)\n       ORDER BY id, day',
        replace: 'LEFT JOIN api_keys USING (id)\n       ORDER BY id, day',
      },
    ],
  },
  {
    file: 'src/auth/rate-limit.ts',
    tests: ['test/auth/rate-limit.test.ts'],
    mutants: [
      { find: 'Math.max(0, limit - consumedPoints)', replace: 'limit - consumedPoints' },
      { find: 'consumedPoints > limit', replace: 'consumedPoints >= limit' },
      { find: 'Math.ceil(msBeforeNext / 1000)', replace: 'Math.floor(msBeforeNext / 1000)' },
      { find: 'Math.min(WINDOW_SECONDS, Math.ceil(msBeforeNext / 1000))', replace: 'Math.ceil(msBeforeNext / 1000)' },
      { find: 'duration: WINDOW_SECONDS', replace: 'duration: 2 * WINDOW_SECONDS' },
      { find: 'count(requests, keyId, requestsPerMinute)', replace: "count(requests, '', requestsPerMinute)" },
      { find: 'count(refusals, network, refusalsPerMinute)', replace: "count(refusals, '', refusalsPerMinute)" },
      { find: 'points: Number.MAX_SAFE_INTEGER', replace: 'points: 3' },
    ],
  },
  {
    file: 'src/server/admission/proxies.ts',
    tests: ['test/server/networks.test.ts'],
    mutants: [
      { find: 'groups.slice(0, 4)', replace: 'groups.slice(0, 8)' },
      { find: '8 - start.length - end.length', replace: '8 - start.length' },
      { find: '(?::\\d+)?$/i', replace: '$/i' },
      { find: '(?:::ffff:)?', replace: '' },
    ],
  },
]
