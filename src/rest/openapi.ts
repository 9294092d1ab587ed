import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { z } from 'zod'
import { CatalogError, ERROR_CODES, type ErrorCode } from '../errors.ts'
import { schema } from '../graphql/schema.ts'
import { errorBody, PROBLEM as PROBLEM_TYPE } from './error-body.ts'
import { EXAMPLES, PARAMETER_EXAMPLES, REQUEST_ID_EXAMPLE } from './examples.ts'
import { GEOJSON } from './geojson.ts'
import { pathTemplate, REST_ROUTES, type RestRoute } from './routes.ts'

/*
 * The OpenAPI 3.1 document of the /v1 routes. It is made of what the routes are made of: the GraphQL operation of each tells the
 * members of its answer and what they mean, and the schema that parses its parameters tells their bounds.
 */

type Json = Record<string, unknown>

/** The OpenAPI document. */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dataset Catalog',
      version: '1',
      description:
        'Datasets of places, and what is near a point. Every answer is cut to what the API key may access. ' +
        'The same data composes freely at `/graphql`.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Datasets', description: 'What there is to read.' },
      { name: 'Items', description: 'The places in the datasets.' },
    ],
    paths: Object.fromEntries(REST_ROUTES.map((route) => [pathTemplate(route.path), { get: operationOf(route) }])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, as `catalog keys create` prints it.' },
      },
      headers: HEADERS,
      schemas: { Error: ERROR, Problem: PROBLEM },
      responses: Object.fromEntries(DOCUMENTED_CODES.map((code) => [code, errorResponse(code)])),
    },
  }
}

/** What a route may answer besides: each may be refused so; those with a name in their path may not find it. */
const COMMON_CODES = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'NOT_ACCEPTABLE',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const
const ACCESS_CODES = ['DATASET_ACCESS_DENIED', 'NOT_FOUND'] as const
const DOCUMENTED_CODES: readonly ErrorCode[] = [...COMMON_CODES, ...ACCESS_CODES]

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'A parameter is not as it must be; `details` names each.',
  UNAUTHORIZED: 'There is no API key, or it is not valid.',
  DATASET_ACCESS_DENIED: 'The API key has no access to the dataset.',
  NOT_FOUND: 'There is no such dataset or item.',
  NOT_ACCEPTABLE: 'There is no form of the answer that `Accept` allows.',
  URI_TOO_LONG: 'The URL has more than 12 kB.',
  RATE_LIMITED: 'The API key has made as many requests as it may.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The database is away or too slow, or there are too many requests at once.',
}

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

const HEADERS: Record<string, Json> = {
  'X-Request-Id': text('Names the request; a sane one that came in is kept.'),
  ETag: text('Names this state of the answer, for `If-None-Match`.'),
  'Cache-Control': text('`private, no-cache`: to be kept by its client alone, and asked for again.'),
  Vary: text('Names `Authorization`, `Accept` and `Accept-Encoding`.'),
  Link: text('The pages `first`, `prev`, `next` and `last`, where there are such (RFC 8288).'),
  'RateLimit-Policy': text('How many requests the key may make, where it has a limit.'),
  RateLimit: text('How many of them are left, and for how many seconds.'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': text('The challenge (RFC 6750).'),
}

const SUCCESS_HEADERS = ['X-Request-Id', 'ETag', 'Cache-Control', 'Vary', 'RateLimit-Policy', 'RateLimit']

const headers = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ERROR_MEMBERS = {
  code: { type: 'string', enum: Object.keys(ERROR_CODES).filter((code) => code !== 'OPERATION_FAILED') },
  message: { type: 'string' },
  details: {
    type: 'array',
    description: 'Every bad parameter; with VALIDATION_FAILED only.',
    items: {
      type: 'object',
      required: ['field', 'message'],
      properties: { field: { type: 'string' }, message: { type: 'string' } },
    },
  },
  requestId: { type: 'string' },
}

const ERROR: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'object', required: ['code', 'message', 'requestId'], properties: ERROR_MEMBERS },
  },
}

