import { getNamedType, isListType, isNonNullType, isObjectType } from 'graphql'
import { EXPORT_FIELDS } from '../catalog/columns.ts'
import type { ItemFilter } from '../catalog/filters.ts'
import { type JsonSchema, scalarSchema } from '../graphql/json-schema.ts'
import { schema } from '../graphql/schema.ts'

/*
 * The JSON Schema of a feature's properties, in OpenAPI 3.1. The GraphQL schema has the types and descriptions.
 */

/** The schema of the values of a filter, which are never null, with the description of its field. */
export function describeFilter(filter: ItemFilter): JsonSchema {
  const { type, ...schema } = describeField('Item', filter)
  return { ...schema, type: Array.isArray(type) ? type[0] : type }
}

/** The schema of the properties of a feature. */
export function propertiesSchema(): JsonSchema {
  const names = EXPORT_FIELDS.filter((name) => name !== 'latitude' && name !== 'longitude')
  return {
    type: 'object',
    required: [...names],
    properties: Object.fromEntries(names.map((name) => [name, describeField('Item', name)])),
  }
}

function describeField(parent: 'Item' | 'Image', name: string): JsonSchema {
  const type = schema.getType(parent)
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  if (!field) throw new TypeError(`${parent} has no ${name}`)
  const present = isNonNullType(field.type) ? field.type.ofType : field.type
  const description = field.description ?? ''
  const named = getNamedType(present)
  if (isListType(present)) {
    return { description, type: 'array', items: isObjectType(named) ? imageSchema() : scalarSchema(named) }
  }
  const scalar = scalarSchema(named)
  return { description, ...scalar, ...(!isNonNullType(field.type) && { type: [scalar.type, 'null'] }) }
}

function imageSchema(): JsonSchema {
  const type = schema.getType('Image')
  const names = isObjectType(type) ? Object.keys(type.getFields()) : []
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, describeField('Image', name)])) }
}
