import { randomUUID } from 'node:crypto'
import {
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
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
import type { ItemProjection, Members } from '../../catalog/projection.ts'
import type { GraphQLContext } from '../builder.ts'
import { fragmentsOf, membersOfFound, membersOfItem, projectionFor, setProjection } from './selected-fields.ts'

/*
 * If a query selects only plain fields of a page's items, PostgreSQL writes the items as JSON. The leaf field `rawNodes` then
 * replaces the page's `nodes`; its value is PostgreSQL's text. In the same way, `rawItem` replaces `item`. This
 * saves half of the time of a response (test/bench): graphql-js does not complete each field of each item, and JSON.stringify
 * does not print them.
 */

/** The form of a list's nodes: of GraphQL, of REST, where the distance is a member of the item, or features of GeoJSON. */
export type NodeForm = 'graphql' | 'rest' | 'geojson'

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
  for (const type of ['ItemPage', 'NearbyItemPage', 'FoundItemPage'])
    fieldOf(rawSchema, type, 'rawNodes').resolve = resolvePage
  fieldOf(rawSchema, 'Query', 'rawItem').resolve = async (_query, { id }, context, info) =>
    placeholderOf(await context.catalog.itemJson(id, projectionFor(info)), context)
  rawSchemas.set(schema, rawSchema)
  return rawSchema
}

const RAW_FIELDS = parse(`
  scalar RawJson
  extend type ItemPage { rawNodes: RawJson! }
  extend type NearbyItemPage { rawNodes: RawJson! }
  extend type FoundItemPage { rawNodes: RawJson! }
  extend type Query { rawItem(id: ID!): RawJson }
`)

const resolvePage: GraphQLFieldResolver<Page, GraphQLContext> = async (page, _args, context) =>
  placeholderOf(await page.json(), context)

// biome-ignore lint/suspicious/noExplicitAny: graphql-js has no types for the source and the arguments of a field
function fieldOf(schema: GraphQLSchema, typeName: string, name: string): GraphQLField<any, GraphQLContext> {
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  if (!field) throw new TypeError(`The schema has no field ${typeName}.${name}`)
  return field
}

/** Only around the values of the JSON column PostgreSQL writes spaces. */
function placeholderOf(text: string, { rawJson }: GraphQLContext): string {
  return placeholderFor(text.includes('"extraAttributes"') ? compactJson(text) : text, rawJson)
}

/**
 * The document with `rawNodes` and `rawItem` in place of `nodes` and `item` wherever PostgreSQL can write them.
 */
