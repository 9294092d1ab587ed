import {
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { enumWords } from '../../graphql/enum-words.ts'
import { scalarSchema } from '../../graphql/json-schema.ts'
import { schema } from '../../graphql/schema.ts'
import type { RestRoute } from '../routes.ts'
import { type DefineSchema, type Json, objectOf } from './components.ts'
import { exampleOf } from './examples.ts'

/*
 * The members of a route's response as JSON Schema (2020-12, which OpenAPI 3.1 uses). The route's GraphQL operation gives their
 * names, the GraphQL schema their types and descriptions.
 */

/** A field of the GraphQL schema, and its node in the operation. */
export interface Resource {
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

/** The route's resource in its operation. */
export function resourceOf({ operation, resource }: RestRoute): Resource {
  const [definition] = parse(operation).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('The route has no operation')
  return follow(schema.getQueryType(), definition.selectionSet, resource)
}

function follow(type: unknown, set: SelectionSetNode | undefined, [name, ...rest]: readonly string[]): Resource {
  const node = set && fieldsOf(set).find((candidate) => candidate.name.value === name)
  const field = isObjectType(type) && name !== undefined ? type.getFields()[name] : undefined
  if (!node || !field) throw new TypeError(`The operation has no ${name}`)
  return rest.length === 0 ? { field, node } : follow(getNullableType(field.type), node.selectionSet, rest)
}

/** The types of an item with its distance. */
const WITH_DISTANCE: readonly string[] = ['NearbyItem', 'FoundItem']

/** The members that REST leaves out where GraphQL has null, by GraphQL type. */
export const OPTIONAL_MEMBERS: Readonly<Record<string, readonly string[]>> = { FoundItem: ['distance'] }

/** The members that an operation selects of a type, by name, in the order of the response. */
export function membersOf(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  define: DefineSchema,
): Record<string, Json> {
  const parent = getNamedType(type)
  if (!isObjectType(parent) || !set) throw new TypeError(`${parent.name} has no members`)
  const members: Record<string, Json> = {}
  for (const node of fieldsOf(set)) {
    const name = node.name.value
    const field = parent.getFields()[name]
    if (!field) throw new TypeError(`${parent.name} has no ${name}`)
    // REST puts the distance among the members of the item.
    if (WITH_DISTANCE.includes(parent.name) && name === 'item') {
      Object.assign(members, membersOf(field.type, node.selectionSet, define))
      continue
    }
    const example = exampleOf(parent.name, name)
    members[name] = {
      ...(OPTIONAL_MEMBERS[parent.name]?.includes(name) ? presentSchemaOf : schemaOf)(field.type, node, define),
      description: field.description ?? '',
      ...(example !== undefined && { examples: [example] }),
    }
  }
  return members
}

/** The selection set of a field of a selection set. */
export function fieldOf({ field, node }: Resource, name: string): Resource {
  return follow(getNullableType(field.type), node.selectionSet, [name])
}

function schemaOf(type: GraphQLOutputType, node: FieldNode, define: DefineSchema): Json {
  if (isNonNullType(type)) return presentSchemaOf(type.ofType, node, define)
  const value = presentSchemaOf(type, node, define)
  return value.$ref ? { anyOf: [value, { type: 'null' }] } : { ...value, type: [value.type, 'null'] }
}

function presentSchemaOf(type: GraphQLOutputType, node: FieldNode, define: DefineSchema): Json {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, node, define) }
  if (isObjectType(type)) {
    const isDataset = type.name === 'Dataset'
    const hasId = isDataset && node.selectionSet && fieldsOf(node.selectionSet).some(({ name }) => name.value === 'id')
    const name = isDataset ? `Dataset${hasId ? 'Address' : 'Reference'}` : type.name
    return define(name, objectOf(membersOf(type, node.selectionSet, define), type.description ?? ''))
  }
  if (isEnumType(type)) return define(type.name, enumOf(type))
  return scalarSchema(getNamedType(type))
}

function enumOf(type: GraphQLEnumType): Json {
  const values = type.getValues()
  const meanings = values.map(({ value, description }) => `- \`${value}\`: ${description}`).join('\n')
  return {
    type: 'string',
    description: `${type.description}\n\n${meanings}`,
    enum: enumWords(type),
  }
}

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.filter((selection) => selection.kind === Kind.FIELD)
}
