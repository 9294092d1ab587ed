import { isDeepStrictEqual } from 'node:util'

/** A JSON object of the OpenAPI document. */
export type Json = Record<string, unknown>

/** An OpenAPI document. */
export interface OpenApi extends Json {
  info: Json
  tags: Json[]
  paths: Record<string, Json>
  /** By kind and name. */
  components: Record<string, Record<string, Json>>
}

/** A reference to a component. */
export function refTo(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}

/** Adds a schema under a name to the document, and returns a reference to it. */
export type DefineSchema = (name: string, schema: Json) => Json

/** The named schemas of a document, and the function that adds one. It throws a TypeError if another schema has the name. */
export function collectSchemas(schemas: Record<string, Json>) {
  const define: DefineSchema = (name, schema) => {
    const known = schemas[name]
    if (known && !isDeepStrictEqual(known, schema)) throw new TypeError(`Two different schemas have the name ${name}`)
    schemas[name] = schema
    return refTo('schemas', name)
  }
  return { schemas, define }
}

/** The schema of an object. All its members are always present, except the `optional` ones. */
export function objectOf(properties: Record<string, Json>, description = '', optional: readonly string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return {
    type: 'object',
    ...(description && { description }),
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
  }
}