export function withRawJson(document: DocumentNode, schema: GraphQLSchema, form: NodeForm = 'graphql'): Executable {
  const rawSchema = rawSchemaOf(schema)
  const fragments = fragmentsOf(document)
  const typeInfo = new TypeInfo(rawSchema)
  const ofItem: ToProjection = (set) => projectionOf(membersOfItem([set], fragments), form)
  const ofFound: ToProjection = (set) => projectionOf(membersOfFound([set], fragments, form !== 'graphql'), form)
  const leave = (field: FieldNode): FieldNode | undefined => {
    if (!field.selectionSet) return undefined
    const type = getNamedType(typeInfo.getType())?.name
    if (type === 'ItemPage') return withRawNodes(field, field.selectionSet, ofItem)
    // In GraphQL, a search without a point has a distance that is null, which PostgreSQL does not write.
    if (type === 'NearbyItemPage' || (type === 'FoundItemPage' && form !== 'graphql'))
      return withRawNodes(field, field.selectionSet, ofFound)
    const isItem = typeInfo.getParentType()?.name === 'Query' && field.name.value === 'item'
    return isItem ? rawField(field, field.selectionSet, 'rawItem', ofItem) : undefined
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

/** What PostgreSQL writes for a selection; undefined if it can't write it. */
type ToProjection = (set: SelectionSetNode) => ItemProjection | undefined

/** The members of GeoJSON that are not properties. */
const GEOMETRY: readonly unknown[] = ['id', 'latitude', 'longitude']

function projectionOf(members: Members | undefined, form: NodeForm): ItemProjection | undefined {
  if (form !== 'geojson') return members && { members, form: 'json' }
  return members && { members: members.filter((member) => !GEOMETRY.includes(member)), form: 'features' }
}

/** A page with a raw field instead of its `nodes`, if it has them once and PostgreSQL can write them. */
function withRawNodes(page: FieldNode, set: SelectionSetNode, toProjection: ToProjection): FieldNode | undefined {
  const nodes = set.selections.filter((selection) => selection.kind === Kind.FIELD && selection.name.value === 'nodes')
  const [field] = nodes
  if (nodes.length !== 1 || field?.kind !== Kind.FIELD || !field.selectionSet || !hasDistinctFields(set))
    return undefined
  const raw = rawField(field, field.selectionSet, 'rawNodes', toProjection)
  const selections = set.selections.map((selection) => (selection === field && raw ? raw : selection))
  return { ...page, selectionSet: { ...set, selections } }
}

/** The raw field with the same name in the response, if PostgreSQL can write it. */
function rawField(
  field: FieldNode,
  set: SelectionSetNode,
  name: string,
  toProjection: ToProjection,
): FieldNode | undefined {
  const projection = toProjection(set)
  if (!projection) return undefined
  const raw = { ...field, alias: field.alias ?? field.name, name: { ...field.name, value: name } }
  setProjection(raw, projection)
  return raw
}

/** Whether a selection set holds only fields, each with a different response name. */
function hasDistinctFields({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size === selections.length
}

/*
 * JSON text from PostgreSQL goes into the response without being parsed. Parsing and printing take time, and they change the
 * order of keys and numbers of more than 15 digits. The result contains a placeholder, which `printJson` replaces with the text.
 */

/** Clients can't guess it, so it occurs nowhere else in a response. */
const PLACEHOLDER = randomUUID()
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER} (\\d+)"`, 'g')
const OBJECT_PLACEHOLDERS = new RegExp(`\\{"${PLACEHOLDER} (\\d+)":true\\}`, 'g')

/** Adds JSON text to the list `rawJson`, and returns its placeholder. */
export function placeholderFor(text: string, rawJson: string[]): string {
  return `${PLACEHOLDER} ${rawJson.push(text) - 1}`
}

/** The same for an object. Some protocols take no text in its place. */
export function placeholderObject(text: string, rawJson: string[]): object {
  return { [placeholderFor(text, rawJson)]: true }
}

/** It never backtracks and needs no callback for each string, so it takes a third of the time. */
const STRING_OR_SPACE = /("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g

/** JSON text without spaces outside of strings, as `JSON.stringify` writes it. PostgreSQL puts one after each colon and comma. */
export function compactJson(text: string): string {
  return text.replace(STRING_OR_SPACE, '$1')
}

/** Prints a result, or a part of it, as JSON. It replaces each placeholder with its text from `rawJson`. */
export function printJson(value: object, rawJson: readonly string[]): string {
  return replaceAll(PLACEHOLDERS, JSON.stringify(value), rawJson)
}

/** Replaces each placeholder of an object in JSON text. */
export function insertObjects(json: string, rawJson: readonly string[]): string {
  return replaceAll(OBJECT_PLACEHOLDERS, json, rawJson)
}

function replaceAll(placeholders: RegExp, json: string, rawJson: readonly string[]): string {
  const [only] = rawJson
  if (only === undefined) return json
  if (rawJson.length === 1) {
    // Most responses have one text. To replace it by its place takes a third of the time.
    const found = placeholders.exec(json)
    placeholders.lastIndex = 0
    return found ? json.slice(0, found.index) + only + json.slice(found.index + found[0].length) : json
  }
  return json.replace(placeholders, (_, index: string) => rawJson[Number(index)] ?? 'null')
}
