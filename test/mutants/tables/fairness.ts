// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const UNREAD = ['test/fairness/unread.isolated.test.ts']

/** The queues, shares and limits among keys. */
export const FAIRNESS: readonly MutantTable[] = [
  {
    file: 'src/fairness/fair-queue.ts',
    tests: ['test/fairness/fair-queue.test.ts'],
    mutants: [
      { find: 'return free > 1 && ', replace: 'return free > 0 && ' },
      { find: 'nowMs + waitMs <= last.untilMs', replace: 'true' },
      { find: 'waitMs(list.length - 1)', replace: 'waitMs(list.length)' },
      { find: 'isPatient ? Number.POSITIVE_INFINITY : ', replace: '' },
      { find: 'return free > 1 && this.#isWithinShare(keys)', replace: 'return free > 1' },
      { find: 'if (keys.some((key) => !this.#uses.get(key)?.running)) return free > 0', replace: '' },
      { find: 'if (!use.hasShortJobs(nowMs)) running', replace: 'running' },
      { find: ' || !this.isShared(keys)', replace: '' },
      { find: '(use.running > 0 || use.lastMs > sinceMs)', replace: 'true' },
      { find: '      this.#startNext(nowMs)\n', replace: '' },
      { find: 'if (rank < least)', replace: 'if (rank > least || least > 1e12)' },
      { find: 'return Math.min(...ranks)', replace: 'return Math.max(...ranks)' },
      { find: '        leave()\n        reject', replace: '        reject' },
      {
        find: 'isPatient ? undefined : setTimeout',
        replace: 'setTimeout',
        tests: ['test/server/long-exports.isolated.test.ts'],
      },
      { find: 'Math.max(0, use.virtualMs(nowMs) - this.#virtualMs)', replace: '0' },
      { find: 'use.start(startMs, this.#virtualMs)', replace: 'use.start(startMs, 0)' },
      { find: 'if (this.#waiting.size === 0) advance(nowMs)', replace: '' },
      { find: '    advance(startMs)', replace: '' },
    ],
  },
  {
    file: 'src/fairness/queue-account.ts',
    tests: ['test/fairness/fair-queue.test.ts'],
    mutants: [
      { find: 'longMs < SHORT.longMs && ', replace: '' },
      { find: ' > SHORT.count', replace: ' >= 0' },
      { find: 'this.#endedMs += durationMs', replace: '' },
    ],
  },
  {
    file: 'src/server/admission/admission.ts',
    tests: ['test/server/limits.test.ts', 'test/server/one-state.test.ts', 'test/server/freshness.test.ts'],
    mutants: [
      {
        find: 'callerOf(await identifyAgain())',
        replace: 'callerOf({ key, now })',
        tests: ['test/server/freshness.test.ts'],
      },
      {
        find: 'isCounted ? await identifyAgain() : { key, now }',
        replace: '{ key, now }',
        tests: ['test/server/admission.test.ts'],
      },
      {
        find: 'readAs(current)',
        replace: 'readAs({ key, now })',
        tests: ['test/server/exports.test.ts'],
        equivalent: 'the reader asks for the key again at the end of each read, and then decides by that one',
      },
      {
        find: 'read(caller, identifyAgain)',
        replace: 'read(caller, async () => caller)',
        tests: ['test/server/one-state.test.ts'],
      },
      { find: '!snapshot && findKey.isUnchanged(key) && ', replace: '', tests: ['test/server/one-state.test.ts'] },
      {
        find: ' && (key.expiresAt === null || key.expiresAt > later)',
        replace: '',
        tests: ['test/server/admission.test.ts'],
      },
      { find: 'request.use = use', replace: '', tests: ['test/server/usage.test.ts'] },
    ],
  },
  {
    file: 'src/server/admission/key-limits.ts',
    tests: ['test/server/limits.test.ts'],
    mutants: [{ find: 'requestsPerMinute === null ?', replace: 'requestsPerMinute !== 0 ?' }],
  },
  {
    file: 'src/server/admission/identify.ts',
    tests: ['test/server/limits.test.ts'],
    mutants: [
      {
        find: "|| error.code !== 'UNAUTHORIZED') throw error",
        replace: ') throw error',
        equivalent: 'a look-up throws no other CatalogError',
      },
      {
        find: 'await limits.countRefusal(networkOf(request.ip))',
        replace: 'await limits.countRefusal(request.ip)',
      },
    ],
  },
  {
    file: 'src/fairness/fair-share.ts',
    tests: ['test/fairness/backpressure.test.ts'],
    mutants: [
      { find: 'this.#total === 0 || ', replace: '', tests: UNREAD },
      { find: '<= this.#capacity - this.#total', replace: '<= this.#capacity' },
      { find: 'if (!this.hasRoom(owner, amount)) return false', replace: '' },
      {
        find: 'this.#capacity / (owners + 1)',
        replace: '0',
        tests: ['test/server/bodies.test.ts'],
      },
    ],
  },
  {
    file: 'src/fairness/slots.ts',
    tests: ['test/server/long-exports.isolated.test.ts'],
    mutants: [{ find: 'slots.add(keyId, -1)', replace: 'slots.add(keyId, 0)' }],
  },
  {
    file: 'src/server/admission/pipelining.ts',
    tests: ['test/server/pipelining.isolated.test.ts'],
    mutants: [
      { find: 'if (response.socket) {', replace: 'if (socket) {' },
      { find: 'if (total >= MAX_WAITING) {', replace: 'if (total >= 1e9) {' },
      { find: '      total -= line.count\n', replace: '' },
    ],
  },
  {
    file: 'src/fairness/unread.ts',
    tests: UNREAD,
    mutants: [
      { find: 'if (held) this.#shares.add(', replace: 'if (!held) this.#shares.add(' },
      { find: '    this.#release(reply)\n    if (!this.#shares', replace: '    if (!this.#shares' },
    ],
  },
]
