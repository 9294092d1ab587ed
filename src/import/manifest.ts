import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isSlug, uuid } from '../catalog/arguments.ts'
import { messageOf, operationFailed } from '../errors.ts'
import { ITEM_FIELDS, optionalText, text, timestamp } from './row/field-schemas.ts'

const template = z.strictObject({ template: z.string() })
const constant = z.strictObject({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]) })

/** Where a field's value comes from: a column, a constant, a template, or (extraAttributes) several columns. */
const source = z.union([z.string(), constant, template, z.array(z.string())], {
  error: 'must be a column, {"value"}, {"template"} or, for extraAttributes, a list of columns',
})

const columns = z
  .partialRecord(z.enum(ITEM_FIELDS, 'is not a field of an item'), source)
  .superRefine((given, context) => {
    for (const [field, from] of Object.entries(given)) {
      if (Array.isArray(from) && field !== 'extraAttributes') {
        context.addIssue({ code: 'custom', path: [field], message: 'takes no list of columns' })
      }
    }
  })

/** A file alone stands for a list of one, and its name for the file. */
const itemFiles = z.preprocess(
  (items) =>
    (Array.isArray(items) ? items : [items]).map((item: unknown) => (typeof item === 'string' ? { file: item } : item)),
  z.array(z.strictObject({ file: z.string(), columns: columns.optional() })),
)

const manifest = z.strictObject({
  dataset: z.strictObject({
    id: uuid.optional(),
    slug: z.string().refine(isSlug, 'must be letters, digits and ._~- (at most 200), and not a UUID'),
    name: text,
    description: optionalText,
    status: z.enum(['draft', 'active', 'inactive', 'archived']),
    visibility: z.enum(['public', 'restricted', 'paid']),
    accessTier: optionalText,
    attribution: text,
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
  }),
  items: itemFiles,
})

export type ColumnSource = z.output<typeof source>
export type Columns = z.output<typeof columns>
export type ManifestDataset = z.output<typeof manifest>['dataset']

export interface ItemFile {
  /** As the manifest names it. */
  name: string
  path: string
  columns: Columns | undefined
}

/**
 * Reads a manifest.
 * @throws `OPERATION_FAILED` with a line for each member that is wrong.
 */
export async function readManifest(path: string): Promise<{ dataset: ManifestDataset; files: ItemFile[] }> {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw operationFailed(`${path}: can't be read: ${messageOf(error)}`, error)
  })
  const parsed = manifest.safeParse(parseJson(path, content))
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${path}: ${issue.path.join('.')} ${issue.message}`)
    throw operationFailed(lines.join('\n'), parsed.error)
  }
  const { dataset, items } = parsed.data
  const files = items.map(({ file, columns }) => ({ name: file, path: resolve(dirname(path), file), columns }))
  return { dataset, files }
}

function parseJson(path: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw operationFailed(`${path}: is not JSON: ${messageOf(error)}`, error)
  }
}
