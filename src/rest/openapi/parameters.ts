import { GraphQLFloat, GraphQLInt, getNamedType } from 'graphql'
import { z } from 'zod'
import { scalarSchema } from '../../graphql/json-schema.ts'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import type { RestRoute } from '../routes.ts'
import type { Json } from './components.ts'
import { PARAMETER_EXAMPLES } from './examples.ts'

/** The parameters that are not as their GraphQL arguments, or have none. In a URL, null is the text `null`. */
const EXCEPTIONS: Readonly<Record<string, { description: string; schema?: Json }>> = {
  parentItemId: {
    description: 'Return only children of the item with this UUID. The text `null` returns only root items.',
    schema: {
      anyOf: [
        { type: 'string', format: 'uuid' },
        { type: 'string', const: 'null' },
      ],
    },
  },
  shares: {
    description:
      'Each cluster gets the property `shares`: how many of its items have each category, or are of each dataset, as JSON text.',
  },
  flat: {
    description:
      'With `true`, each extra attribute has a column, such as `extraAttributes.builtYear`. By default they are JSON in one cell.',
  },
}

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
    const example = PARAMETER_EXAMPLES[name]
    return { name, in: 'query', required: required.includes(name), description, example, schema }
  }
  return [...Object.entries(pathParameters).map(pathParameter), ...Object.keys(query.shape).map(queryParameter)]
}

function pathParameter([name, description]: [string, string]): Json {
  const example = PARAMETER_EXAMPLES[name]
  return { name, in: 'path', required: true, description, example, schema: { type: 'string' } }
}
