import type { MutantTable } from '../mutant.ts'

/** Who may read what: the access rule, keys, rotation and grants; cursors and their sorts. */
export const ACCESS: readonly MutantTable[] = [
  {
    file: 'src/catalog/access.ts',
    tests: ['test/catalog/access.test.ts'],
    mutants: [
      { find: 'if (hasGrant(access', replace: 'if (isPublished(dataset) && hasGrant(access' },
      {
        find: 'isPublished(dataset) ? openClause(access, dataset) : undefined',
        replace: 'openClause(access, dataset)',
      },
      { find: '!== undefined', replace: "=== 'public'" },
      { find: 'datasetId === dataset.id && ', replace: '' },
      { find: 'expiresAt === null || ', replace: '' },
      { find: 'expiresAt > now', replace: 'expiresAt >= now' },
      { find: 'expiresAt > now', replace: 'expiresAt < now' },
      { find: 'access.grants.some(', replace: 'access.grants.every(' },
      { find: " || status === 'archived'", replace: '' },
      { find: "status === 'active' || status === 'archived'", replace: "status !== 'draft'" },
      { find: "visibility === 'public'", replace: "visibility !== 'restricted'" },
      { find: "visibility === 'paid' && ", replace: '' },
      { find: 'access.accessTiers.includes(accessTier)', replace: 'access.accessTiers.length > 0' },
      {
        find: 'accessTier !== null && ',
        replace: '',
        equivalent: 'the tiers of a key are texts, so they never include null',
      },
    ],
  },
  {
    file: 'src/catalog/cursor.ts',
    tests: ['test/catalog/cursor.test.ts'],
    mutants: [
      { find: 'datasetId !== list.datasetId', replace: 'false' },
      { find: 'sort !== list.sort', replace: 'false' },
      { find: 'input.sort ?? DEFAULTS.sort', replace: 'DEFAULTS.sort' },
      { find: 'SORTS[sort].isValue(value) ?', replace: 'true ?' },
      { find: "positionIn('before', before)", replace: "positionIn('before', after)" },
      {
        find: "if (typeof position === 'string') problems.push(",
        replace: "if (typeof position === 'string') [].concat(",
      },
      { find: 'z.enum(ITEM_SORTS), z.string(), uuid])', replace: 'z.enum(ITEM_SORTS), z.string(), z.string()])' },
      { find: ' input, problems)', replace: ' input)' },
      {
        find: 'encode([item.datasetId, sort, value, id])',
        replace: 'encode([item.datasetId, sort, value, item.datasetId])',
      },
    ],
  },
  {
    file: 'src/catalog/sorts.ts',
    tests: ['test/catalog/cursor.test.ts', 'test/catalog/sorts.test.ts'],
    mutants: [
      { find: "!text.includes('\\0')", replace: 'true' },
      { find: ' && text >= FIRST_TIMESTAMP', replace: '' },
      { find: 'text >= FIRST_TIMESTAMP', replace: 'text > FIRST_TIMESTAMP' },
      { find: 'z.iso.datetime({ precision: 3 })', replace: 'z.iso.datetime()' },
      { find: "timestampSort('updatedAt'", replace: "timestampSort('createdAt'" },
      {
        find: 'valueAsText: rawSql(toIsoExpression(sql`value`))',
        replace: 'valueAsText: Prisma.sql`value`',
        equivalent: 'only bookmarks use the text, and PostgreSQL reads the same time from both forms',
      },
      { find: 'Prisma.sql`timestamptz`', replace: 'Prisma.sql`timestamptz(0)`' },
    ],
  },
  {
    file: 'src/auth/api-key.ts',
    tests: ['test/auth/keys.test.ts', 'test/auth/authenticate.test.ts'],
    mutants: [
      { find: 'RANDOM_BYTES = 32', replace: 'RANDOM_BYTES = 16' },
      { find: '{43,128}$', replace: '{43,}$' },
      {
        find: "hash('sha256', key",
        replace: "hash('sha512-256', key",
        tests: ['test/upgrade/upgrade.isolated.test.ts'],
      },
      { find: 'revokedAt === null && ', replace: '' },
      { find: 'expiresAt === null || expiresAt > now', replace: 'expiresAt === null' },
      { find: 'expiresAt > now', replace: 'expiresAt >= now' },
    ],
  },
  {
    file: 'src/auth/api-key.ts',
    tests: ['test/auth/keys.test.ts', 'test/auth/authenticate.test.ts'],
    mutants: [
      { find: ' || !isKeyShaped(token)', replace: '' },
      { find: '!key || !isValidKey(key, now)', replace: '!key' },
      { find: '/^bearer(?: |$)/i', replace: '/^bearer(?: |$)/' },
      { find: '=*) *$/i', replace: '=*) *$/' },
      { find: '+/-]+=*) *$', replace: '+/-]+=*)' },
      { find: 'if (!sendsBearer(authorization)) return realm', replace: '' },
    ],
  },
  {
    file: 'src/auth/rotate.ts',
    tests: ['test/auth/keys.test.ts'],
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
    file: 'src/auth/grants.ts',
    tests: ['test/auth/keys.test.ts'],
    mutants: [
      { find: 'update: { expiresAt }', replace: 'update: {}' },
      { find: 'deleteMany({ where: ids })', replace: 'deleteMany({ where: { apiKeyId: ids.apiKeyId } })' },
      { find: 'if (count === 0)', replace: 'if (count > 1)' },
    ],
  },
  {
    file: 'src/gateway/admission/admission.ts',
    tests: ['test/server/limits.test.ts', 'test/server/one-state.test.ts', 'test/server/freshness.test.ts'],
    mutants: [
      {
        find: 'new AdmittedCaller(await this.#identifyAgain(), ',
        replace: 'new AdmittedCaller(this, ',
        tests: ['test/server/freshness.test.ts'],
      },
      {
        find: 'isCounted ? request.caller.again() : request.caller',
        replace: 'request.caller',
        tests: ['test/server/admission.test.ts'],
      },
      {
        find: 'readAs(current)',
        replace: 'readAs(this)',
        tests: ['test/server/exports.test.ts'],
        equivalent: 'the reader asks for the key again at the end of each read, and then decides by that one',
      },
      {
        find: '(snapshot) => this.#identifyAgain(snapshot)',
        replace: 'async () => access',
        tests: ['test/server/one-state.test.ts'],
      },
      {
        find: '!snapshot && options.findKey.isUnchanged(key) && ',
        replace: '',
        tests: ['test/server/one-state.test.ts'],
      },
      {
        find: ' && (key.expiresAt === null || key.expiresAt > now)',
        replace: '',
        tests: ['test/server/admission.test.ts'],
      },
      { find: 'request.use = use', replace: '', tests: ['test/server/usage.test.ts'] },
    ],
  },
  {
    file: 'src/gateway/admission/budget.ts',
    tests: ['test/fairness/budget.test.ts'],
    mutants: [
      { find: 'inFlight.release(this.#keyId)', replace: 'void 0' },
      { find: 'unread.check(this.#keyId)', replace: '' },
      { find: 'if (response.destroyed) cancellation.cancel()', replace: '' },
      { find: 'if (!response.writableFinished) cancellation.cancel()', replace: 'cancellation.cancel()' },
      { find: 'if (!response.writableFinished) cancellation.cancel()', replace: '' },
      { find: 'if (this.#cancellation?.isCancelled) throw new StatementCancelled()', replace: '' },
      { find: 'this.#run(work, true)', replace: 'this.#run(work, false)' },
    ],
  },
  {
    file: 'src/gateway/admission/pipelining.ts',
    tests: ['test/server/pipelining.isolated.test.ts'],
    mutants: [
      { find: "socket.on('resume', () => {\n      if (line.count > 0) socket.pause()\n    })", replace: '' },
      { find: 'total += 1\n    socket.pause()', replace: 'total += 1' },
      { find: 'if (response.socket) {', replace: 'if (response) {' },
      { find: 'total -= line.count', replace: '' },
    ],
  },
  {
    file: 'src/gateway/admission/connection-limits.ts',
    tests: ['test/server/http.test.ts'],
    mutants: [
      { find: 'response?.req.complete && ', replace: 'false && ' },
      { find: 'if (socket.writable) answerClientError(error, socket)', replace: '' },
      { find: 'if (waiting.has(socket)) return', replace: '', tests: ['test/server/pipelining.isolated.test.ts'] },
    ],
  },
  {
    file: 'src/api/exports.ts',
    tests: ['test/server/exports.test.ts'],
    mutants: [{ find: 'endExport()\n    throw error', replace: 'throw error' }],
  },
  {
    file: 'src/api/ogc/documents.ts',
    tests: ['test/ogc/paging.test.ts'],
    mutants: [
      { find: "['offset', 'startindex'])", replace: "['offset'])" },
      { find: "['offset', 'startindex'])", replace: "['startindex'])" },
    ],
  },
  {
    file: 'src/import/undo.ts',
    tests: ['test/history/history.test.ts'],
    mutants: [
      { find: 'if (entry.id !== last.id) throw', replace: 'if (false) throw' },
      { find: 'const entry = await findUndoableEntry(session, id, slug)', replace: 'const entry = last' },
    ],
  },
  {
    file: 'src/gateway/cors.ts',
    tests: ['test/server/embed.test.ts'],
    mutants: [
      { find: 'page?.origin === origin && page.host', replace: 'page?.host' },
      { find: 'page.host === host', replace: 'true' },
      { find: 'page.pathname.endsWith(embedPath(keyId))', replace: 'true' },
    ],
  },
  {
    file: 'src/api/pages/embed.ts',
    tests: ['test/server/embed.test.ts'],
    mutants: [{ find: "'origin' in parsed ? parsed.origin : []", replace: 'text' }],
  },
]
