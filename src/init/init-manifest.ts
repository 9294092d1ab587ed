import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { messageOf, operationFailed, shorten } from '../errors/errors.ts'
import { columnMapping, columnsOfField, textOf } from '../rows/column-mapping.ts'
import { type CodeLabel, LABELLED_FIELDS } from '../rows/field-schemas.ts'
import { formatOf } from '../rows/formats/readers.ts'
import type { Dialect, SourceFile } from '../rows/formats/source.ts'
import type { Columns, ItemFile } from '../rows/manifest.ts'
import type { Choice } from './choice.ts'
import { findColumns } from './columns.ts'
import { detectDialect, detectSheet } from './dialect.ts'
import { findPosition } from './position.ts'
import { readSample, type Sample } from './sample.ts'
import { slugOf } from './slug.ts'
import { type CheckedRows, surveyRows } from './survey.ts'
import { findSystem, type System } from './systems.ts'
import { findCountry, type Located, locate } from './where.ts'

/** All that was taken from a file. */
export interface Proposal extends Pick<System, 'question' | 'systems'>, Omit<CheckedRows, 'places'> {
  file: string
  format: string
  /** How the file is written, where it has no default. */
  dialect: Dialect
  /** How the file is read, with the defaults. */
  read: Dialect
  columns: Columns
  /** A real value of each field. */
  values: Partial<Record<keyof Columns, string>>
  /** The columns that name the codes of a field. */
  labels: Partial<Record<CodeLabel['field'], { column: string; value: string }>>
  choices: Choice[]
  /** Texts with letters beyond ASCII, which show whether the encoding is right. */
  texts: string[]
  /** The required fields that no column has. */
  missing: string[]
  /** The columns that are no field of an item but extra attributes. */
  unused: { column: string; value: string }[]
  places: Located[]
  /** The path of the manifest; undefined if none was written, as fields are missing. */
  manifest: string | undefined
  /** False if the manifest was there before. */
  isWritten: boolean
}

const MAX_VALUE_LENGTH = 60
export const WGS_84 = 'EPSG:4326'
/** It is no system, so an import asks for it. */
export const UNKNOWN_SYSTEM = 'EPSG:…'

/**
 * Shows how a file of items would be read, and writes a manifest that says so. The dataset is a restricted draft.
 * @param output is the path of the manifest; by default it is beside the file
 * @param country is the one whose reference systems are listed, for coordinates that are no degrees. The manifest may be there already then
 * @throws `OPERATION_FAILED` when the manifest exists already, the country does not, or the file can't be read or has no rows
 */
export async function initManifest(path: string, output?: string, country?: string): Promise<Proposal> {
  if (country !== undefined && !(await findCountry(country)))
    throw operationFailed(
      `--country ${country} is no country; give a code of ISO 3166-1, such as NZ, or an English name`,
    )
  const base = basename(path).replace(formatOf({ name: path, path, dialect: {} }).ending, '')
  const manifest = output ?? join(dirname(path), `${base}.json`)
  const slug = slugOf(base)
  // A title as people write one: "Bus stops" of bus_stops.csv.
  const title = base.charAt(0).toUpperCase() + base.slice(1).replaceAll('_', ' ')
  const proposal = await propose(path, slug, country)
  if (proposal.missing.length > 0) return proposal
  const { dialect, columns } = proposal
  const file = relative(dirname(manifest), path)
  const labels = labelsOf(proposal, file, { [slug]: title })
  const content = {
    dataset: {
      slug,
      name: title,
      description: null,
      status: 'draft',
      visibility: 'restricted',
      accessTier: null,
      attribution: `Source of ${basename(path)}`,
    },
    items: [{ file, ...dialect, columns }],
    ...(Object.keys(labels).length > 0 && { labels }),
  }
  const isWritten = country === undefined || !existsSync(manifest)
  if (isWritten) await write(manifest, content)
  return { ...proposal, manifest, isWritten }
}

