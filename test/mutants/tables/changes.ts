import type { MutantTable } from '../mutant.ts'

/** The feed of changes, the requests that wait for one, and copies. */
export const CHANGES: readonly MutantTable[] = [
  {
    file: 'prisma/migrations/20261128000000_catalog/migration.sql',
    tests: ['test/changes/changes.test.ts'],
    mutants: [
      { find: 'ids := logged_among(ids, false);', replace: "ids := '{}';" },
      { find: "IF logged = '{}' THEN RETURN NULL; END IF;", replace: 'RETURN NULL;' },
      { find: 'UPDATE change_logs SET described_at = NEW.revision WHERE dataset_id = NEW.id;', replace: 'NULL;' },
      { find: 'PERFORM restart_logs(ARRAY[NEW.id]);', replace: 'NULL;' },
      // Without it the UPDATE locks the datasets, in any order.
      {
        find: '  PERFORM FROM datasets WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;\n',
        replace: '',
        tests: ['test/database/locks.test.ts'],
      },
    ],
  },
  {
    file: 'src/changes/page.ts',
    tests: ['test/changes/changes.test.ts'],
    mutants: [
      { find: 'datasetId !== dataset.id && catalog.exists(datasetId)', replace: 'false' },
      { find: ' || epoch !== dataset.epoch', replace: '' },
      { find: ' || position.revision > dataset.revision', replace: '' },
      { find: 'log.describedAt > position.revision', replace: 'false' },
      { find: 'isBefore(position, log.horizon)', replace: 'false' },
      { find: 'log.emptyFrom === null || position.revision < log.emptyFrom', replace: 'true' },
      {
        find: 'since: log.horizon',
        replace: 'since: dataset.revision',
      },
      { find: ' && since === dataset.revision', replace: '', tests: ['test/changes/copies.property.test.ts'] },
      { find: '? after(dataset.revision)', replace: '? position', tests: ['test/changes/changes.test.ts'] },
    ],
  },
  {
    file: 'src/changes/waiting.ts',
    tests: ['test/changes/changes.test.ts'],
    mutants: [
      { find: 'if (hasChanged()) end()', replace: 'end()' },
      { find: "throw refused('waiting')", replace: 'return' },
      { find: '    for (const { end } of this.#waiting) end()\n', replace: '' },
    ],
  },
  {
    file: 'src/mirror/collected.ts',
    tests: ['test/changes/mirror.test.ts'],
    mutants: [{ find: ' && !this.#others.has(id)', replace: '' }],
  },
  {
    file: 'src/mirror/follow.ts',
    tests: ['test/changes/mirror.test.ts'],
    mutants: [
      { find: 'collected = goesOn ?', replace: 'collected = false ?' },
      { find: 'cursor = goesOn?.cursor }', replace: 'cursor }' },
      { find: 'if (!known.has(id)) copy', replace: 'copy' },
    ],
  },
]
