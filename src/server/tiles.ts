import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseArguments, tileArguments } from '../catalog/arguments.ts'
import { MAX_ZOOM, TILE_EXTENT, type TileAddress, type TileFeature } from '../catalog/tile.ts'
import { type ErrorDetail, validationFailed } from '../errors.ts'
import { parseQueryString, queryStringOf } from '../query-string.ts'
import { tileParameters } from '../rest/parameters.ts'
import type { Admission } from './admission/admission.ts'
import { chooseRepresentation } from './negotiation.ts'
import { ResponseBody } from './reply.ts'
import type { ResponseCache } from './response-cache.ts'
import { addRoute } from './route.ts'

/*
 * Map tiles (docs/tiles.md), in the Mapbox vector tile format, version 2.1
 * (https://github.com/mapbox/vector-tile-spec/tree/master/2.1).
 */

/** Registered at https://www.iana.org/assignments/media-types/application/vnd.mapbox-vector-tile. */
const MEDIA_TYPE = 'application/vnd.mapbox-vector-tile'

/** This word in place of a dataset's id means all datasets that the key may access. */
const ALL = 'all'

const LAYER = 'items'
const VERSION = 2
/** The spec's geometry type of a point (section 4.3.4.2). */
const POINT = 1

interface TileOptions {
  admit: Admission
  responses: ResponseCache
}

/** Adds GET /tiles/{datasetId}/{z}/{x}/{y}.mvt. */
export function addTileRoute(app: FastifyInstance, { admit, responses }: TileOptions): void {
  addRoute(app, {
    path: '/tiles/:datasetId/:z/:x/:y.mvt',
    methods: ['GET'],
    handler: async (request, reply) => {
      const caller = await admit(request, reply)
      chooseRepresentation(request.headers.accept, [{ mediaType: MEDIA_TYPE }])
      return responses.send({ request, reply, caller, cacheKey: `${MEDIA_TYPE} ${request.url}` }, async () => {
        const query = parseQueryString(tileParameters, queryStringOf(request.url))
        const { datasetId, ...numbers } = pathParameters.parse(request.params)
        const address = parseAddress(numbers)
        const selection = parseArguments(tileArguments, query)
        const { result, readLog } = await caller.readCatalog((catalog) =>
          catalog.tile(address, datasetId === ALL ? undefined : datasetId, selection),
        )
        return { response: new ResponseBody(encodeTile(result), MEDIA_TYPE), readLog }
      })
    },
  })
}

const pathParameters = z.object({ datasetId: z.string(), z: z.string(), x: z.string(), y: z.string() })

/**
 * Reads a tile's address from the path.
 * @throws `VALIDATION_FAILED` that names every bad number.
 */
function parseAddress(path: Record<keyof TileAddress, string>): TileAddress {
  const zoomProblems = problemsOf('z', path.z, MAX_ZOOM)
  // The limit of x and y depends on the zoom.
  const max = zoomProblems.length > 0 ? Number.POSITIVE_INFINITY : 2 ** Number(path.z) - 1
  const problems = [...zoomProblems, ...problemsOf('x', path.x, max), ...problemsOf('y', path.y, max)]
  if (problems.length > 0) throw validationFailed(problems)
  return { z: Number(path.z), x: Number(path.x), y: Number(path.y) }
}

function problemsOf(field: string, text: string, max: number): ErrorDetail[] {
  if (!/^[0-9]+$/.test(text)) return [{ field, message: 'must be a whole number in decimal digits' }]
  return Number(text) > max ? [{ field, message: `must be at most ${max}` }] : []
}

/** Encodes features as a vector tile with one layer. Without features the tile has no layer, and so no bytes. */
function encodeTile(features: readonly TileFeature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  const layer = {
    features: features.map(({ x, y, properties }) => ({ type: POINT, geometry: [[x, y]], tags: properties })),
  }
  return Buffer.from(fromGeojsonVt({ [LAYER]: layer }, { version: VERSION, extent: TILE_EXTENT }))
}
