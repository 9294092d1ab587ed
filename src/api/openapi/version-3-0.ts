import type { Json } from './components.ts'

/*
 * OpenAPI 3.0 for tools that don't read 3.1. The differences between the two versions are in
 * https://github.com/OAI/OpenAPI-Specification/releases/tag/3.1.0
 */

/** The same document in OpenAPI 3.0. It knows the keywords that this gateway's document contains. */
export function toOpenApi30(document: Json): Json {
  return { ...convertObject(document), openapi: '3.0.3' }
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  return isObject(value) ? convertObject(value) : value
}

function convertObject(object: Json): Json {
  const { $ref, ...siblings } = object
  // In 3.0 the siblings of a reference are ignored.
  if (typeof $ref === 'string' && Object.keys(siblings).length > 0) {
    return { allOf: [{ $ref }], ...convertObject(siblings) }
  }
  const members = Object.entries(object).flatMap(([name, value]) => Object.entries(convertMember(name, value)))
  return Object.fromEntries(members)
}

function convertMember(name: string, value: unknown): Json {
  switch (name) {
    case 'type': {
      // `type: [string, null]`; elsewhere `type` is a string, or the name of a member.
      const [type, alternative] = Array.isArray(value) ? value : [convert(value)]
      return { type, ...(alternative === 'null' && { nullable: true }) }
    }
    case 'anyOf':
      // A reference to an object, or null. `nullable` beside `allOf` would change nothing: all schemas must allow null.
      if (!Array.isArray(value) || !isObject(value[0]) || value[0].$ref === undefined) break
      return { anyOf: [value[0], { type: 'object', nullable: true, enum: [null] }] }
    case 'const':
      return { enum: [value] }
    case 'examples':
      // The examples of a schema. 3.0 has one for each schema.
      if (Array.isArray(value)) return { example: value[0] }
      break
    case 'example':
      // Data, which has no keywords.
      return { example: value }
    case 'identifier':
      // The SPDX identifier of the license.
      return {}
  }
  return { [name]: convert(value) }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
