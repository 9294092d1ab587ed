// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const STALE_READS = ['test/catalog/verified-reads.test.ts']
const LETTERS = ['test/catalog/columns.test.ts']
const REPLICAS = ['test/server/replicas.isolated.test.ts']

/** The rule that a response shows one state of the catalog and of its key. */
export const SNAPSHOT: readonly MutantTable[] = [
  {
    file: 'src/catalog/snapshot/dataset-list.ts',
    tests: ['test/catalog/verified-reads.test.ts'],
    mutants: [
      { find: "() => ['datasets'],", replace: '() => [],', tests: ['test/server/freshness.test.ts'] },
      {
        find: 'comparePlaces(other, position) < 0',
        replace: 'comparePlaces(other, position) > 0',
        tests: ['test/graphql/dataset-connection.test.ts'],
      },
      {
        find: 'comparePlaces(found, position) === 0 ? place + 1',
        replace: 'comparePlaces(found, position) >= 0 ? place + 1',
        tests: ['test/graphql/dataset-connection.test.ts'],
      },
      {
        find: 'Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))',
        replace: '(a.name < b.name ? -1 : a.name > b.name ? 1 : 0)',
        tests: ['test/graphql/dataset-connection.test.ts'],
      },
      {
        find: ' || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))',
        replace: '',
        tests: ['test/graphql/dataset-connection.test.ts'],
      },
      { find: "{ name: 'asc' }", replace: "{ name: 'desc' }" },
      { find: "{ id: 'asc' }", replace: "{ id: 'desc' }" },
      { find: '[dataset.slug, dataset]', replace: '[dataset.name, dataset]' },
    ],
  },
  {
    file: 'src/catalog/snapshot/read-log.ts',
    tests: ['test/catalog/read-log.test.ts', 'test/catalog/verified-reads.test.ts'],
    mutants: [
      {
        find: '.filter((dataset) => mayAccess(this.key, dataset, this.now))',
        replace: '',
        tests: ['test/catalog/read-log.test.ts'],
      },
      { find: '!== isAllowed) return false\n  return true', replace: '=== isAllowed) return true\n  return false' },
      {
        find: 'mayAccess(access, dataset, now) !== isAllowed',
        replace: '!mayAccess(access, dataset, now) && isAllowed',
      },
      { find: 'if (revision !== this.revisionOf(id)) this.#isMixed = true', replace: 'this.revisionOf(id)' },
      { find: 'if (revision !== this.revisionOf(id))', replace: 'if (revision === null)' },
      { find: 'else if (!row.areListed) this.#readLog.differ()', replace: '' },
      { find: 'if (!row) await this.on(datasetIds).$queryRaw`SELECT true`', replace: 'if (!row) return rows' },
      { find: 'Prisma.sql`FULL JOIN`', replace: 'Prisma.sql`RIGHT JOIN`' },
      { find: 'Prisma.sql`RIGHT JOIN`', replace: 'Prisma.sql`JOIN`' },
      { find: 'd.revision IS NOT DISTINCT FROM listed.revision', replace: 'd.revision = listed.revision' },
      { find: "dependOnAll()\n    await this.on('all').$queryRaw`SELECT true`", replace: 'dependOnAll()' },
      { find: 'miss(): Promise<void> {\n    this.#readLog.dependOnAll()', replace: 'miss(): Promise<void> {' },
      { find: 'if (isConflict(error)) this.#isMixed = true', replace: '' },
      { find: 'if (isFailure(error)) this', replace: 'this' },
      { find: 'this.#dependsOnAll = true', replace: '' },
      {
        find: 'if (known) return known.isAllowed',
        replace: '',
        equivalent: 'a read has one list, one key and one time, so the rule decides the same again',
      },
      { find: '[...this.#decisions.values()],', replace: '[...this.#decisions.values()].slice(1),' },
      {
        find: '[...this.#decisions.values()],',
        replace: '[...this.#decisions.values()].filter((one) => one.isAllowed),',
      },
      { find: 'onAll: this.#dependsOnAll', replace: 'onAll: false' },
    ],
  },
  {
    file: 'src/catalog/snapshot/read-log.ts',
    tests: STALE_READS,
    mutants: [
      { find: 'this.#readLog.verify(seenIn(result))', replace: '' },
      { find: 'this.#readLog.fail(error)', replace: '', needsServer: true },
    ],
  },
  {
    file: 'src/catalog/snapshot/loaders.ts',
    tests: STALE_READS,
    mutants: [
      ...[
        'fetchFacets(statements.on(datasetIds)',
        'reader = statements.on(items.map(({ datasetId }) => datasetId))',
        'searchNearby(statements.on(scope)',
        'fetchSearchPage(statements.on(scope)',
        'fetchTile(statements.on(scope)',
        'fetchFeaturePage({ reader: statements.on([id])',
        'fetchFeatures({ reader: statements.on([id])',
        'fetchExtents(statements.on(datasetIds)',
        'fetchExportBatch(statements.on([datasetId])',
        'countItems(statements.on(datasetsOf(owners))',
        'haveItemsBeyond(statements.on(datasetsOf(positions))',
      ].map((find) => ({ find, replace: find.replace(/on\(.*\)/, 'on([])') })),
      {
        find: '{ cacheKeyFn: ({ id }) => id }',
        replace: '{ cacheKeyFn: ({ datasetId }) => datasetId }',
      },
    ],
  },
  {
    file: 'src/catalog/snapshot/loaders.ts',
    tests: STALE_READS,
    mutants: [
      { find: 'if (found.includes(null)) await statements.miss()', replace: '' },
      {
        find: 'batchers.fetchItem({ projection, id, scope }), seenRevision)',
        replace: 'batchers.fetchItem({ projection, id, scope }), () => [])',
      },
      { find: 'found ? [[found.datasetId, found.revision]] : []', replace: '(found ? [] : [])' },
      {
        find: 'batchers.startSearch(search), seenRevisions(scope))',
        replace: 'batchers.startSearch(search), () => [])',
      },
      {
        find: "(pages) => pages.map(({ revision }, n) => [owners[n]?.datasetId ?? '', revision])",
        replace: '() => []',
      },
    ],
  },
  {
    file: 'src/catalog/snapshot-reader.ts',
    tests: ['test/catalog/snapshot-reader.test.ts'],
    mutants: [
      { find: 'attempt && hasSameRights(caller, await identify())', replace: 'attempt' },
      { find: 'second.key === first.key && ', replace: '' },
      { find: ' && second.key.grants.every(isSameThen)', replace: '' },
      { find: 'expiresAt > second.now', replace: 'expiresAt > first.now' },
      { find: 'await identify(snapshot)', replace: 'await identify()' },
      { find: 'changeFeed.latest() === undefined ? undefined : ', replace: '' },
      { find: 'ended.readLog.isOneState ? ended : undefined', replace: 'ended' },
      { find: 'await readDatasetList(snapshot)', replace: 'await currentList()' },
      { find: 'await changeFeed.announced()', replace: '' },
      { find: "'RepeatableRead'", replace: "'ReadCommitted'", needsServer: true },
      {
        find: 'LOCK TABLE items, images, code_labels, datasets, item_counts, tile_counts, tile_category_counts IN ACCESS SHARE MODE',
        replace: 'LOCK TABLE datasets IN ACCESS SHARE MODE',
        needsServer: true,
      },
      { find: '!isConflict(error) || remaining === 0', replace: 'remaining >= 0' },
      { find: 'MAX_TRANSACTIONS - 1', replace: '0' },
      {
        find: 'isUpToDate() ? changeFeed.latest() : undefined',
        replace: 'changeFeed.latest()',
      },
      { find: 'find(({ isUpToDate }) => isUpToDate())', replace: 'find(() => true)', tests: REPLICAS },
      { find: 'ended?.readLog.hasFailed', replace: 'false', needsServer: true },
      { find: 'hasFailed, isFailure)', replace: 'hasFailed, () => false)', needsServer: true },
    ],
  },
  {
    file: 'src/catalog/catalog.ts',
    tests: ['test/rest/contract.test.ts', 'test/graphql/connection.test.ts'],
    mutants: [
      { find: '.filter((dataset) => this.#mayAccess(dataset))', replace: '.filter(() => true)' },
      {
        find: 'datasets(): Dataset[] {\n    this.#readLog.dependOnAll()',
        replace: 'datasets(): Dataset[] {',
        tests: STALE_READS,
      },
      { find: 'if (!this.#mayAccess(dataset)) throw accessDenied()', replace: '' },
      {
        find: 'this.#mayAccess(this.datasetOf(found)) ? found.json : null',
        replace: 'found.json',
        tests: ['test/server/hidden-content.test.ts'],
      },
      {
        find: 'Promise<CatalogNode | null> {\n    this.#readLog.dependOnAll()',
        replace: 'Promise<CatalogNode | null> {',
        tests: STALE_READS,
      },
      {
        find: "if (dataset) return this.#mayAccess(dataset) ? { type: 'Dataset', ...dataset } : null",
        replace: "if (dataset) return { type: 'Dataset', ...dataset }",
      },
      {
        find: 'await this.#loaders.items.load(projection, id.toLowerCase())',
        replace: 'await this.#loaders.items.load(projection, id)',
        tests: LETTERS,
      },
      { find: 'this.#findNode(id.toLowerCase())', replace: 'this.#findNode(id)', tests: LETTERS },
      { find: 'idOrSlug.toLowerCase()', replace: 'idOrSlug', tests: LETTERS },
      {
        find: 'parent !== undefined || parentItemId === null',
        replace: 'parent !== undefined',
        tests: ['test/graphql/query.test.ts', 'test/graphql/selection.property.test.ts'],
      },
    ],
  },
  {
    file: 'src/catalog/snapshot/loaders.ts',
    tests: ['test/graphql/query.test.ts'],
    mutants: [
      { find: '`${JSON.stringify(rest)} ${', replace: '`${JSON.stringify({ ...rest, offset: 0 })} ${' },
      { find: '(rest)} ${projectionKey(projection)}`', replace: '(rest)}`' },
    ],
  },
]
