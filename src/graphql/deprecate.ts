import { type GraphQLSchema, resolveSchemaCoordinate } from 'graphql'
import { DEPRECATIONS, type Deprecations, deprecationReason } from '../deprecations.ts'

/**
 * Marks the deprecated fields, arguments, values and input fields of a schema, which then has them as `@deprecated`.
 * @throws TypeError for a coordinate that the schema lacks
 */
export function deprecate(schema: GraphQLSchema, deprecations: Deprecations = DEPRECATIONS): GraphQLSchema {
  for (const [coordinate, deprecation] of Object.entries(deprecations)) {
    if (!coordinate.startsWith('/')) partAt(schema, coordinate).deprecationReason = deprecationReason(deprecation)
  }
  return schema
}

function partAt(schema: GraphQLSchema, coordinate: string): { deprecationReason?: string | null | undefined } {
  const found = resolveSchemaCoordinate(schema, coordinate)
  if (found?.kind === 'Field') return found.field
  if (found?.kind === 'FieldArgument') return found.fieldArgument
  if (found?.kind === 'InputField') return found.inputField
  if (found?.kind === 'EnumValue') return found.enumValue
  throw new TypeError(`The schema has no ${coordinate}`)
}