const { message: detail, ...problemMembers } = ERROR_MEMBERS
const PROBLEM: Json = {
  type: 'object',
  description: 'The same facts as RFC 9457 has them.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail,
    ...problemMembers,
  },
}

function errorExample(code: ErrorCode): CatalogError {
  const details = code === 'VALIDATION_FAILED' ? [{ field: 'limit', message: 'must be at most 100' }] : undefined
  const message = details?.map(({ field, message }) => `${field} ${message}`).join() ?? MEANINGS[code] ?? code
  return new CatalogError(code, message, details && { details })
}

function errorResponse(code: ErrorCode): Json {
  const example = (accept?: string) => errorBody(errorExample(code), REQUEST_ID_EXAMPLE, accept).body
  const more = { UNAUTHORIZED: 'WWW-Authenticate', RATE_LIMITED: 'Retry-After', SERVICE_UNAVAILABLE: 'Retry-After' }
  const special = Object.entries(more).flatMap(([name, header]) => (name === code ? [header] : []))
  return {
    description: MEANINGS[code] ?? code,
    headers: headers('X-Request-Id', ...special),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: example() },
      [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, example: example(PROBLEM_TYPE) },
    },
  }
}

function operationOf(route: RestRoute): Json {
  const { field, node } = resourceOf(route)
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const mayBeDenied = names.length > 0 || Object.hasOwn(route.query.shape, 'datasetId')
  const codes = [...COMMON_CODES, ...(mayBeDenied ? ACCESS_CODES : [])]
  const isPaged = Object.hasOwn(route.query.shape, 'page')
  return {
    operationId: route.name,
    tags: [route.path.startsWith('/v1/dataset-items') || route.path.endsWith('/items') ? 'Items' : 'Datasets'],
    summary: route.summary,
    description: field.description ?? '',
    parameters: [...names.map(pathParameter), ...queryParameters(route, field.args)],
    responses: {
      200: {
        description: field.description ?? '',
        headers: headers(...SUCCESS_HEADERS, ...(isPaged ? ['Link'] : [])),
        content: {
          'application/json': { schema: envelopeOf(field.type, node) },
          ...(route.features && { [GEOJSON]: { schema: featuresOf(field.type, node) } }),
        },
      },
      304: { description: 'The client has it already.', headers: headers('X-Request-Id', 'ETag') },
      ...Object.fromEntries(codes.map((code) => [ERROR_CODES[code], { $ref: `#/components/responses/${code}` }])),
    },
  }
}

function pathParameter(name: string): Json {
  const description = name === 'datasetId' ? 'UUID, in any letter case, or slug.' : 'UUID, in any letter case.'
  const example = PARAMETER_EXAMPLES[name]
  return { name, in: 'path', required: true, description, example, schema: { type: 'string' } }
}

/** What a parameter may be stands in the route's schema, what it means and its default with the GraphQL argument. */
function queryParameters({ query }: RestRoute, args: readonly GraphQLArgument[]): Json[] {
  const { properties: read = {}, required = [] } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { properties: written = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.keys(query.shape).map((name) => {
    const arg = args.find((candidate) => candidate.name === name)
    const type = arg && getNamedType(arg.type).name
    const bounds = read[name]
    const isNumber = typeof bounds === 'object' && bounds.type === 'number'
    const domain = isNumber ? { ...bounds, ...(type === 'Int' && { type: 'integer' }) } : written[name]
    const preset = arg?.default?.value ?? arg?.defaultValue
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description: arg?.description ?? '',
      example: PARAMETER_EXAMPLES[name],
      schema: { ...(typeof domain === 'object' && domain), ...(preset !== undefined && { default: preset }) },
    }
  })
}

