import type { MutantTable } from '../mutant.ts'

/** What the gateway counts and limits, and which responses it may keep. */
export const GATEWAY: readonly MutantTable[] = [
  {
    file: 'src/gateway/response-cache.ts',
    tests: ['test/server/own-key.test.ts', 'test/server/usage.test.ts'],
    mutants: [
      { find: 'if (onKey) return\n', replace: '' },
      { find: 'if (known) use.read(known.itemsRead)', replace: '', tests: ['test/server/usage.test.ts'] },
    ],
  },
  {
    file: 'src/catalog/snapshot/read-log.ts',
    tests: ['test/catalog/read-log.test.ts', 'test/server/usage.test.ts'],
    mutants: [
      { find: ' && second === undefined', replace: '' },
      { find: 'second === undefined && !this.#dependsOnAll', replace: 'second === undefined' },
      { find: 'this.#items += count', replace: 'this.#items = count' },
    ],
  },
  {
    file: 'src/gateway/admission/fair-share.ts',
    tests: ['test/fairness/backpressure.test.ts', 'test/fairness/budget.test.ts'],
    mutants: [
      { find: 'this.#total === 0 || ', replace: '' },
      { find: '(owners + 1)', replace: 'owners' },
      { find: 'this.#held.size + (this.#held.has(owner) ? 0 : 1)', replace: 'this.#held.size' },
      { find: 'else this.#held.delete(owner)', replace: '' },
      { find: 'slots.add(keyId, -1)', replace: 'slots.add(keyId, 0)' },
    ],
  },
  {
    file: 'src/gateway/admission/unread.ts',
    tests: ['test/fairness/budget.test.ts', 'test/fairness/unread.isolated.test.ts'],
    mutants: [
      { find: 'if (reply.raw.destroyed) return', replace: '' },
      { find: 'bytes - (known?.bytes ?? 0)', replace: 'bytes' },
      { find: ' && !this.#shares.isEntitled(keyId, 1)', replace: '' },
      { find: 'if (socket.writableLength === 0) socket', replace: 'if (false) socket' },
    ],
  },
  {
    file: 'src/gateway/admission/identify.ts',
    tests: ['test/server/limits.test.ts', 'test/server/public-key.test.ts', 'test/auth/origins.test.ts'],
    mutants: [
      { find: 'if (key.origins.length > 0) requireOrigin', replace: 'if (key.origins.length > 1) requireOrigin' },
      { find: 'networkOf(request.ip)', replace: 'request.ip' },
      { find: 'if (allowance.isExceeded) throw', replace: 'if (false) throw' },
      { find: 'items?.remaining === 0', replace: 'items?.isExceeded' },
      { find: 'if (requests?.isExceeded)', replace: 'if (requests?.remaining === 0)' },
    ],
  },
  {
    file: 'src/gateway/admission/connection-limits.ts',
    tests: ['test/server/limits.test.ts'],
    mutants: [
      { find: ' || count >= maxPerAddress', replace: '' },
      { find: 'if (left === 0) open.delete(network)', replace: 'if (left === 0) return' },
    ],
  },
]
