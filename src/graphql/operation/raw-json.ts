import {
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
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
import { compactJson, placeholderFor } from './placeholders.ts'
import { fragmentsOf, projectItem, projectNearby, RAW_FLAT_NODES, RAW_NODES, rawItemOf } from './projection.ts'

/*
 * If a query selects only plain fields of a page's items, PostgreSQL writes the items as JSON. The leaf field `rawNodes` then
 * replaces the page's `nodes`; its value is PostgreSQL's text (placeholders.ts). In the same way, `rawItem` replaces `item`. This
 * saves half of the time of a response (test/bench): graphql-js does not complete each field of each item, and JSON.stringify
 * does not print them.
 */

/** A schema and the document to execute on it. */
export interface Executable {
  schema: GraphQLSchema
  document: DocumentNode
}

const rawSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** The schema with the raw fields. Documents are validated against the public schema, so clients can't select them. */
function rawSchemaOf(schema: GraphQLSchema): GraphQLSchema {
  const known = rawSchemas.get(schema)
  if (known) return known
  const rawSchema = extendSchema(schema, RAW_FIELDS)
  fieldOf(rawSchema, 'ItemPage', RAW_NODES).resolve = resolvePage
  fieldOf(rawSchema, 'NearbyItemPage', RAW_NODES).resolve = resolvePage
  fieldOf(rawSchema, 'NearbyItemPage', RAW_FLAT_NODES).resolve = resolvePage
  fieldOf(rawSchema, 'Query', 'rawItem').resolve = async (_query, { id }, context, info) =>
    placeholderOf(await context.catalog.rawItem(id, rawItemOf(info)), context, info)
  rawSchemas.set(schema, rawSchema)
  return rawSchema
}

const RAW_FIELDS = parse(`
  scalar RawJson
  extend type ItemPage { ${RAW_NODES}: RawJson! }
  extend type NearbyItemPage { ${RAW_NODES}: RawJson! ${RAW_FLAT_NODES}: RawJson! }
  extend type Query { rawItem(id: ID!): RawJson }
`)

const resolvePage: GraphQLFieldResolver<Page<unknown>, GraphQLContext> = async (page, _args, context, info) =>
  placeholderOf(await page.rawJson(), context, info)

// biome-ignore lint/suspicious/noExplicitAny: graphql-js has no types for the source and the arguments of a field
function fieldOf(schema: GraphQLSchema, typeName: string, name: string): GraphQLField<any, GraphQLContext> {
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  if (!field) throw new TypeError(`The schema has no field ${typeName}.${name}`)
  return field
}

/** The raw fields whose JSON contains a JSON column. Only there PostgreSQL writes spaces. */
const withJsonColumn = new WeakSet<FieldNode>()

function placeholderOf(text: string, { rawJson }: GraphQLContext, { fieldNodes: [node] }: GraphQLResolveInfo): string {
  return placeholderFor(node && withJsonColumn.has(node) ? compactJson(text) : text, rawJson)
}

/**
 * The document with `rawNodes` and `rawItem` in place of `nodes` and `item` wherever PostgreSQL can write them.
 * @param hasFlatNearby is whether the distance of a nearby item is a member of the item, as in REST
 */
export function withRawJson(document: DocumentNode, schema: GraphQLSchema, hasFlatNearby = false): Executable {
  const rawSchema = rawSchemaOf(schema)
  const fragments = fragmentsOf(document)
  const typeInfo = new TypeInfo(rawSchema)
  const rawItem: ToRaw = (set) => projectItem([set], fragments).rawJson
  const rawNearby: ToRaw = (set) => projectNearby([set], fragments, hasFlatNearby)
  const nearbyNodes = hasFlatNearby ? RAW_FLAT_NODES : RAW_NODES
  const leave = (field: FieldNode): FieldNode | undefined => {
    if (!field.selectionSet) return undefined
    const type = getNamedType(typeInfo.getType())?.name
    if (type === 'ItemPage') return withRawNodes(field, field.selectionSet, RAW_NODES, rawItem)
    if (type === 'NearbyItemPage') return withRawNodes(field, field.selectionSet, nearbyNodes, rawNearby)
    const isItem = typeInfo.getParentType()?.name === 'Query' && field.name.value === 'item'
    return isItem ? rawField(field, field.selectionSet, 'rawItem', rawItem) : undefined
  }
  const rewritten = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      // graphql-js merges fields that share a response name, and fragments may add such fields. Those parts stay unchanged.
      FragmentDefinition: () => false,
      SelectionSet: (set) => (hasDistinctFields(set) ? undefined : false),
      Field: { leave },
    }),
  )
  return { schema: rawSchema, document: rewritten }
}

/** The members that PostgreSQL writes for a selection; undefined if it can't write them. */
type ToRaw = (set: SelectionSetNode) => object | undefined

/** A page with a raw field instead of its `nodes`, if it has them once and PostgreSQL can write them. */
function withRawNodes(page: FieldNode, set: SelectionSetNode, name: string, toRaw: ToRaw): FieldNode | undefined {
  const nodes = set.selections.filter((selection) => selection.kind === Kind.FIELD && selection.name.value === 'nodes')
  const [field] = nodes
  if (nodes.length !== 1 || field?.kind !== Kind.FIELD || !field.selectionSet || !hasDistinctFields(set))
    return undefined
  const raw = rawField(field, field.selectionSet, name, toRaw)
  const selections = set.selections.map((selection) => (selection === field && raw ? raw : selection))
  return { ...page, selectionSet: { ...set, selections } }
}

/** The raw field with the same name in the response, if PostgreSQL can write it. */
function rawField(field: FieldNode, set: SelectionSetNode, name: string, toRaw: ToRaw): FieldNode | undefined {
  const members = toRaw(set)
  if (!members) return undefined
  const raw = { ...field, alias: field.alias ?? field.name, name: { ...field.name, value: name } }
  if (JSON.stringify(members).includes('"extraAttributes"')) withJsonColumn.add(raw)
  return raw
}

/** Whether a selection set holds only fields, each with a different response name. */
function hasDistinctFields({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size === selections.length
}
