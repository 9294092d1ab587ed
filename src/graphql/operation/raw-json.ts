import {
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Page } from '../../catalog/page.ts'
import type { GraphQLContext } from '../builder.ts'
import { placeholderFor } from './placeholders.ts'
import { type Fragments, fragmentsOf, projectItem, RAW_NODES } from './projection.ts'

/*
 * If a query selects only plain fields of a page's items, PostgreSQL writes the items as JSON. The leaf field `rawNodes` then
 * replaces the page's `nodes`; its value is PostgreSQL's text (placeholders.ts). This saves half of the time of a response
 * (test/bench): graphql-js does not complete each field of each item, and JSON.stringify does not print them.
 */

/** A schema and the document to execute on it. */
export interface Executable {
  schema: GraphQLSchema
  document: DocumentNode
}

const rawSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** The schema with `rawNodes`. Documents are validated against the public schema, so clients can't select this field. */
function rawSchemaOf(schema: GraphQLSchema): GraphQLSchema {
  const known = rawSchemas.get(schema)
  if (known) return known
  const rawSchema = extendSchema(schema, parse(`scalar RawJson extend type ItemPage { ${RAW_NODES}: RawJson! }`))
  const itemPage = rawSchema.getType('ItemPage')
  const rawNodes = isObjectType(itemPage) ? itemPage.getFields()[RAW_NODES] : undefined
  if (!rawNodes) throw new TypeError('The schema has no type ItemPage')
  rawNodes.resolve = async (page: Page<unknown>, _args, { rawJson }: GraphQLContext) =>
    placeholderFor(await page.rawJson(), rawJson)
  rawSchemas.set(schema, rawSchema)
  return rawSchema
}

/** The document with `rawNodes` in place of `nodes` wherever PostgreSQL can write them. */
export function withRawJson(document: DocumentNode, schema: GraphQLSchema): Executable {
  const rawSchema = rawSchemaOf(schema)
  const fragments = fragmentsOf(document)
  const typeInfo = new TypeInfo(rawSchema)
  const rewritten = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      // graphql-js merges fields that share a response name, and fragments may add such fields. Those parts stay unchanged.
      FragmentDefinition: () => false,
      SelectionSet: (set) => (hasDistinctFields(set) ? undefined : false),
      Field: {
        leave: (field) =>
          field.selectionSet && getNamedType(typeInfo.getType())?.name === 'ItemPage'
            ? { ...field, selectionSet: withRawNodes(field.selectionSet, fragments) }
            : undefined,
      },
    }),
  )
  return { schema: rawSchema, document: rewritten }
}

function withRawNodes(set: SelectionSetNode, fragments: Fragments): SelectionSetNode {
  const nodes = set.selections.filter((selection) => selection.kind === Kind.FIELD && selection.name.value === 'nodes')
  const [field] = nodes
  if (nodes.length !== 1 || field?.kind !== Kind.FIELD || !field.selectionSet || !hasDistinctFields(set)) return set
  if (!projectItem([field.selectionSet], fragments).rawJson) return set
  const alias = field.alias ?? field.name
  const raw: FieldNode = { ...field, alias, name: { ...field.name, value: RAW_NODES } }
  return { ...set, selections: set.selections.map((selection) => (selection === field ? raw : selection)) }
}

/** Whether a selection set holds only fields, each with a different response name. */
function hasDistinctFields({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size === selections.length
}
