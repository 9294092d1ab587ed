import { mapFilters } from '../../catalog/filters.ts'
import { ERRORS, type ErrorCode } from '../../errors/errors.ts'
import { PROBLEM_MEDIA_TYPE } from '../../gateway/error-body.ts'
import { describeFilter, propertiesSchema } from '../ogc/feature-schema.ts'
import { FORMS } from '../ogc/media-types.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../ogc/parameters.ts'
import type { OgcRoute } from '../ogc/route.ts'
import { OGC_ROUTES } from '../ogc/routes.ts'
import { type Json, type OpenApi, refTo } from './components.ts'
import data from './ogc.json' with { type: 'json' }
import { ACCESS_CODES, DOCUMENTED_CODES, ERROR_SCHEMAS, type Operation, pathsOf } from './operations.ts'
import { parameterExample } from './parameters.ts'

/*
 * The paths of OGC API Features, in OpenAPI 3.1.
 */

const PATH_PARAMETERS: Readonly<Record<string, Json>> = data.pathParameters

/**
 * The paths from the root of the server, and their components.
 * @param prefix begins the names of the errors, for a document with other errors
 */
export function describeOgc(prefix = ''): Pick<OpenApi, 'paths' | 'components'> {
  const { limit, after, offset, startindex, ...others } = data.queryParameters
  const bounds = { ...limit.schema, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }
  const filters = mapFilters((filter) => ({
    description: `Only features with this ${filter}.`,
    example: parameterExample(filter),
    schema: { ...describeFilter(filter), minLength: 1 },
  }))
  const query = { limit: { ...limit, schema: bounds }, ...others, ...filters, after, offset, startindex }
  const { Feature, Link, ...schemas } = data.schemas
  const properties = { ...Feature.properties, properties: propertiesSchema() }
  return {
    paths: pathsOf(OGC_ROUTES.map((route) => operationOf(route, prefix))),
    components: {
      parameters: { ...mapEntries(PATH_PARAMETERS, pathParameter), ...mapEntries(query, queryParameter) },
      schemas: { ...schemas, Feature: { ...Feature, properties }, Link, ...ERROR_SCHEMAS },
      responses: Object.fromEntries(CODES.map((code) => [prefix + code, errorResponse(code)])),
    },
  }
}

/** The errors of every resource; those of a collection have `ACCESS_CODES` too. */
const CODES = DOCUMENTED_CODES.filter((code) => code !== 'URI_TOO_LONG' && code !== 'HEADERS_TOO_LARGE')
const COMMON = CODES.filter((code) => !ACCESS_CODES.some((other) => other === code))

function mapEntries(parameters: Readonly<Record<string, Json>>, toParameter: (name: string, about: Json) => Json) {
  return Object.fromEntries(Object.entries(parameters).map(([name, about]) => [name, toParameter(name, about)]))
}

function pathParameter(name: string, about: Json): Json {
  return { name, in: 'path', required: true, ...about }
}

function queryParameter(name: string, about: Json): Json {
  return { name, in: 'query', required: false, ...about, style: 'form', explode: false }
}

const TEXT = { schema: { type: 'string' } }

function operationOf({ name, summary, path, query, forms, hasFeatures, schema }: OgcRoute, prefix: string): Operation {
  const pathNames = Object.keys(PATH_PARAMETERS).filter((parameter) => path.includes(`:${parameter}(`))
  const f = queryParameter('f', { ...data.form, schema: { type: 'string', enum: [...forms] } })
  const parameters = [...pathNames, ...Object.keys(query.shape)].map((parameter) =>
    parameter === 'f' ? f : refTo('parameters', parameter),
  )
  const content = { schema: refTo('schemas', schema) }
  return {
    path,
    about: { operationId: name, tags: ['Features'], summary, parameters },
    ownHeaders: { ETag: TEXT, ...(hasFeatures && { 'Content-Crs': TEXT, Link: TEXT }) },
    content: Object.fromEntries(forms.map((form) => [FORMS[form], form === 'html' ? TEXT : content])),
    codes: pathNames.length > 0 ? CODES : COMMON,
    prefix,
  }
}

function errorResponse(code: ErrorCode): Json {
  return {
    description: ERRORS[code].meaning,
    content: { [PROBLEM_MEDIA_TYPE]: { schema: refTo('schemas', 'Problem') } },
  }
}
