import { isEmailAddress, isWebAddress } from '../../contact.ts'
import { VERSION } from '../../version.ts'
import { GEOJSON } from '../envelope.ts'
import { pathTemplate, REST_ROUTES, type RestRoute } from '../routes.ts'
import { collectSchemas, type DefineSchema, type Json, type OpenApi, securitySchemes } from './components.ts'
import { parametersOf } from './parameters.ts'
import {
  ACCESS_CODES,
  COMMON_CODES,
  DOCUMENTED_CODES,
  defineErrors,
  errorResponse,
  HEADERS,
  headers,
  responsesOf,
} from './responses.ts'
import { envelopeOf, featuresOf } from './schemas.ts'

/*
 * The OpenAPI 3.1 document of the /v1 routes and the search, generated from the routes. The GraphQL operation of a route gives the members of its
 * response and their descriptions. The schema that parses its parameters gives their bounds.
 */

const DESCRIPTION =
  'Datasets of places, and searches for places by name or near a point. Each response contains only what the API key may access. ' +
  '`/graphql` gives the same data, in any combination.'

/**
 * The OpenAPI document as an object. The URL of its server is relative.
 * @param contact is whom to ask for a key: an e-mail address, a URL or a text
 */
export function openApiDocument(contact?: string): OpenApi {
  const { schemas, define } = collectSchemas()
  const errors = defineErrors(define)
  const paths = REST_ROUTES.map((route) => [pathTemplate(route.path), { get: operationOf(route, define) }] as const)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dataset Catalog',
      version: VERSION,
      description: DESCRIPTION,
      contact: contactObject(contact ?? 'Maintainers of the Dataset Catalog'),
      license: { name: 'UNLICENSED: all rights are with the owner', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: serversAt('/'),
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Datasets', description: 'Collections of places.' },
      { name: 'Items', description: 'Places of the datasets.' },
      { name: 'Key', description: 'The API key of the request.' },
    ],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: securitySchemes(contact),
      headers: HEADERS,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(DOCUMENTED_CODES.map((code) => [code, errorResponse(code, errors)])),
    },
  }
}

/** @see https://spec.openapis.org/oas/v3.1.1.html#contact-object */
function contactObject(contact: string): Json {
  if (isWebAddress(contact)) return { url: contact }
  return isEmailAddress(contact) ? { email: contact } : { name: contact }
}

/**
 * The document with an absolute URL of its server.
 * @param origin of the server, such as `https://example.org`
 */
export function withOrigin(document: Json, origin: string): Json {
  return { ...document, servers: serversAt(origin) }
}

function serversAt(url: string): Json[] {
  return [{ url, description: 'This server' }]
}

function operationOf(route: RestRoute, define: DefineSchema): Json {
  const { name, tag, summary, description, hasFeatures, query, pathParameters } = route
  const mayBeDenied = Object.keys(pathParameters).length > 0 || Object.hasOwn(query.shape, 'datasetId')
  const codes = [...COMMON_CODES, ...(mayBeDenied ? ACCESS_CODES : [])]
  const isPaged = Object.hasOwn(query.shape, 'page')
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    parameters: parametersOf(route, route.parameters),
    responses: responsesOf(
      {
        description,
        headers: headers(...(isPaged ? ['Link'] : [])),
        content: {
          'application/json': { schema: envelopeOf(route, define) },
          ...(hasFeatures && { [GEOJSON]: { schema: featuresOf(route, define) } }),
        },
      },
      codes,
    ),
  }
}
