import { type ItemFilter, mapFilters } from '../catalog/filters.ts'
import { collectSchemas, type Json } from '../rest/openapi/components.ts'
import { PARAMETER_EXAMPLES } from '../rest/openapi/examples.ts'
import { defineProblem } from '../rest/openapi/responses.ts'
import { CRS84 } from './crs.ts'
import { describeFilter, propertiesSchema } from './feature-schema.ts'
import type { Forms } from './media-types.ts'
import { DEFAULT_LIMIT, type featuresParameters, MAX_LIMIT } from './parameters.ts'

/*
 * The parameters and schemas of the API definition, in OpenAPI 3.1.
 */

const text: Json = { type: 'string' }
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const listOf = (items: Json): Json => ({ type: 'array', items })

function object(properties: Record<string, Json>, required = Object.keys(properties)): Json {
  return { type: 'object', required, properties }
}

/** An example for each parameter. They find something in the sample data. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...PARAMETER_EXAMPLES,
  collectionId: PARAMETER_EXAMPLES.datasetId,
  featureId: PARAMETER_EXAMPLES.itemId,
  bbox: [126.9, 37.5, 127.1, 37.6],
  'bbox-crs': CRS84,
  crs: CRS84,
  datetime: '2026-01-31T00:00:00Z/..',
  after: '00000000-0000-4000-8000-000000000000',
  offset: 0,
  startindex: 0,
  f: 'json',
}

function pathParameter(name: string, description: string): Json {
  return { name, in: 'path', required: true, description, example: EXAMPLES[name], schema: text }
}

/** The parameters in paths, by name. */
export const PATH_PARAMETERS: Record<string, Json> = {
  collectionId: pathParameter(
    'collectionId',
    'The id of the collection: the slug of a dataset. Its UUID is accepted too.',
  ),
  featureId: pathParameter('featureId', 'The id of the feature: the UUID of an item.'),
}

function queryParameter(name: string, description: string, schema: Json): Json {
  const example = EXAMPLES[name]
  return { name, in: 'query', required: false, description, example, schema, style: 'form', explode: false }
}

const crs: Json = { type: 'string', format: 'uri', enum: [CRS84], default: CRS84 }

const queryable = (filter: ItemFilter) =>
  queryParameter(filter, `Only features with this ${filter}.`, { ...describeFilter(filter), minLength: 1 })

/** The query parameters, by name. */
export const PARAMETERS: Record<keyof typeof featuresParameters, Json> = {
  limit: queryParameter(
    'limit',
    'The maximum number of features on the page. A greater number than the maximum counts as the maximum. A page of very long ' +
      'features has fewer.',
    { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  ),
  bbox: queryParameter(
    'bbox',
    'Only features in this box, edges included: west, south, east and north in degrees. With six numbers, the third and the sixth ' +
      'are elevations, which select nothing. A box whose west is greater than its east crosses the antimeridian.',
    { type: 'array', items: { type: 'number' }, oneOf: [4, 6].map((count) => ({ minItems: count, maxItems: count })) },
  ),
  'bbox-crs': queryParameter('bbox-crs', 'The coordinate reference system of `bbox`.', crs),
  crs: queryParameter('crs', 'The coordinate reference system of the response.', crs),
  datetime: queryParameter(
    'datetime',
    'Only features whose `updatedAt` is this instant, on this day in UTC, or in this interval, ends included (RFC 3339). Two dots are ' +
      'an open end: `2026-01-31T09:00:00Z`, `2026-01-31`, `2026-01-01T00:00:00Z/2026-01-31T23:59:59Z`, `2026-01-31/..`.',
    text,
  ),
  ...mapFilters(queryable),
  after: queryParameter('after', 'The id of the last feature of the page before. The link `next` has it.', {
    type: 'string',
    format: 'uuid',
  }),
  offset: queryParameter(
    'offset',
    'The number of features before the page, instead of `after`. Pages by `next` are better while the dataset changes.',
    { type: 'integer', minimum: 0, default: 0 },
  ),
  startindex: queryParameter('startindex', 'The older name of `offset`.', { type: 'integer', minimum: 0, default: 0 }),
}

/** The parameter `f` of a resource with these forms. */
export function describeForms(forms: Forms): Json {
  return queryParameter('f', 'The form of the response. Without it, the header `Accept` chooses.', {
    type: 'string',
    enum: [...forms],
  })
}

const point = object({
  type: { type: 'string', enum: ['Point'] },
  coordinates: {
    type: 'array',
    description: 'Longitude and latitude in degrees.',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
  },
})

const collection = object(
  {
    id: { type: 'string', description: 'The slug of the dataset.' },
    title: text,
    description: text,
    attribution: { type: 'string', description: 'Credit line to show with the data.' },
    license: { type: 'string', description: 'SPDX identifier of the licence. With `other`, a link has its URL.' },
    contacts: listOf(
      object({
        name: text,
        emails: listOf(object({ value: text })),
        links: listOf(object({ href: text, rel: text })),
        roles: listOf(text),
      }),
    ),
    itemType: { type: 'string', enum: ['feature'] },
    extent: object({
      spatial: object({ bbox: listOf({ ...listOf({ type: 'number' }), minItems: 4, maxItems: 4 }), crs: text }),
      temporal: object({
        interval: listOf({ ...listOf({ type: 'string', format: 'date-time' }), minItems: 2, maxItems: 2 }),
        trs: text,
      }),
    }),
    crs: listOf(text),
    storageCrs: text,
    links: listOf(ref('Link')),
  },
  ['id', 'title', 'attribution', 'itemType', 'crs', 'storageCrs', 'links'],
)

const errors = collectSchemas()
defineProblem(errors.define)

/** The schemas, by name. */
export const SCHEMAS: Record<string, Json> = {
  LandingPage: object({ title: text, description: text, links: listOf(ref('Link')) }),
  Conformance: object({ links: listOf(ref('Link')), conformsTo: listOf(text) }),
  Collections: object({ links: listOf(ref('Link')), collections: listOf(ref('Collection')) }),
  Collection: collection,
  JsonDocument: { type: 'object' },
  FeatureCollection: object({
    type: { type: 'string', enum: ['FeatureCollection'] },
    timeStamp: { type: 'string', format: 'date-time', description: 'Time of the response.' },
    numberMatched: { type: 'integer', minimum: 0, description: 'Number of features on all pages.' },
    numberReturned: { type: 'integer', minimum: 0, description: 'Number of features on this page.' },
    links: listOf(ref('Link')),
    features: listOf(ref('Feature')),
  }),
  Feature: object(
    {
      type: { type: 'string', enum: ['Feature'] },
      id: { type: 'string', format: 'uuid' },
      geometry: point,
      properties: propertiesSchema(),
      links: listOf(ref('Link')),
    },
    ['type', 'id', 'geometry', 'properties'],
  ),
  Link: object({ href: text, rel: text, type: text, title: text }, ['href', 'rel', 'type']),
  ...errors.schemas,
}
