import { type GraphQLArgument, getNamedType } from 'graphql'
import { z } from 'zod'
import { ERROR_CODES } from '../../errors.ts'
import { GEOJSON } from '../geojson.ts'
import { pathTemplate, REST_ROUTES, type RestRoute } from '../routes.ts'
import { PARAMETER_EXAMPLES } from './examples.ts'
import {
  ACCESS_CODES,
  COMMON_CODES,
  DOCUMENTED_CODES,
  ERROR,
  errorResponse,
  HEADERS,
  headers,
  PROBLEM,
  SUCCESS_HEADERS,
} from './responses.ts'
import { envelopeOf, featuresOf, resourceOf } from './schemas.ts'

/*
 * The OpenAPI 3.1 document of the /v1 routes, generated from the routes. The GraphQL operation of a route gives the members of its
 * response and their descriptions. The schema that parses its parameters gives their bounds.
 */

type Json = Record<string, unknown>

/** The OpenAPI document as an object. */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dataset Catalog',
      version: '1',
      description:
        'Datasets of places, and a search for places near a point. Each response contains only what the API key may access. ' +
        '`/graphql` gives the same data, in any combination.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Datasets', description: 'Collections of places.' },
      { name: 'Items', description: 'Places of the datasets.' },
    ],
    paths: Object.fromEntries(REST_ROUTES.map((route) => [pathTemplate(route.path), { get: operationOf(route) }])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key. `catalog keys create` prints it.' },
      },
      headers: HEADERS,
      schemas: { Error: ERROR, Problem: PROBLEM },
      responses: Object.fromEntries(DOCUMENTED_CODES.map((code) => [code, errorResponse(code)])),
    },
  }
}

function operationOf(route: RestRoute): Json {
  const { field, node } = resourceOf(route)
  const pathParameters = Object.entries(route.pathParameters)
  const mayBeDenied = pathParameters.length > 0 || Object.hasOwn(route.query.shape, 'datasetId')
  const codes = [...COMMON_CODES, ...(mayBeDenied ? ACCESS_CODES : [])]
  const isPaged = Object.hasOwn(route.query.shape, 'page')
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: field.description ?? '',
    parameters: [...pathParameters.map(pathParameter), ...queryParameters(route, field.args)],
    responses: {
      200: {
        description: field.description ?? '',
        headers: headers(...SUCCESS_HEADERS, ...(isPaged ? ['Link'] : [])),
        content: {
          'application/json': { schema: envelopeOf(field.type, node) },
          ...(route.features && { [GEOJSON]: { schema: featuresOf(field.type, node) } }),
        },
      },
      304: { description: 'The client has the current version.', headers: headers('X-Request-Id', 'ETag') },
      ...Object.fromEntries(codes.map((code) => [ERROR_CODES[code], { $ref: `#/components/responses/${code}` }])),
    },
  }
}

function pathParameter([name, description]: [string, string]): Json {
  const example = PARAMETER_EXAMPLES[name]
  return { name, in: 'path', required: true, description, example, schema: { type: 'string' } }
}

/** The route's schema gives the bounds of a parameter, the GraphQL argument its description and default. */
function queryParameters({ query }: RestRoute, args: readonly GraphQLArgument[]): Json[] {
  const { properties: parsed = {}, required = [] } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { properties: unparsed = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.keys(query.shape).map((name) => {
    const arg = args.find((candidate) => candidate.name === name)
    const type = arg && getNamedType(arg.type).name
    const bounds = parsed[name]
    const isNumber = typeof bounds === 'object' && bounds.type === 'number'
    const domain = isNumber ? { ...bounds, ...(type === 'Int' && { type: 'integer' }) } : unparsed[name]
    const defaultValue = arg?.default?.value ?? arg?.defaultValue
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description: arg?.description ?? '',
      example: PARAMETER_EXAMPLES[name],
      schema: {
        ...(typeof domain === 'object' && domain),
        ...(defaultValue !== undefined && { default: defaultValue }),
      },
    }
  })
}
