import { z } from 'zod'
import { filterValue, SHARES } from '../catalog/arguments.ts'
import type { ExportFormat } from '../catalog/export-formats.ts'
import { ITEM_FILTERS, mapFilters } from '../catalog/filters.ts'
import { argumentsOf } from '../graphql/operation/parameters.ts'
import { querySchema } from './rest/parameters.ts'

/*
 * The paths of exports and map tiles, in the router's syntax, and their query parameters. Unknown parameters are refused.
 */

export const TILE_PATH = '/tiles/:datasetId/:z/:x/:y.mvt'
/** Registered at https://www.iana.org/assignments/media-types/application/vnd.mapbox-vector-tile. */
export const TILE_MEDIA_TYPE = 'application/vnd.mapbox-vector-tile'

/** The query parameters of a map tile: the selection of a search, all filters, and the shares. */
export const tileParameters = querySchema(argumentsOf('Query', 'findItems'), [
  ...['text', 'within', 'latitude', 'longitude', 'radius'],
  ...ITEM_FILTERS,
]).extend({ shares: z.enum(SHARES, `must be one of ${SHARES.join(', ')}`).optional() })

export function exportPath({ name }: ExportFormat): string {
  return `/exports/:datasetId(.+).${name}`
}

const exportParameters = z.strictObject(mapFilters(() => filterValue.optional()))
const flatExportParameters = exportParameters.extend({
  flat: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((word) => word === 'true')
    .optional(),
})

/** The query parameters of an export. Its extra attributes may have a column each, if the format has columns. */
export function exportQuery({ hasColumns }: ExportFormat) {
  return hasColumns ? flatExportParameters : exportParameters
}
