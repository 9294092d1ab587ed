import { writeFile } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { messageOf, operationFailed } from '../../errors.ts'
import { readRows } from '../formats/readers.ts'
import type { Fields } from '../formats/source-row.ts'
import type { Columns } from '../manifest.ts'
import { guessColumns, type Sample } from './guess-columns.ts'

/** A manifest that was written, and what it could not guess. */
export interface InitializedManifest {
  manifest: string
  columns: Columns
  /** The required fields without a source. */
  missing: string[]
}

/** Number of rows on which the guesses are based. */
const SAMPLE_ROWS = 5_000

/**
 * Looks at the first rows of a file of items, and writes a manifest with guessed columns. The dataset is a restricted draft.
 * @param output is the path of the manifest; by default it is beside the file
 * @throws `OPERATION_FAILED` when the manifest exists already, or the file can't be read or has no rows
 */
export async function initManifest(path: string, output?: string): Promise<InitializedManifest> {
  const base = basename(path).replace(/\.(csv|ndjson|geojson)(\.gz)?$/i, '')
  const manifest = output ?? `${dirname(path)}/${base}.json`
  const slug =
    base
      .replace(/[^A-Za-z0-9._~]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 200) || 'dataset'
  const { columns, missing } = guessColumns(await readSample(path), slug)
  const dataset = {
    ...{ slug, name: base, description: null, status: 'draft', visibility: 'restricted', accessTier: null },
    attribution: `Source of ${basename(path)}`,
  }
  const file = relative(dirname(manifest), path)
  const text = JSON.stringify({ dataset, items: [{ file, columns }] }, null, 2)
  await writeFile(manifest, `${text}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw operationFailed(`${manifest} exists already; choose another name with --output`)
    throw operationFailed(`${manifest} can't be written: ${messageOf(error)}`, error)
  })
  return { manifest, columns, missing }
}

async function readSample(path: string): Promise<Sample> {
  const rows: Fields[] = []
  for await (const row of readRows({ name: path, path, dialect: {} })) {
    if ('fields' in row) rows.push(row.fields)
    if (rows.length >= SAMPLE_ROWS) break
  }
  if (rows.length === 0) throw operationFailed(`${path}: has no rows to guess the columns from`)
  return { columns: [...new Set(rows.flatMap(Object.keys))], rows }
}
