import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseArguments, type TileSelection, tileArguments } from '../catalog/arguments.ts'
import { MAX_ZOOM, TILE_EXTENT, type TileAddress, type TileFeature } from '../catalog/tile.ts'
import { notFound } from '../errors/errors.ts'
import { addDoor, type Services } from '../gateway/answer.ts'
import { pathParameters } from '../gateway/http.ts'
import { parseQueryString, queryStringOf } from '../gateway/query-string.ts'
import { ResponseBody } from '../gateway/reply.ts'
import { TILE_MEDIA_TYPE, TILE_PATH, tileParameters } from './files.ts'
import { wholeNumber } from './rest/parameters.ts'

/*
 * Map tiles (docs/tiles.md), in the Mapbox vector tile format, version 2.1
 * (https://github.com/mapbox/vector-tile-spec/tree/master/2.1).
 */

/** This word in place of a dataset's id means all datasets that the key may access. */
const ALL = 'all'

const LAYER = 'items'
const VERSION = 2
/** The spec's geometry type of a point (section 4.3.4.2). */
const POINT = 1

/** Adds GET /tiles/{datasetId}/{z}/{x}/{y}.mvt. */
export function addTileRoute(app: FastifyInstance, services: Services): void {
  addDoor(app, services, {
    path: TILE_PATH,
    forms: [{ mediaType: TILE_MEDIA_TYPE }],
    ask: ({ request }) => ({ cacheKey: `${TILE_MEDIA_TYPE} ${request.url}`, parse: () => parseTile(request) }),
    read: ({ address, datasetId, selection }, { caller }) =>
      caller.readCatalog((catalog) => catalog.tile(address, datasetId, selection)),
    render: (features) => new ResponseBody(encodeTile(features), TILE_MEDIA_TYPE),
  })
}

function parseTile(request: FastifyRequest): { address: TileAddress; datasetId?: string; selection: TileSelection } {
  const { datasetId = '', ...numbers } = pathParameters(request)
  // A tile has one address.
  if (Object.values(numbers).some((text) => /^0\d/.test(text))) throw notFound('tile')
  const schema = addressSchema(numbers.z)
  const pathIssues = schema.safeParse(numbers).error?.issues
  const query = parseQueryString(tileParameters, queryStringOf(request.url), pathIssues)
  return {
    address: schema.parse(numbers),
    ...(datasetId !== ALL && { datasetId }),
    selection: parseArguments(tileArguments, query),
  }
}

/** The schema of a tile's address in the path. The zoom limits `x` and `y`. */
function addressSchema(zoomText: string | undefined) {
  const zoom = upTo(MAX_ZOOM)
  const { success, data } = zoom.safeParse(zoomText)
  const place = upTo(success ? 2 ** data - 1 : Number.POSITIVE_INFINITY)
  return z.object({ z: zoom, x: place, y: place })
}

const upTo = (max: number) => wholeNumber.refine((number) => number <= max, `must be at most ${max}`)

/** Encodes features as a vector tile with one layer. Without features the tile has no layer, and so no bytes. */
function encodeTile(features: readonly TileFeature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  const layer = {
    features: features.map(({ x, y, properties }) => ({ type: POINT, geometry: [[x, y]], tags: properties })),
  }
  return Buffer.from(fromGeojsonVt({ [LAYER]: layer }, { version: VERSION, extent: TILE_EXTENT }))
}
