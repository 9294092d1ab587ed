import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql'
import { scalarSchema } from '../../graphql/json-schema.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import { enumWords } from '../../graphql/schema.ts'

type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
interface JsonObject {
  [member: string]: JsonValue
}

/** The JSON Schema (2020-12) of a tool's arguments. */
export interface InputSchema extends JsonObject {
  type: 'object'
  properties: JsonObject
  additionalProperties: false
}

/** The input schema of a tool. The descriptions have the bounds of numbers and lengths; the catalog checks them. */
export function inputSchemaOf(parameters: readonly Parameter[]): InputSchema {
  const properties = parameters.map(({ name, type, description, defaultValue, hasNull }): [string, JsonObject] => [
    name,
    {
      ...schemaOf(type),
      // Gemini refuses a list of types, and has this word of OpenAPI 3.0 for it, as Ajv does.
      ...(hasNull && { nullable: true }),
      ...(description !== undefined && { description }),
      ...(defaultValue !== undefined && { default: defaultValue }),
    },
  ])
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return objectOf(Object.fromEntries(properties), required)
}

function objectOf(properties: JsonObject, required: string[]): InputSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

function schemaOf(nullable: GraphQLInputType): JsonObject {
  const type = getNullableType(nullable)
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) }
  if (isEnumType(type)) return { type: 'string', enum: enumWords(type) }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const properties = fields.map((field): [string, JsonObject] => [
      field.name,
      { ...schemaOf(field.type), description: field.description ?? '' },
    ])
    return objectOf(
      Object.fromEntries(properties),
      fields.filter(isRequiredInputField).map(({ name }) => name),
    )
  }
  // Not its format: an ID may be a slug.
  return { type: String(scalarSchema(type).type) }
}
