import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { type ImportOptions, type ImportProblem, type ImportSummary, importManifest } from '../../src/import/import.ts'

export const DATASET = { slug: 'places', name: 'Places', status: 'active', visibility: 'public', attribution: 'Us' }

export type Files = Record<string, string | Buffer>

export interface Workshop {
  /** Writes files and a manifest over them (all of them, unless `items` says else), and imports it. */
  run: (
    files: Files,
    options?: Partial<ImportOptions> & { dataset?: object; items?: unknown },
  ) => Promise<ImportSummary>
  /** The same, for its failure: the message. */
  fail: (files: Files, options?: Parameters<Workshop['run']>[1]) => Promise<string>
  /** What was told of rows on the way of the last run. */
  told: { warnings: ImportProblem[]; skipped: ImportProblem[] }
  close: () => Promise<void>
}

/** A folder to make manifests in. */
export async function createWorkshop(database: Database): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-import-'))
  const told: Workshop['told'] = { warnings: [], skipped: [] }
  const run: Workshop['run'] = async (files, { dataset = {}, items, ...options } = {}) => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const manifest = {
      dataset: { ...DATASET, ...dataset },
      items: items ?? Object.keys(files).map((file) => ({ file })),
    }
    const path = join(folder, 'manifest.json')
    await writeFile(path, JSON.stringify(manifest))
    told.warnings = []
    told.skipped = []
    return importManifest(database, path, {
      keepMissing: false,
      skipInvalid: false,
      onWarning: (warning) => told.warnings.push(warning),
      onSkipped: (problem) => told.skipped.push(problem),
      ...options,
    })
  }
  return {
    run,
    told,
    fail: (files, options) =>
      run(files, options).then(
        (summary) => `loaded ${JSON.stringify(summary)}`,
        (error: Error) => error.message,
      ),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A good row, but for what is given. */
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
