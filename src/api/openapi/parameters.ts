import { GraphQLFloat, GraphQLInt, getNamedType } from 'graphql'
import { z } from 'zod'
import { scalarSchema } from '../../graphql/json-schema.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import type { RestRoute } from '../rest/routes.ts'
import components from './components.json' with { type: 'json' }
import type { Json } from './components.ts'
import examples from './examples.json' with { type: 'json' }

const MEMBERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = examples.members
const PARAMETERS: Readonly<Record<string, unknown>> = examples.parameters

/** The example of a member of a GraphQL type, from the sample data; undefined for objects and lists. */
export function memberExample(type: string, member: string): unknown {
  return MEMBERS[type]?.[member]
}

/** The example of a parameter, which finds something in the sample data. That of a filter is the value of the example item. */
export function parameterExample(name: string): unknown {
  return PARAMETERS[name] ?? memberExample('Item', name)
}

/** The parameters that are not as their GraphQL arguments, or have none. In a URL, null is the text `null`. */
const EXCEPTIONS: Readonly<Record<string, { description: string; schema?: Json }>> = components.parameters

/** What GraphQL says of a parameter. */
type Described = Pick<Parameter, 'name' | 'type' | 'argumentDescription' | 'defaultValue'>

/**
 * The parameters of a route. The schema that parses the query string gives their bounds, the variables of the operation their
 * descriptions and defaults.
 */
export function parametersOf(
  { pathParameters, query }: Pick<RestRoute, 'pathParameters' | 'query'>,
  variables: readonly Described[],
): Json[] {
  const { properties: parsed = {}, required = [] } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { properties: unparsed = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const schemaOf = (name: string, variable: Described | undefined): Json => {
    const bounds = parsed[name]
    const type = variable && getNamedType(variable.type)
    const isNumber = type === GraphQLInt || type === GraphQLFloat
    const domain = isNumber && typeof bounds === 'object' ? { ...bounds, ...scalarSchema(type) } : unparsed[name]
    const { defaultValue } = variable ?? {}
    return {
      ...(typeof domain === 'object' && domain),
      ...(defaultValue !== undefined && { default: defaultValue }),
    }
  }
  const queryParameter = (name: string): Json => {
    const variable = variables.find((candidate) => candidate.name === name)
    const { description = variable?.argumentDescription ?? '', schema = schemaOf(name, variable) } =
      EXCEPTIONS[name] ?? {}
    const example = parameterExample(name)
    return { name, in: 'query', required: required.includes(name), description, example, schema }
  }
  return [...Object.entries(pathParameters).map(pathParameter), ...Object.keys(query.shape).map(queryParameter)]
}

function pathParameter([name, description]: [string, string]): Json {
  const example = parameterExample(name)
  return { name, in: 'path', required: true, description, example, schema: { type: 'string' } }
}
