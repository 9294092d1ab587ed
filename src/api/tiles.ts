import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseArguments, type TileSelection, tileArguments } from '../catalog/arguments.ts'
import { MAX_ZOOM, type TileAddress } from '../catalog/tile.ts'
import { notFound } from '../errors/errors.ts'
import { addDoor, type Services } from '../gateway/answer.ts'
import { pathParameters } from '../gateway/http.ts'
import { parseQueryString, queryStringOf } from '../gateway/query-string.ts'
import { ResponseBody } from '../gateway/reply.ts'
import { TILE_MEDIA_TYPE, TILE_PATH, tileParameters } from './files.ts'
import { wholeNumber } from './rest/parameters.ts'
import { encodeTile } from './tile-encoding.ts'

/*
 * Map tiles (docs/tiles.md).
 */

/** This word in place of a dataset's id means all datasets that the key may access. */
const ALL = 'all'

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