interface Resource {
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

/** The field of the operation that is the route's resource. */
function resourceOf({ operation, resource }: RestRoute): Resource {
  const [definition] = parse(operation).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('A route has an operation')
  return follow(schema.getQueryType(), definition.selectionSet, resource)
}

function follow(type: unknown, set: SelectionSetNode | undefined, [name, ...rest]: readonly string[]): Resource {
  const node = set && fieldsOf(set).find((candidate) => candidate.name.value === name)
  const field = isObjectType(type) && name !== undefined ? type.getFields()[name] : undefined
  if (!node || !field) throw new TypeError(`The operation has no ${name}`)
  return rest.length === 0 ? { field, node } : follow(getNullableType(field.type), node.selectionSet, rest)
}

/** As envelope.ts does with values: a list's nodes are `data`, and what stands beside them `meta`. */
function envelopeOf(type: GraphQLOutputType, node: FieldNode): Json {
  const { nodes, ...meta } = membersOf(type, node.selectionSet)
  return nodes
    ? objectOf({ data: nodes, meta: objectOf(meta) })
    : objectOf({ data: objectOf(membersOf(type, node.selectionSet)), meta: objectOf({}) })
}

/** As geojson.ts does: a node's place is its geometry, and the rest of it its properties. */
function featuresOf(type: GraphQLOutputType, { selectionSet }: FieldNode): Json {
  const nodes = selectionSet && fieldsOf(selectionSet).find(({ name }) => name.value === 'nodes')
  const page = getNamedType(type)
  const items = isObjectType(page) ? page.getFields().nodes : undefined
  if (!nodes || !items) throw new TypeError('A collection of features is made of a list')
  const {
    id = {},
    latitude: _latitude,
    longitude: _longitude,
    ...properties
  } = membersOf(items.type, nodes.selectionSet)
  const { nodes: _nodes, ...meta } = membersOf(type, selectionSet)
  const coordinates = {
    type: 'array',
    description: 'Longitude and latitude, in degrees.',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
  }
  const feature = objectOf({
    type: { const: 'Feature' },
    id,
    geometry: objectOf({ type: { const: 'Point' }, coordinates }),
    properties: objectOf(properties),
  })
  return objectOf({
    type: { const: 'FeatureCollection' },
    features: { type: 'array', items: feature },
    meta: objectOf(meta),
  })
}

function objectOf(properties: Record<string, Json>): Json {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

function membersOf(type: GraphQLOutputType, set: SelectionSetNode | undefined): Record<string, Json> {
  const parent = getNamedType(type)
  if (!isObjectType(parent) || !set) throw new TypeError(`${parent.name} has no members`)
  const members: Record<string, Json> = {}
  for (const node of fieldsOf(set)) {
    const field = parent.getFields()[node.name.value]
    if (!field) throw new TypeError(`${parent.name} has no ${node.name.value}`)
    // An item near a point is written with its distance among its members.
    if (parent.name === 'NearbyItem' && node.name.value === 'item')
      Object.assign(members, membersOf(field.type, node.selectionSet))
    else members[node.name.value] = describe(schemaOf(field.type, node), node.name.value, field.description)
  }
  return members
}

function describe(schema: Json, name: string, description: string | null | undefined): Json {
  const hasExample = Object.hasOwn(EXAMPLES, name) && !schema.properties && !schema.items
  return { ...schema, description: description ?? '', ...(hasExample && { examples: [EXAMPLES[name]] }) }
}

function schemaOf(type: GraphQLOutputType, node: FieldNode): Json {
  if (isNonNullType(type)) return presentSchemaOf(type.ofType, node)
  const value = presentSchemaOf(type, node)
  return { ...value, type: [value.type, 'null'] }
}

function presentSchemaOf(type: GraphQLOutputType, node: FieldNode): Json {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, node) }
  if (isObjectType(type)) return objectOf(membersOf(type, node.selectionSet))
  // REST writes the words in small letters.
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ value }) => value) }
  const scalar = SCALARS[getNamedType(type).name]
  if (!scalar) throw new TypeError(`${type} has no JSON Schema`)
  return scalar
}

const SCALARS: Readonly<Record<string, Json>> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,7})?$' },
  JSONObject: { type: 'object' },
}

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.filter((selection) => selection.kind === Kind.FIELD)
}
