import type { GraphQLNamedType } from 'graphql'

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