/** The labels of codes: from the column beside the codes, or a title for a code that all items have. */
function labelsOf({ dialect, columns, labels }: Proposal, file: string, titles: Record<string, string>) {
  const { encoding, delimiter, sheet } = dialect
  const written = { file, ...(encoding && { encoding }), ...(delimiter && { delimiter }), ...(sheet && { sheet }) }
  const labelled = LABELLED_FIELDS.flatMap((field): [CodeLabel['field'], object][] => {
    const [label, code] = [labels[field], columns[field]]
    if (label !== undefined) return [[field, { ...written, columns: { code, label: label.column } }]]
    const isTitled = typeof code === 'object' && 'value' in code && Object.hasOwn(titles, textOf(code.value))
    return isTitled ? [[field, titles]] : []
  })
  return Object.fromEntries(labelled)
}

async function write(manifest: string, content: object): Promise<void> {
  await writeFile(manifest, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST')
        throw operationFailed(`${manifest} exists already; choose another name with --output`)
      throw operationFailed(`${manifest} can't be written: ${messageOf(error)}`, error)
    },
  )
}

async function propose(path: string, category: string, country: string | undefined): Promise<Proposal> {
  const plain: SourceFile = { name: path, path, dialect: {} }
  const { name: format, dialect: members } = formatOf(plain)
  const found = await (members.includes('encoding')
    ? detectDialect(plain, members.includes('delimiter'))
    : detectSheet(plain))
  const given = await readSample({ ...plain, dialect: found.dialect })
  const { sample, empty, ownCrs } = given
  const position = await findPosition(sample, ownCrs !== undefined)
  const system = await findSystem(path, sample, position, { ownCrs, country })
  const { columns, choices } = findColumns(sample, system.columns, category)
  const crs = system.crs ?? (position.areMetres ? UNKNOWN_SYSTEM : undefined)
  const dialect = {
    ...found.dialect,
    ...(position.decimal && { decimal: position.decimal }),
    ...(empty && { empty }),
    ...(crs && { crs }),
  }
  const file = { ...plain, dialect, isExact: false }
  const { columns: complete, named, labels, texts, checked } = await surveyRows(file, sample, columns)
  const missing = ['name', 'latitude', 'longitude'].filter((field) => !Object.hasOwn(complete, field))
  if (!named) missing.push('externalId')
  const canRead = missing.length === 0 && crs !== UNKNOWN_SYSTEM
  const exampleOf = (column: string) => ({ column, value: sample.example(column) })
  const { extraAttributes } = complete
  return {
    file: path,
    format,
    dialect,
    read: {
      ...(members.includes('encoding') && { encoding: 'utf-8' }),
      ...(members.includes('delimiter') && { delimiter: ',' }),
      decimal: '.',
      crs: WGS_84,
      ...dialect,
    },
    columns: complete,
    values: valuesOf({ ...file, columns: complete }, sample),
    labels: Object.fromEntries(labels.map(({ field, label }) => [field, exampleOf(label)])),
    choices: [found, given, position, system, named, { choices }].flatMap((each) => each?.choices ?? []),
    texts,
    unused: (Array.isArray(extraAttributes) ? extraAttributes : [])
      .filter((column) => typeof column === 'string')
      .map(exampleOf),
    missing,
    ...(system.question !== undefined && { question: system.question }),
    ...(system.systems && { systems: system.systems }),
    ...(canRead ? checked : { rows: checked.rows, bad: [], warnings: [] }),
    badRows: (canRead ? checked.badRows : 0) + (named?.identity.repeated ?? 0),
    places: canRead ? await locate(checked.places) : [],
    manifest: undefined,
    isWritten: false,
  }
}

/** The first value of each field, as the columns have it. */
function valuesOf(file: ItemFile, sample: Sample): Proposal['values'] {
  const { columns = {} } = file
  const rows = sample.rows.slice(0, 100).map(columnMapping(file))
  const textFor = (field: string) => {
    if (field === 'latitude' || field === 'longitude')
      return columnsOfField(columns, field)
        .map((column) => sample.texts(column)[0] ?? '')
        .join(' ')
    const texts = rows.map(({ [field]: value }) =>
      Array.isArray(value) ? value.flatMap((each) => each ?? []).join('; ') : textOf(value).trim(),
    )
    return texts.find((text) => text !== '') ?? ''
  }
  const fields = Object.keys(columns).filter((field) => field !== 'extraAttributes')
  return Object.fromEntries(fields.map((field) => [field, shorten(textFor(field), MAX_VALUE_LENGTH)]))
}
