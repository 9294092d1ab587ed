import { ERROR_CODES, ERROR_MEANINGS, type ErrorCode } from '../errors.ts'
import { PROBLEM_MEDIA_TYPE } from '../rest/error-body.ts'
import { type Json, type OpenApi, securitySchemes } from '../rest/openapi/components.ts'
import { ACCESS_CODES, COMMON_CODES } from '../rest/openapi/responses.ts'
import { toOpenApi30 } from '../rest/openapi/version-3-0.ts'
import { pathTemplate } from '../rest/routes.ts'
import { VERSION } from '../version.ts'
import { describeForms, PARAMETERS, PATH_PARAMETERS, SCHEMAS } from './api-schemas.ts'
import { FORMS } from './media-types.ts'
import type { OgcRoute } from './route.ts'

/*
 * The API definition: an OpenAPI 3.0 document (OGC 17-069r4, section 9), made from the table of routes. It is written
 * in OpenAPI 3.1 and converted; the document of all paths has it as it is written (server/openapi/document.ts).
 */

/** The errors of every resource; resources of a collection have `ACCESS_CODES` too. */
const CODES = COMMON_CODES.filter((code) => code !== 'URI_TOO_LONG' && code !== 'HEADERS_TOO_LARGE')

/** The document. `base` is the address of the landing page. */
export function apiDefinition(base: string, routes: readonly OgcRoute[]): Json {
  const { paths, components } = describeRoutes(routes)
  const relative = Object.entries(paths).map(([path, item]) => [path.replace(/^\/ogc\/?/, '/'), item])
  return toOpenApi30({
    info: {
      title: 'Dataset Catalog: OGC API Features',
      version: VERSION,
      description:
        'The datasets as collections of point features, in WGS 84 longitude and latitude (CRS84). Each response contains only what ' +
        'the API key may access. An unknown parameter is an error.',
      license: { name: 'UNLICENSED: all rights are with the owner', url: new URL('docs', base).href },
    },
    servers: [{ url: base, description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [OGC_TAG],
    paths: Object.fromEntries(relative),
    components: { securitySchemes: securitySchemes(), ...components },
  })
}

export const OGC_TAG = { name: 'Features', description: 'OGC API Features, part 1 and part 2.' }

/**
 * The paths in OpenAPI 3.1, from the root of the server, and their components.
 * @param prefix begins the names of the errors, for a document with other errors
 */
export function describeRoutes(routes: readonly OgcRoute[], prefix = ''): Pick<OpenApi, 'paths' | 'components'> {
  const paths = routes.map((route) => [pathTemplate(route.path), { get: operationOf(route, prefix) }])
  const errors = [...CODES, ...ACCESS_CODES].map((code) => [prefix + code, errorResponse(code)])
  return {
    paths: Object.fromEntries(paths),
    components: {
      parameters: { ...PATH_PARAMETERS, ...PARAMETERS },
      schemas: SCHEMAS,
      responses: Object.fromEntries(errors),
    },
  }
}

function operationOf({ name, summary, path, query, forms, hasFeatures, schema }: OgcRoute, prefix: string): Json {
  const pathNames = Object.keys(PATH_PARAMETERS).filter((parameter) => path.includes(`:${parameter}(`))
  const codes = [...CODES, ...(pathNames.length > 0 ? ACCESS_CODES : [])]
  const content = { schema: { $ref: `#/components/schemas/${schema}` } }
  return {
    operationId: name,
    tags: ['Features'],
    summary,
    parameters: [...pathNames, ...Object.keys(query.shape)].map((parameter) =>
      parameter === 'f' ? describeForms(forms) : { $ref: `#/components/parameters/${parameter}` },
    ),
    responses: {
      200: {
        description: summary,
        headers: { ETag: TEXT, ...(hasFeatures && { 'Content-Crs': TEXT, Link: TEXT }) },
        content: Object.fromEntries(forms.map((form) => [FORMS[form], form === 'html' ? TEXT : content])),
      },
      304: { description: 'The client has the current version.' },
      ...Object.fromEntries(
        codes.map((code) => [ERROR_CODES[code], { $ref: `#/components/responses/${prefix}${code}` }]),
      ),
    },
  }
}

const TEXT = { schema: { type: 'string' } }

function errorResponse(code: ErrorCode): Json {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description: ERROR_MEANINGS[code], content: { [PROBLEM_MEDIA_TYPE]: { schema } } }
}
