import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isSlug, uuid } from '../catalog/arguments.ts'
import { columnName } from '../catalog/columns.ts'
import { isEmailAddress, isWebAddress } from '../config/contact.ts'
import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import { type RawNumber, tryExactJson } from '../json.ts'
import {
  codeLabel,
  jsonObject,
  LABELLED_FIELDS,
  type LabelSource,
  optionalText,
  text,
  timestamp,
} from './field-schemas.ts'
import { decodes, findUnicode } from './formats/encodings.ts'
import { readBytes, requireRegularFile } from './formats/read-text.ts'
import { type Dialect, dialectMembers, type SourceFile } from './formats/source.ts'
import { ROW_FIELDS } from './parse-item.ts'
import { describeIssues, ISSUE_OPTIONS } from './problem.ts'

/** Text of a form, or null for no value. */
function optionalForm(isValid: (value: string) => boolean, message: string) {
  return optionalText.refine((value) => value === null || isValid(value), message)
}

/** @see https://spdx.github.io/spdx-spec/v3.0.1/annexes/spdx-license-expressions/ */
const isSpdx = (value: string) => /^[A-Za-z0-9.-]{1,100}\+?$/.test(value)
const isDate = (value: string) => z.iso.date().safeParse(value).success

export const datasetFields = z.strictObject({
  id: uuid.optional(),
  slug: z.string().refine(isSlug, 'must be letters, digits and ._~- (at most 200), and not a UUID'),
  name: text,
  description: optionalText,
  status: z.enum(['draft', 'active', 'inactive', 'archived']),
  visibility: z.enum(['public', 'restricted', 'paid']),
  accessTier: optionalText,
  attribution: text,
  license: optionalForm(
    (value) => isSpdx(value) || isWebAddress(value),
    'must be an SPDX identifier, such as CC-BY-4.0, or a URL',
  ),
  publisher: optionalText,
  contact: optionalForm((value) => isEmailAddress(value) || isWebAddress(value), 'must be an e-mail address or a URL'),
  termsUrl: optionalForm(isWebAddress, 'must be a URL that begins with http:// or https://'),
  sourceUrl: optionalForm(isWebAddress, 'must be a URL that begins with http:// or https://'),
  sourceDate: optionalForm(isDate, 'must be a date, such as 2026-01-31'),
  updateFrequency: optionalText,
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
})

/** The columns of a dataset that each import sets. */
export const IMPORTED_COLUMNS = Object.keys(
  datasetFields.omit({ id: true, slug: true, createdAt: true, updatedAt: true }).shape,
).map(columnName)

export function columnsOf(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [columnName(field), value]))
}

const constant = z.union([z.string(), z.number(), z.custom<RawNumber>(JSON.isRawJSON), z.boolean(), z.null()])
/** Columns. The text of one with a type becomes a number. */
const list = z.array(z.union([z.string(), z.strictObject({ column: z.string(), type: z.literal('number') })]))
/** The first of several columns that has a value. */
const first = z.array(z.string()).min(1, 'must name at least one column')
const [minutes, seconds] = [z.string().optional(), z.string().optional()]
const hemisphere = z.union([z.string(), z.strictObject({ value: z.string() })]).optional()

/** The source of a field's value. A default is for the rows where the columns are empty. Several columns can be an angle, such as 37, 33, 58 and N. */
const source = z.union(
  [
    z.string(),
    z.strictObject({ value: constant }),
    z.strictObject({ template: z.string() }),
    z.strictObject({ column: z.string(), default: constant }),
    z.strictObject({ first, default: constant.optional() }),
    z.strictObject({ degrees: z.string(), minutes, seconds, hemisphere }),
    list,
  ],
  {
    error:
      'must be a column, {"value"}, {"template"}, {"column", "default"}, {"first": [...]}, for coordinates {"degrees", "minutes", "seconds", "hemisphere"}, for keywords a list of columns or, for extraAttributes, one of columns and of {"column", "type": "number"}',
  },
)

const columns = z.partialRecord(z.enum(ROW_FIELDS), source).superRefine((given, context) => {
  for (const [field, from] of Object.entries(given)) {
    const takesAngle = field === 'latitude' || field === 'longitude'
    const takesList = field === 'extraAttributes' || field === 'keywords'
    const isTyped = Array.isArray(from) && from.some((column) => typeof column === 'object')
    const messages = [
      ...(typeof from === 'object' && 'degrees' in from && !takesAngle ? ['takes no degrees'] : []),
      ...(Array.isArray(from) && !takesList ? ['takes no list of columns'] : []),
      ...(field === 'keywords' && isTyped ? ['must be a list of columns'] : []),
    ]
    for (const message of messages) context.addIssue({ code: 'custom', path: [field], message })
  }
})

const itemFile = z.strictObject(
  { file: z.string(), columns: columns.optional(), exact: z.boolean().default(false), ...dialectMembers },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must be a file name, or { "file", "columns" }' : undefined) },
)

