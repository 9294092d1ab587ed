import { type GraphQLArgument, GraphQLFloat, GraphQLInt, getNamedType } from 'graphql'
import { z } from 'zod'
import { scalarSchema } from '../../graphql/json-schema.ts'
import type { RestRoute } from '../routes.ts'
import type { Json } from './components.ts'
import { PARAMETER_EXAMPLES } from './examples.ts'

/** The parameters that are not as their GraphQL arguments. In a URL, null is the text `null`. */
const EXCEPTIONS: Readonly<Record<string, { description: string; schema: Json }>> = {
  parentItemId: {
    description: 'Return only children of the item with this UUID. The text `null` returns only root items.',
    schema: {
      anyOf: [
        { type: 'string', format: 'uuid' },
        { type: 'string', const: 'null' },
      ],
    },
  },
}

/**
 * The parameters of a route. The schema that parses the query string gives their bounds.
 * @param args are the GraphQL arguments with the same names; they give descriptions and defaults
 */
export function parametersOf({ pathParameters, query }: RestRoute, args: readonly GraphQLArgument[]): Json[] {
  const { properties: parsed = {}, required = [] } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { properties: unparsed = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const schemaOf = (name: string, arg: GraphQLArgument | undefined): Json => {
    const bounds = parsed[name]
    const type = arg && getNamedType(arg.type)
    const isNumber = type === GraphQLInt || type === GraphQLFloat
    const domain = isNumber && typeof bounds === 'object' ? { ...bounds, ...scalarSchema(type) } : unparsed[name]
    const defaultValue = arg?.default?.value ?? arg?.defaultValue
    return {
      ...(typeof domain === 'object' && domain),
      ...(defaultValue !== undefined && { default: defaultValue }),
    }
  }
  const queryParameter = (name: string): Json => {
    const arg = args.find((candidate) => candidate.name === name)
    const { description = arg?.description ?? '', schema = schemaOf(name, arg) } = EXCEPTIONS[name] ?? {}
    const example = PARAMETER_EXAMPLES[name]
    return { name, in: 'query', required: required.includes(name), description, example, schema }
  }
  return [...Object.entries(pathParameters).map(pathParameter), ...Object.keys(query.shape).map(queryParameter)]
}

function pathParameter([name, description]: [string, string]): Json {
  const example = PARAMETER_EXAMPLES[name]
  return { name, in: 'path', required: true, description, example, schema: { type: 'string' } }
}
