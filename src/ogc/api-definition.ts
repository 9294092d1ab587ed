import { ERROR_CODES, ERROR_MEANINGS, type ErrorCode } from '../errors.ts'
import { PROBLEM_MEDIA_TYPE } from '../rest/error-body.ts'
import { type Json, securitySchemes } from '../rest/openapi/components.ts'
import { toOpenApi30 } from '../rest/openapi/version-3-0.ts'
import { pathTemplate } from '../rest/routes.ts'
import { VERSION } from '../version.ts'
import { PARAMETERS, PATH_PARAMETERS, RESPONSE_SCHEMAS, SCHEMAS } from './api-schemas.ts'
import type { OgcRoute } from './route.ts'

/*
 * The API definition: an OpenAPI 3.0 document (OGC 17-069r4, section 9), made from the table of routes. It is written
 * in OpenAPI 3.1 and converted; the document of all paths has it as it is written (server/openapi/document.ts).
 */

/** The errors of every resource; resources of a collection have `COLLECTION_CODES` too. */
const COMMON_CODES: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'NOT_ACCEPTABLE',
  'PRECONDITION_FAILED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]
const COLLECTION_CODES: readonly ErrorCode[] = ['DATASET_ACCESS_DENIED', 'NOT_FOUND']

/** The document. `base` is the address of the landing page. */
export function apiDefinition(base: string, routes: readonly OgcRoute[]): Json {
  const paths = Object.entries(ogcPaths(routes)).map(([path, item]) => [path.replace(/^\/ogc\/?/, '/'), item])
  return toOpenApi30({
    info: {
      title: 'Dataset Catalog: OGC API Features',
      version: VERSION,
      description:
        'The datasets as collections of point features, in WGS 84 longitude and latitude (CRS84). Each response contains only what ' +
        'the API key may access. An unknown parameter is an error.',
      license: { name: 'UNLICENSED: all rights are with the owner', url: new URL('/docs', base).href },
    },
    servers: [{ url: base, description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [OGC_TAG],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: securitySchemes(), ...OGC_COMPONENTS },
  })
}

export const OGC_TAG = { name: 'Features', description: 'OGC API Features, part 1 and part 2.' }

/** The paths in OpenAPI 3.1, from the root of the server. They refer to `OGC_COMPONENTS`. */
export function ogcPaths(routes: readonly OgcRoute[]): Record<string, Json> {
  return Object.fromEntries(routes.map((route) => [pathTemplate(route.path), { get: operationOf(route) }]))
}

function operationOf({ name, summary, path, query, mediaTypes, hasFeatures }: OgcRoute): Json {
  const pathNames = Object.keys(PATH_PARAMETERS).filter((parameter) => path.includes(`:${parameter}(`))
  const codes = [...COMMON_CODES, ...(pathNames.length > 0 ? COLLECTION_CODES : [])]
  const schema = { $ref: `#/components/schemas/${RESPONSE_SCHEMAS[name]}` }
  return {
    operationId: name,
    tags: ['Features'],
    summary,
    parameters: [...pathNames, ...Object.keys(query.shape)].map((parameter) => ({
      $ref: `#/components/parameters/${parameter}`,
    })),
    responses: {
      200: {
        description: summary,
        headers: { ETag: TEXT_HEADER, ...(hasFeatures && { 'Content-Crs': TEXT_HEADER, Link: TEXT_HEADER }) },
        content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }])),
      },
      304: { description: 'The client has the current version.' },
      ...Object.fromEntries(codes.map((code) => [ERROR_CODES[code], { $ref: `#/components/responses/${code}` }])),
    },
  }
}

/** The components in OpenAPI 3.1, by kind and name. */
export const OGC_COMPONENTS: Record<'parameters' | 'schemas' | 'responses', Record<string, Json>> = {
  parameters: { ...PATH_PARAMETERS, ...PARAMETERS },
  schemas: SCHEMAS,
  responses: Object.fromEntries([...COMMON_CODES, ...COLLECTION_CODES].map((code) => [code, errorResponse(code)])),
}

const TEXT_HEADER = { schema: { type: 'string' } }

function errorResponse(code: ErrorCode): Json {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description: ERROR_MEANINGS[code], content: { [PROBLEM_MEDIA_TYPE]: { schema } } }
}
