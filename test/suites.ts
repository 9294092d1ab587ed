import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/*
 * Where each test file runs in CI. A file that no list names runs on both databases: each night, and with each change in-process files
 * on both and isolated ones on PostgreSQL.
 */

/** These use no database, a cluster of their own, or the embedded database in any case; or their commands print the same on both. */
export const ONLY_EMBEDDED = [
  'test/architecture.test.ts',
  'test/auth/explain-access.test.ts',
  'test/cli/{command-line,hostile-text}.test.ts',
  'test/clients/files.isolated.test.ts',
  'test/database/unreachable.test.ts',
  'test/documentation.test.ts',
  'test/embedded/*.isolated.test.ts',
  'test/graphql/schema.test.ts',
  'test/import/strange-files.isolated.test.ts',
  'test/init/*.test.ts',
  'test/mutants/mutants.isolated.test.ts',
  'test/ogc/gdal.isolated.test.ts',
  'test/package.isolated.test.ts',
  'test/rows/*.test.ts',
]

/** The processes of these do the same on both databases, and the files of `npm test` run the same SQL on both. */
export const ONLY_POSTGRES = [
  'test/browser/**/*.test.ts',
  'test/catalog/plans*.isolated.test.ts',
  'test/cli/{datasets,doctor,export,keys,move-catalog,processes.isolated}.test.ts',
  'test/fairness/unread.isolated.test.ts',
  'test/import/{bundle,exact-bundle,memory,real-data}.isolated.test.ts',
  'test/server/!(workers-embedded).isolated.test.ts',
]

/** These take long, and few changes break them. */
export const ONLY_AT_NIGHT = [
  'test/browser/{explorer-axe,explorer-languages,explorer-map-parts,explorer-parts}.test.ts',
  'test/embedded/crash.isolated.test.ts',
  'test/import/real-data.isolated.test.ts',
  'test/server/memory.isolated.test.ts',
]

/**
 * The files that a suite leaves out on a database. Each change runs an isolated file on one database, and the night on both.
 * @param suite `change` or `night`; without one, nothing is left out
 */
export function leftOut(suite: string | undefined, isServer: boolean): readonly string[] {
  if (suite === undefined) return []
  const other = isServer ? ONLY_EMBEDDED : ONLY_POSTGRES
  if (suite === 'night') return other
  const isolated = isServer ? [] : globSync('test/**/*.isolated.test.ts').filter((file) => !runsOnlyOnEmbedded(file))
  return [...other, ...ONLY_AT_NIGHT, ...isolated]
}

function runsOnlyOnEmbedded(file: string): boolean {
  return ONLY_EMBEDDED.some((pattern) => matchesGlob(file, pattern))
}
