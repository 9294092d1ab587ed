import { randomUUID } from 'node:crypto'
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  extendSchema,
  type FieldNode,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import type { Catalog } from '../catalog/catalog.ts'
import type { Page } from '../catalog/page.ts'
import { type Fragments, fragmentsOf, markWritten, plainMembers, WRITTEN_FIELD } from './members.ts'
import { inOperationSpan } from './operation-span.ts'
import { schema } from './schema.ts'

/*
 * Pages whose items PostgreSQL writes as they go out. The executor would complete each field of each item, only for JSON to be
 * made of them again: half of what an answer takes. Where all that is asked of a page's items is plain (members.ts) they are
 * one leaf of the result, and what PostgreSQL wrote takes that leaf's place in the body.
 */

/** A valid document, ready to be executed. */
export type Executable = Pick<Parameters<typeof execute>[0], 'schema' | 'document'>

/** A result, and the way to print it, or a part of it, as JSON. */
export interface Executed {
  result: ExecutionResult
  print: (value: unknown) => string
}

interface WrittenContext {
  catalog: Catalog
  /** What was written, by the number of its place. */
  pieces: string[]
}

/** Nobody can guess it, so that it stands nowhere else. */
const PLACE = randomUUID()
const PLACES = new RegExp(`"${PLACE} (\\d+)"`, 'g')

/** The schema with a field that no client can ask for, as documents are validated against the one without. */
const writtenSchema = extendSchema(schema, parse(`scalar Written extend type ItemPage { ${WRITTEN_FIELD}: Written! }`))
const itemPage = writtenSchema.getType('ItemPage')
const writtenField = isObjectType(itemPage) ? itemPage.getFields()[WRITTEN_FIELD] : undefined
if (!writtenField) throw new TypeError('The schema has no pages of items')
writtenField.resolve = async (page: Page<unknown>, _args, { pieces }: WrittenContext) =>
  `${PLACE} ${pieces.push(await page.rawJson()) - 1}`

/** Prepares a valid document; its pages are written by PostgreSQL where they can be. */
export function prepare(document: DocumentNode): Executable {
  const fragments = fragmentsOf(document)
  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? { ...definition, selectionSet: rewrite(definition.selectionSet, fragments) }
      : definition,
  )
  return { schema: writtenSchema, document: { ...document, definitions } }
}

/** Executes a document on a catalog. */
export async function run(
  executable: Executable,
  catalog: Catalog,
  args: Pick<Parameters<typeof execute>[0], 'variableValues' | 'operationName'>,
): Promise<Executed> {
  const context: WrittenContext = { catalog, pieces: [] }
  const result = await inOperationSpan(args.operationName, async () =>
    execute({ ...executable, ...args, contextValue: context }),
  )
  const fill = (_place: string, number: string) => context.pieces[Number(number)] ?? 'null'
  return { result, print: (value) => JSON.stringify(value).replace(PLACES, fill) }
}

/** Below a fragment, or a name that stands twice, fields may be merged with others; what is there stays as it is. */
function rewrite(set: SelectionSetNode, fragments: Fragments): SelectionSetNode {
  const fields = distinctFields(set)
  return fields ? { ...set, selections: fields.map((field) => rewriteField(field, fragments)) } : set
}

function rewriteField(field: FieldNode, fragments: Fragments): FieldNode {
  if (!field.selectionSet) return field
  const selectionSet = rewrite(field.selectionSet, fragments)
  return { ...field, selectionSet: PAGES.has(field.name.value) ? writePage(selectionSet, fragments) : selectionSet }
}

/** The fields that are a page of items. */
const PAGES = new Set(['items', 'children'])

function writePage(set: SelectionSetNode, fragments: Fragments): SelectionSetNode {
  const fields = distinctFields(set)
  const [nodes, ...more] = fields?.filter((field) => field.name.value === 'nodes') ?? []
  const members = nodes?.selectionSet && plainMembers(nodes.selectionSet, fragments)
  if (!fields || !members || more.length > 0) return set
  const { selectionSet: _items, alias = nodes.name, ...rest } = nodes
  const written = markWritten({ ...rest, alias, name: { ...nodes.name, value: WRITTEN_FIELD } }, members)
  return { ...set, selections: fields.map((field) => (field === nodes ? written : field)) }
}

function distinctFields({ selections }: SelectionSetNode): FieldNode[] | undefined {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  const names = new Set(fields.map(({ alias, name }) => (alias ?? name).value))
  return names.size === selections.length ? fields : undefined
}
