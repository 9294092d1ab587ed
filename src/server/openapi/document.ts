import { EXPORT_FORMATS, type ExportFormat, mediaTypeOf } from '../../catalog/export-formats.ts'
import { MAX_ZOOM } from '../../catalog/tile.ts'
import { argumentsOf } from '../../graphql/operation/parameters.ts'
import { describeRoutes, OGC_TAG } from '../../ogc/api-definition.ts'
import { OGC_ROUTES } from '../../ogc/routes.ts'
import type { Json, OpenApi } from '../../rest/openapi/components.ts'
import { openApiDocument } from '../../rest/openapi/document.ts'
import { parametersOf } from '../../rest/openapi/parameters.ts'
import { ACCESS_CODES, COMMON_CODES, responsesOf } from '../../rest/openapi/responses.ts'
import { tileParameters } from '../../rest/parameters.ts'
import { DATASET_ID, pathTemplate } from '../../rest/routes.ts'
import { exportPath, exportQuery } from '../exports.ts'
import { TILE_MEDIA_TYPE, TILE_PATH } from '../tiles.ts'
import { introduction } from './introduction.ts'

/*
 * One OpenAPI 3.1 document of all paths, for the API reference: the REST routes, exports, tiles, and OGC API Features.
 */

/**
 * The document as an object. The URL of its server is relative.
 * @param contact is whom to ask for a key
 */
export function documentOfAllPaths(contact?: string): OpenApi {
  const rest = openApiDocument(contact)
  const ogc = describeRoutes(OGC_ROUTES, 'Ogc')
  const { schemas, responses, ...others } = rest.components
  return {
    ...rest,
    info: { ...rest.info, description: introduction(contact) },
    tags: [
      ...rest.tags,
      { name: 'Exports', description: 'Whole datasets as files.' },
      { name: 'Tiles', description: 'Map tiles of the places.' },
      OGC_TAG,
    ],
    paths: { ...rest.paths, ...filePaths(), ...ogc.paths },
    components: {
      ...others,
      parameters: { ...ogc.components.parameters },
      schemas: { ...schemas, ...ogc.components.schemas },
      responses: { ...responses, ...ogc.components.responses },
    },
  }
}

/*
 * The schemas that parse the parameters of exports and map tiles give the bounds, GraphQL's arguments of the same names the descriptions.
 */

/** The paths of exports and map tiles, with references to the errors of the REST routes and to the features of `/ogc`. */
function filePaths(): Record<string, Json> {
  return Object.fromEntries([
    ...EXPORT_FORMATS.map((format) => [pathTemplate(exportPath(format)), { get: exportOperation(format) }]),
    [pathTemplate(TILE_PATH), { get: tileOperation() }],
  ])
}

function exportOperation(format: ExportFormat): Json {
  const { body, ...texts } = format.operation
  const route = { pathParameters: { datasetId: DATASET_ID }, query: exportQuery(format) }
  const codes = [...COMMON_CODES, ...ACCESS_CODES].filter((code) => code !== 'NOT_ACCEPTABLE')
  const fileName = { description: 'Names the file after the slug of the dataset.', schema: { type: 'string' } }
  const success = {
    description: texts.description,
    headers: { 'Content-Disposition': fileName },
    content: { [mediaTypeOf(format.contentType)]: { schema: body } },
  }
  return {
    ...texts,
    tags: ['Exports'],
    parameters: parametersOf(route, ARGUMENTS),
    responses: responsesOf(success, codes),
  }
}

function tileOperation(): Json {
  const description =
    'The items in a tile of the usual web map scheme, as a Mapbox vector tile with the layer `items`. Where there are many, ' +
    'clusters have their `total`. A tile without items is empty.'
  const pathParameters = {
    datasetId: `${DATASET_ID} \`all\` means all datasets.`,
    z: 'Zoom.',
    x: 'Column, eastwards from 180° west.',
    y: 'Row, southwards from 85.0511° north.',
  }
  return {
    operationId: 'getTile',
    tags: ['Tiles'],
    summary: 'A map tile',
    description,
    parameters: parametersOf({ pathParameters, query: tileParameters }, ARGUMENTS).map((parameter) => {
      const maximum = TILE_MAXIMA.get(parameter.name)
      const whole = { type: 'integer', format: 'int32', minimum: 0, maximum }
      return maximum === undefined ? parameter : { ...parameter, schema: whole }
    }),
    responses: responsesOf({ description, content: { [TILE_MEDIA_TYPE]: {} } }, [...COMMON_CODES, ...ACCESS_CODES]),
  }
}

const TILE_MAXIMA: ReadonlyMap<unknown, number> = new Map([
  ['z', MAX_ZOOM],
  ['x', 2 ** MAX_ZOOM - 1],
  ['y', 2 ** MAX_ZOOM - 1],
])

/** The GraphQL arguments that have the names of parameters: the arguments of the search, and all filters. */
const ARGUMENTS = [...argumentsOf('Query', 'findItems'), ...argumentsOf('Dataset', 'items')]
