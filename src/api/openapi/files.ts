import { EXPORT_FORMATS, type ExportFormat, mediaTypeOf, NDJSON } from '../../catalog/export-formats.ts'
import { MAX_ZOOM } from '../../catalog/tile.ts'
import { argumentsOf } from '../../graphql/operation/parameters.ts'
import { CHANGES_PATH, changesQuery } from '../changes.ts'
import { exportPath, exportQuery, TILE_MEDIA_TYPE, TILE_PATH, tileParameters } from '../files.ts'
import { DATASET_ID } from '../rest/routes.ts'
import data from './documents.json' with { type: 'json' }
import { DOCUMENTED_CODES, headersOf, type Operation, SUCCESS_HEADERS } from './operations.ts'
import { parametersOf } from './parameters.ts'

/*
 * The operations of exports, changes and map tiles. The schemas that parse their parameters give the bounds, GraphQL's arguments of the same
 * names the descriptions.
 */

/** The operations, with references to the errors of the REST routes and to the features of `/ogc`. */
export function fileOperations(): Operation[] {
  return [...EXPORT_FORMATS.map(exportOperation), changesOperation(), tileOperation()]
}

/** The GraphQL arguments that have the names of parameters: the arguments of the search, and all filters. */
const ARGUMENTS = [...argumentsOf('Query', 'findItems'), ...argumentsOf('Dataset', 'items')]

function exportOperation(format: ExportFormat): Operation {
  const { body, ...texts } = format.operation
  const route = { pathParameters: { datasetId: DATASET_ID }, query: exportQuery(format) }
  const fileName = { description: 'Names the file after the slug of the dataset.', schema: { type: 'string' } }
  return {
    path: exportPath(format),
    about: { ...texts, tags: ['Exports'], parameters: parametersOf(route, ARGUMENTS) },
    headers: headersOf(SUCCESS_HEADERS),
    ownHeaders: { 'Content-Disposition': fileName },
    content: { [mediaTypeOf(format.contentType)]: { schema: body } },
    codes: DOCUMENTED_CODES.filter((code) => code !== 'NOT_ACCEPTABLE'),
  }
}

function changesOperation(): Operation {
  const route = { pathParameters: { datasetId: DATASET_ID }, query: changesQuery }
  return {
    path: CHANGES_PATH,
    about: { ...data.changes, parameters: parametersOf(route, ARGUMENTS) },
    headers: headersOf([...SUCCESS_HEADERS, 'Link']),
    ownHeaders: {},
    content: { [mediaTypeOf(NDJSON.contentType)]: { schema: NDJSON.operation.body } },
    codes: [...DOCUMENTED_CODES.filter((code) => code !== 'NOT_ACCEPTABLE'), 'CURSOR_EXPIRED'],
  }
}

/** The part of a tile's address that is a whole number. */
const numberUpTo = (maximum: number, description: string) => ({
  description,
  schema: { type: 'integer', format: 'int32', minimum: 0, maximum },
})

const TILE_PATH_PARAMETERS = {
  datasetId: `${DATASET_ID} \`all\` means all datasets.`,
  z: numberUpTo(MAX_ZOOM, 'Zoom.'),
  x: numberUpTo(2 ** MAX_ZOOM - 1, 'Column, eastwards from 180° west.'),
  y: numberUpTo(2 ** MAX_ZOOM - 1, 'Row, southwards from 85.0511° north.'),
}

function tileOperation(): Operation {
  const route = { pathParameters: TILE_PATH_PARAMETERS, query: tileParameters }
  return {
    path: TILE_PATH,
    about: { ...data.tile, parameters: parametersOf(route, ARGUMENTS) },
    headers: headersOf(SUCCESS_HEADERS),
    ownHeaders: {},
    content: { [TILE_MEDIA_TYPE]: {} },
    codes: DOCUMENTED_CODES,
  }
}
