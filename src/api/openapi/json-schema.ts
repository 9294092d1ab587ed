import {
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLNullableOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** A JSON Schema (2020-12, which OpenAPI 3.1 uses). */
export type JsonSchema = Readonly<Record<string, unknown>>

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,7})?$' },
  JSONObject: { type: 'object', additionalProperties: true },
}

/** The schema of a scalar. @throws TypeError if it has none */
export function scalarSchema({ name }: GraphQLNamedType): JsonSchema {
  const scalar = SCALARS[name]
  if (!scalar) throw new TypeError(`${name} has no JSON Schema`)
  return scalar
}

/** Gives the schema of an object or an enum. */
type SchemaOfNamed = (type: GraphQLObjectType | GraphQLEnumType) => JsonSchema

/**
 * The schema of the values of a type.
 * @param isPresent whether null is no value, though the type has it
 */
export function schemaOf(type: GraphQLOutputType, ofNamed: SchemaOfNamed, isPresent = isNonNullType(type)): JsonSchema {
  const present = presentSchemaOf(getNullableType(type), ofNamed)
  if (isPresent) return present
  return present.$ref ? { anyOf: [present, { type: 'null' }] } : { ...present, type: [present.type, 'null'] }
}

function presentSchemaOf(type: GraphQLNullableOutputType, ofNamed: SchemaOfNamed): JsonSchema {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, ofNamed) }
  return isObjectType(type) || isEnumType(type) ? ofNamed(type) : scalarSchema(type)
}
