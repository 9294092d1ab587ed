import { writeFile } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { messageOf, operationFailed } from '../errors/errors.ts'
import type { Dialect, SourceFile } from '../rows/formats/dialect.ts'
import { formatOf } from '../rows/formats/readers.ts'
import type { Inference } from '../rows/inference.ts'
import type { Columns, ItemFile } from '../rows/manifest.ts'
import type { CheckedFile } from './check-file.ts'
import { settleColumns } from './check-file.ts'
import { detectDialect, inferSheet } from './detect-dialect.ts'
import { evidenceOf } from './evidence.ts'
import { type GuessedColumns, guessColumns } from './guess-columns.ts'
import { exchangePosition, guessSampleCrs } from './guess-crs.ts'
import { inferAxes } from './infer-axes.ts'
import { inferCodes, inferIdentity } from './infer-fields.ts'
import { findUnread, readSample } from './read-sample.ts'
import { slugOf } from './slug.ts'

/** A manifest that was written, and facts about the file. */
export interface InitializedManifest extends Pick<GuessedColumns, 'missing' | 'repeatedKey'> {
  columns: Columns
  manifest: string
  /** How the file is written, where it has no default. */
  dialect: Dialect
  /** All that the file does not prove. */
  inferences: Inference[]
  /** What a column with both coordinates has, if it can't be read. */
  unread: string | undefined
  /** The report of an import. */
  checked: CheckedFile
}

/**
 * Finds out how a file of items is written, and writes a manifest with guessed columns. The dataset is a restricted draft.
 * @param output is the path of the manifest; by default it is beside the file
 * @throws `OPERATION_FAILED` when the manifest exists already, or the file can't be read or has no rows
 */
export async function initManifest(path: string, output?: string): Promise<InitializedManifest> {
  const base = basename(path).replace(formatOf({ name: path, path, dialect: {} }).ending, '')
  const manifest = output ?? `${dirname(path)}/${base}.json`
  const slug = slugOf(base)
  const { file, ...found } = await examine(path, slug)
  // A title as people write one: "Bus stops" of bus_stops.csv.
  const name = base.charAt(0).toUpperCase() + base.slice(1).replaceAll('_', ' ')
  const dataset = {
    ...{ slug, name, description: null, status: 'draft', visibility: 'restricted', accessTier: null },
    attribution: `Source of ${basename(path)}`,
  }
  const entry = { file: relative(dirname(manifest), path), ...file.dialect, columns: file.columns }
  await writeFile(manifest, `${JSON.stringify({ dataset, items: [entry] }, null, 2)}\n`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST')
        throw operationFailed(`${manifest} exists already; choose another name with --output`)
      throw operationFailed(`${manifest} can't be written: ${messageOf(error)}`, error)
    },
  )
  return { manifest, ...found }
}

/** Finds out all about a file. */
async function examine(
  path: string,
  category: string,
): Promise<Omit<InitializedManifest, 'manifest'> & { file: ItemFile }> {
  const plain: SourceFile = { name: path, path, dialect: {} }
  const members = formatOf(plain).dialect
  const isText = members.includes('encoding')
  const found = await (isText ? detectDialect(plain, members.includes('delimiter')) : inferSheet(plain))
  const { dialect: written } = found
  const { sample, inferences } = await readSample({ ...plain, dialect: written })
  const guessed = guessColumns(sample, category)
  const evidence = evidenceOf(path, sample)
  const { ownCrs } = sample
  const needsCrs = guessed.isProjected && ownCrs === undefined
  const guess = needsCrs ? guessSampleCrs(evidence, sample, guessed) : undefined
  const crs = ownCrs ?? guess?.code
  const dialect = {
    ...written,
    ...(sample.decimal && { decimal: sample.decimal }),
    ...(sample.empty && { empty: sample.empty }),
    ...(crs !== undefined && { crs }),
  }
  const [mapping, ...others] = guessed.mappings
  const mappings: GuessedColumns['mappings'] = guess?.isSwapped
    ? [exchangePosition(mapping), ...others.map(exchangePosition)]
    : guessed.mappings
  const unread = guessed.missing.includes('latitude') ? findUnread(sample) : undefined
  const { file, checked } = await settleColumns({ ...plain, dialect, isExact: false }, mappings)
  const { missing, repeatedKey } = guessed
  const columns = file.columns ?? {}
  const axes = crs === undefined ? inferAxes(columns, sample, evidence) : undefined
  const all = [
    ...found.inferences,
    ...inferences,
    guess?.inference,
    axes,
    ...inferIdentity(columns, sample, checked),
    ...inferCodes(columns, sample, checked),
  ].filter((each) => each !== undefined)
  return { file, columns, missing, repeatedKey, dialect, inferences: all, unread, checked }
}
