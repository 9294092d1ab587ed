import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { type ImportOptions, type ImportSummary, importManifest } from '../../src/import/import.ts'
import { explainProblem, type FileProblem } from '../../src/rows/problem.ts'
import { duringTests, emptyOnClose, type TestDatabase, useDatabase } from './database.ts'

export const DATASET = { slug: 'places', name: 'Places', status: 'active', visibility: 'public', attribution: 'Us' }

export type Files = Record<string, string | Buffer>

/** Imports files in a temporary folder. */
export interface Importer {
  /** Writes the files and a manifest that names them, or names `items` instead, and has the labels of codes. Imports it. */
  run: (
    files: Files,
    options?: Partial<ImportOptions> & {
      dataset?: object
      items?: unknown
      labels?: unknown
      /** Whether files that were imported before are not read again. By default they are, so that tests compare their rows. */
      knowsLast?: boolean
    },
  ) => Promise<ImportSummary>
  /** Does the same, expects a failure, and returns the message of the error. */
  fail: (files: Files, options?: Parameters<Importer['run']>[1]) => Promise<string>
  /** The problems that the last run reported. */
  reported: { warnings: FileProblem[]; skipped: FileProblem[] }
  close: () => Promise<void>
}

/** A problem with its value in its reason. */
const inFull = ({ file, line, ...problem }: FileProblem): FileProblem => ({
  file,
  line,
  reason: explainProblem(problem),
})

/** Creates the temporary folder. `close` removes it. */
export async function createImporter(database: Database): Promise<Importer> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-import-'))
  const reported: Importer['reported'] = { warnings: [], skipped: [] }
  const run: Importer['run'] = async (files, { dataset = {}, items, labels, knowsLast = false, ...options } = {}) => {
    if (!knowsLast) await database.prisma.lastImport.deleteMany()
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const manifest = {
      dataset: { ...DATASET, ...dataset },
      items: items ?? Object.keys(files).map((file) => ({ file })),
      labels,
    }
    const path = join(folder, 'manifest.json')
    await writeFile(path, JSON.stringify(manifest))
    reported.warnings = []
    reported.skipped = []
    return importManifest(database, path, {
      keepMissing: false,
      skipInvalid: false,
      onWarning: (warning) => reported.warnings.push(inFull(warning)),
      onSkipped: (problem) => reported.skipped.push(inFull(problem)),
      ...options,
    })
  }
  return emptyOnClose({
    run,
    reported,
    fail: (files, options) =>
      run(files, options).then(
        (summary) => `loaded ${JSON.stringify(summary)}`,
        (error: Error) => error.message,
      ),
    close: () => rm(folder, { recursive: true, force: true }),
  })
}

/** Gives the tests of a file one database and an importer for it. Each test starts without datasets. */
export function useImporter(): { readonly db: TestDatabase; readonly importer: Importer } {
  const db = useDatabase()
  const importer = duringTests(() => createImporter(db.database))
  beforeEach(() => db.database.prisma.dataset.deleteMany())
  return { db, importer }
}

/** A valid row, with the given fields added or replaced. */
export const row = (more: object = {}) => ({
  externalId: 'a',
  name: 'A',
  administrativeAreaCode: '11',
  categoryCode: 'x',
  latitude: '37.5',
  longitude: '127',
  ...more,
})

/** Rows as NDJSON. */
export const ndjson = (...rows: object[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join('')

/** The columns of `csv`. */
export const HEADER = 'externalId,name,administrativeAreaCode,categoryCode,latitude,longitude'

/** Lines as CSV, with a header. */
export const csv = (...lines: string[]) => `${[HEADER, ...lines].join('\n')}\n`

/** Features as GeoJSON. */
export const collection = (...features: object[]) =>
  JSON.stringify({ type: 'FeatureCollection', features }, undefined, 1)

/** A feature with a point. */
export const point = (coordinates: number[], properties: object, more: object = {}) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates },
  properties,
  ...more,
})
