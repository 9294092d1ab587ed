import { isObjectType } from 'graphql'
import { EXPORT_FIELDS } from '../../catalog/columns.ts'
import type { ItemFilter } from '../../catalog/filters.ts'
import { schema } from '../../graphql/schema.ts'
import { type JsonSchema, schemaOf } from '../openapi/json-schema.ts'

/*
 * The JSON Schema of a feature's properties, in OpenAPI 3.1. The GraphQL schema has the types and descriptions.
 */

/** The schema of the values of a filter, which are never null, with the description of its field. */
export function describeFilter(filter: ItemFilter): JsonSchema {
  return describeField('Item', filter, true)
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

function describeField(parent: string, name: string, isPresent?: boolean): JsonSchema {
  const field = fieldsOf(parent)[name]
  if (!field) throw new TypeError(`${parent} has no ${name}`)
  return { description: field.description ?? '', ...schemaOf(field.type, objectSchema, isPresent) }
}

function objectSchema({ name: parent }: { name: string }): JsonSchema {
  const names = Object.keys(fieldsOf(parent))
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, describeField(parent, name)])) }
}

function fieldsOf(name: string) {
  const type = schema.getType(name)
  return isObjectType(type) ? type.getFields() : {}
}
