import { writeFile } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { messageOf, operationFailed } from '../../errors.ts'
import type { Dialect, SourceFile } from '../formats/dialect.ts'
import { formatOf, readRows } from '../formats/readers.ts'
import type { Fields } from '../formats/source-row.ts'
import type { Inference } from '../inference.ts'
import type { Columns, ItemFile } from '../manifest.ts'
import { findReferenceSystem } from '../reference-system.ts'
import { textOf, withNested } from '../row/column-mapping.ts'
import { describeCoordinate } from '../row/coordinate-text.ts'
import { type CheckedFile, checkFile } from './check-file.ts'
import { matches, NAMES, PROJECTED_NAMES } from './column-names.ts'
import { detectDialect } from './detect-dialect.ts'
import { type GuessedColumns, guessColumns, readNumber, type Sample } from './guess-columns.ts'
import { type GuessedCrs, guessCrs } from './guess-crs.ts'
import { inferAxes } from './infer-axes.ts'
import { inferCodes } from './infer-codes.ts'
import { inferDecimal } from './infer-decimal.ts'

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

/** Number of rows on which the guesses are based. */
const SAMPLE_ROWS = 5_000

/**
 * Finds out how a file of items is written, and writes a manifest with guessed columns. The dataset is a restricted draft.
 * @param output is the path of the manifest; by default it is beside the file
 * @throws `OPERATION_FAILED` when the manifest exists already, or the file can't be read or has no rows
 */
export async function initManifest(path: string, output?: string): Promise<InitializedManifest> {
  const base = basename(path).replace(formatOf({ name: path, path, dialect: {} }).ending, '')
  const manifest = output ?? `${dirname(path)}/${base}.json`
  const slug =
    base
      .replace(/[^A-Za-z0-9._~]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 200) || 'dataset'
  const { file, ...found } = await examine(path, slug)
  const dataset = {
    ...{ slug, name: base, description: null, status: 'draft', visibility: 'restricted', accessTier: null },
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
  const found = isText ? await detectDialect(plain, members.includes('delimiter')) : { dialect: {}, inferences: [] }
  const { dialect: written } = found
  const { sample, inference: decimal, ownCrs } = await readSample({ ...plain, dialect: written })
  const guessed = guessColumns(sample, category)
  const needsCrs = guessed.isProjected && ownCrs === undefined
  const guess = needsCrs ? guessSampleCrs(path, sample, guessed) : undefined
  const crs = ownCrs ?? guess?.code
  const dialect = {
    ...written,
    ...(sample.decimal && { decimal: sample.decimal }),
    ...(crs !== undefined && { crs }),
  }
  const [mapping, ...others] = guessed.mappings
  const mappings: GuessedColumns['mappings'] = guess?.isSwapped
    ? [exchangePosition(mapping), ...others.map(exchangePosition)]
    : guessed.mappings
  const unread = guessed.missing.includes('latitude') ? findUnread(sample) : undefined
  const { file, checked } = await settle({ ...plain, dialect, isExact: false }, mappings)
  const { missing, repeatedKey } = guessed
  const columns = file.columns ?? {}
  const axes = crs === undefined ? inferAxes(columns, sample, checked.items[0]) : undefined
  const inferences = [...found.inferences, decimal, guess?.inference, axes, ...inferCodes(columns, checked)].filter(
    (each) => each !== undefined,
  )
  return { file, columns, missing, repeatedKey, dialect, inferences, unread, checked }
}

/** Checks all rows. Takes the next mapping if rows share an identity. */
async function settle(file: UnmappedFile, [first, ...others]: GuessedColumns['mappings']): Promise<Attempt> {
  let best = await attempt(file, first)
  for (const columns of others) {
    if (best.checked.repeated === 0) break
    const next = await attempt(file, columns)
    if (next.checked.repeated < best.checked.repeated) best = next
  }
  return best
}

type UnmappedFile = Omit<ItemFile, 'columns'>

interface Attempt {
  file: ItemFile
  checked: CheckedFile
}

/** Checks all rows with a mapping. Gives a default to codes that are empty. */
async function attempt(file: UnmappedFile, columns: Columns): Promise<Attempt> {
  const checked = await checkFile({ ...file, columns })
  const completed = { ...file, columns: withDefaults(columns, checked) }
  const { empty } = checked
  return { file: completed, checked: empty.size > 0 ? { ...(await checkFile(completed)), empty } : checked }
}

function withDefaults(columns: Columns, { empty }: CheckedFile): Columns {
  const completed = [...empty.keys()].flatMap((field) => {
    const column = columns[field]
    return typeof column === 'string' ? [[field, { column, default: 'unknown' }] as const] : []
  })
  return { ...columns, ...Object.fromEntries(completed) }
}

/** Returns a sentence about the first coordinates that are no numbers. */
function findUnread({ columns, rows }: Sample): string | undefined {
  for (const column of columns.filter(isPlaceName)) {
    const text = rows.map((row) => textOf(row[column])).find((each) => each.trim() !== '') ?? ''
    const what = describeCoordinate(text)
    if (what !== undefined)
      return `the column ${column} has ${text.slice(0, SHOWN)}, ${what}; write latitude and longitude into two columns, as numbers of degrees`
  }
  return undefined
}

/** Characters of a value that are shown. */
const SHOWN = 60

function isPlaceName(column: string): boolean {
  const patterns = [...(NAMES.latitude ?? []), ...(NAMES.longitude ?? []), ...Object.values(PROJECTED_NAMES)]
  return patterns.some((pattern) => matches(pattern, column))
}

/** Rows whose text may name a country. */
const TEXT_ROWS = 100
const TEXT_LENGTH = 500

function guessSampleCrs(
  path: string,
  { columns, rows, decimal }: Sample,
  { mappings: [{ latitude, longitude }] }: GuessedColumns,
): GuessedCrs | undefined {
  if (typeof latitude !== 'string' || typeof longitude !== 'string') return undefined
  const points = rows
    .map((row) => ({
      x: readNumber(textOf(row[longitude]), { field: 'longitude', decimal, areMetres: true }),
      y: readNumber(textOf(row[latitude]), { field: 'latitude', decimal, areMetres: true }),
    }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && x !== 0 && y !== 0)
  const text = rows
    .slice(0, TEXT_ROWS)
    .flatMap((row) => columns.map((column) => textOf(row[column]).slice(0, TEXT_LENGTH)))
  return guessCrs(
    { names: [...columns, basename(path)], text: text.join(' '), columns: { latitude, longitude } },
    points,
  )
}

function exchangePosition({ latitude, longitude, ...columns }: Columns): Columns {
  return { ...columns, ...(longitude && { latitude: longitude }), ...(latitude && { longitude: latitude }) }
}

/** Reads the first rows, and the system that the file itself names, if it is not that of WGS 84. */
async function readSample(
  file: SourceFile,
): Promise<{ sample: Sample; inference: Inference | undefined; ownCrs: string | undefined }> {
  let ownCrs: string | undefined
  const rows: Fields[] = []
  for await (const row of readRows(file)) {
    if ('fields' in row) {
      rows.push(withNested(row.fields))
      ownCrs ??= row.crs === undefined ? undefined : findReferenceSystem(row.crs)?.code
    }
    if (rows.length >= SAMPLE_ROWS) break
  }
  if (rows.length === 0) throw operationFailed(`${file.name}: has no rows to guess the columns from`)
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const { decimal, inference } = inferDecimal(rows, columns.filter(isPlaceName))
  const sample = { columns, rows, decimal }
  return { sample, inference, ownCrs: ownCrs === 'EPSG:4326' ? undefined : ownCrs }
}
