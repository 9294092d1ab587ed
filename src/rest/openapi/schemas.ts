import {
  type FieldNode,
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
import { schema } from '../../graphql/schema.ts'
import type { RestRoute } from '../routes.ts'
import { EXAMPLES } from './examples.ts'

/*
 * The JSON Schema of a route's response (2020-12, which OpenAPI 3.1 uses). The route's GraphQL operation gives the members, the
 * GraphQL schema their types and descriptions.
 */

type Json = Record<string, unknown>

/** A field of the schema, and its node in the operation. */
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

/** The schema of an envelope: as in envelope.ts, the nodes of a list are `data`, and its other members `meta`. */
export function envelopeOf(type: GraphQLOutputType, node: FieldNode): Json {
  const { nodes, ...meta } = membersOf(type, node.selectionSet)
  return nodes
    ? objectOf({ data: nodes, meta: objectOf(meta) })
    : objectOf({ data: objectOf(membersOf(type, node.selectionSet)), meta: objectOf({}) })
}

/** The schema of a FeatureCollection: as in geojson.ts, a node's coordinates are the geometry, its other members the properties. */
export function featuresOf(type: GraphQLOutputType, { selectionSet }: FieldNode): Json {
  const nodes = selectionSet && fieldsOf(selectionSet).find(({ name }) => name.value === 'nodes')
  const page = getNamedType(type)
  const items = isObjectType(page) ? page.getFields().nodes : undefined
  if (!nodes || !items) throw new TypeError('Only a list can become a FeatureCollection')
  const {
    id = {},
    latitude: _latitude,
    longitude: _longitude,
    ...properties
  } = membersOf(items.type, nodes.selectionSet)
  const { nodes: _nodes, ...meta } = membersOf(type, selectionSet)
  const coordinates = {
    type: 'array',
    description: 'Longitude and latitude, in degrees.',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
  }
  const feature = objectOf({
    type: { const: 'Feature' },
    id,
    geometry: objectOf({ type: { const: 'Point' }, coordinates }),
    properties: objectOf(properties),
  })
  return objectOf({
    type: { const: 'FeatureCollection' },
    features: { type: 'array', items: feature },
    meta: objectOf(meta),
  })
}

function objectOf(properties: Record<string, Json>): Json {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

function membersOf(type: GraphQLOutputType, set: SelectionSetNode | undefined): Record<string, Json> {
  const parent = getNamedType(type)
  if (!isObjectType(parent) || !set) throw new TypeError(`${parent.name} has no members`)
  const members: Record<string, Json> = {}
  for (const node of fieldsOf(set)) {
    const field = parent.getFields()[node.name.value]
    if (!field) throw new TypeError(`${parent.name} has no ${node.name.value}`)
    // REST puts the distance among the members of a nearby item.
    if (parent.name === 'NearbyItem' && node.name.value === 'item')
      Object.assign(members, membersOf(field.type, node.selectionSet))
    else members[node.name.value] = describe(schemaOf(field.type, node), node.name.value, field.description)
  }
  return members
}

function describe(schema: Json, name: string, description: string | null | undefined): Json {
  const hasExample = Object.hasOwn(EXAMPLES, name) && !schema.properties && !schema.items
  return { ...schema, description: description ?? '', ...(hasExample && { examples: [EXAMPLES[name]] }) }
}

function schemaOf(type: GraphQLOutputType, node: FieldNode): Json {
  if (isNonNullType(type)) return presentSchemaOf(type.ofType, node)
  const value = presentSchemaOf(type, node)
  return { ...value, type: [value.type, 'null'] }
}

function presentSchemaOf(type: GraphQLOutputType, node: FieldNode): Json {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, node) }
  if (isObjectType(type)) return objectOf(membersOf(type, node.selectionSet))
  // REST writes enum values in lower case.
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ value }) => value) }
  const scalar = SCALARS[getNamedType(type).name]
  if (!scalar) throw new TypeError(`${type} has no JSON Schema`)
  return scalar
}

const SCALARS: Readonly<Record<string, Json>> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,7})?$' },
  JSONObject: { type: 'object' },
}

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.filter((selection) => selection.kind === Kind.FIELD)
}