/** A list of files, or one file. A file without columns may be given by its name alone. */
const itemFiles = z.preprocess(
  (items) =>
    items === undefined
      ? items
      : [items].flat().map((item: unknown) => (typeof item === 'string' ? { file: item } : item)),
  z.array(itemFile),
)

const LABEL_COLUMNS = { code: 'code', label: 'label' }

/** Whether a text in an object of labels is the file of all of them. */
const isFileName = (text: unknown) => typeof text === 'string' && /\.[a-z][a-z0-9]{1,9}$/i.test(text)

/** The labels of a field's codes: a file, a file with its columns or how it is written, or an object with a label for each code. */
const labels = z.union(
  [
    z.string().transform((file) => ({ file, columns: LABEL_COLUMNS })),
    z
      .strictObject({
        ...{ file: z.string(), columns: z.strictObject({ code: z.string(), label: z.string() }).optional() },
        ...{ encoding: dialectMembers.encoding, delimiter: dialectMembers.delimiter, sheet: dialectMembers.sheet },
      })
      .refine(({ file, columns }) => columns !== undefined || isFileName(file))
      .transform(({ columns = LABEL_COLUMNS, ...file }) => ({ ...file, columns })),
    jsonObject
      .refine((given) => !isFileName(given.file))
      .transform((given): unknown => Object.entries(given).map(([code, label]) => ({ code, label })))
      .pipe(z.array(codeLabel))
      .transform((labels) => ({ labels })),
  ],
  { error: 'must be a file, { "file", "columns": { "code", "label" } }, or an object with a label for each code' },
)

const manifest = z.strictObject({
  dataset: datasetFields,
  items: itemFiles,
  labels: z.partialRecord(z.enum(LABELLED_FIELDS), labels).optional(),
})

export type ColumnSource = z.output<typeof source>
export type Columns = z.output<typeof columns>
export type ManifestDataset = z.output<typeof datasetFields>

export interface ItemFile extends SourceFile {
  columns: Columns | undefined
  /** Whether an empty string is a value, and nothing is derived from images. */
  isExact: boolean
}

/** Maximum length in characters. Memory holds a whole manifest, and a small .gz can unpack to gigabytes. */
const MAX_LENGTH = 10_000_000

export interface Manifest {
  dataset: ManifestDataset
  files: ItemFile[]
  labels: LabelSource[]
}

/** Reads the text of a manifest. @throws `OPERATION_FAILED` with a line for each wrong member, or if the text is too long */
export function parseManifest(path: string, content: string): Manifest {
  if (content.length > MAX_LENGTH) throw operationFailed(`${path}: is longer than ${MAX_LENGTH} characters`)
  const json = tryExactJson(content)
  if ('reason' in json) throw operationFailed(`${path}: is not JSON: ${json.reason}`)
  const parsed = manifest.safeParse(json.value, ISSUE_OPTIONS)
  if (!parsed.success) {
    throw operationFailed(
      describeIssues(parsed.error).map((line) => `${path}: ${line}`),
      parsed.error,
    )
  }
  const { dataset, items, labels = {} } = parsed.data
  const located = (file: string, dialect: Dialect = {}) => ({ name: file, path: resolve(dirname(path), file), dialect })
  return {
    dataset,
    files: items.map(({ file, columns, exact: isExact, ...dialect }) => ({
      ...located(file, dialect),
      columns,
      isExact,
    })),
    labels: LABELLED_FIELDS.flatMap((field): LabelSource[] => {
      const given = labels[field]
      if (given === undefined) return []
      if ('labels' in given) return [{ field, ...given }]
      const { file, columns, ...dialect } = given
      return [{ field, ...located(file, dialect), columns }]
    }),
  }
}

/** A character has at most this number of bytes in UTF-8 and UTF-16. */
const MAX_BYTES = 4 * MAX_LENGTH

/** Reads a manifest in an encoding of Unicode. @throws as `parseManifest`, and if the file can't be read or has another ending */
export async function readManifest(path: string): Promise<Manifest> {
  await requireRegularFile({ name: path, path })
  if (!/\.json(\.gz)?$/i.test(path)) {
    throw operationFailed(`${path}: is no manifest; to write one: npx catalog import init ${quoteForShell(path)}`)
  }
  const parts: Uint8Array[] = []
  let length = 0
  for await (const bytes of readBytes({ name: path, path, dialect: {} }, () => {})) {
    parts.push(bytes)
    length += bytes.length
    // The rest of the file is not read.
    if (length > MAX_BYTES) break
  }
  const bytes = Buffer.concat(parts)
  const content = decodes(bytes, findUnicode(bytes) ?? 'utf-8')
  if (content === undefined) throw operationFailed(`${path}: is not UTF-8; save it as UTF-8`)
  return parseManifest(path, content)
}
