import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FindKeyOrigins } from '../../auth/origins.ts'
import { parseOrigin } from '../../config/origin.ts'
import { CatalogError } from '../../errors/errors.ts'
import { embedPath } from '../../gateway/cors.ts'
import { addRoute, pathParameters } from '../../gateway/http.ts'
import { type ResponseBody, sendUncacheable } from '../../gateway/reply.ts'
import { embedPolicy, ISOLATED } from './policy.ts'

/*
 * The page that shows places in a frame. Its address has the id of a key; the secret is in the fragment, which no server sees. Only pages of
 * the key's origins may show it (Content Security Policy Level 3, frame-ancestors).
 */

interface EmbedOptions {
  /** Returns the page with addresses relative to that of the request. */
  bodyOf: (request: FastifyRequest) => ResponseBody
  baseMapOrigin: string | undefined
  findKeyOrigins: FindKeyOrigins
}

/** Adds the route of the page. No cache may keep it: the policy changes with the origins of the key. */
export function addEmbedRoute(app: FastifyInstance, { bodyOf, baseMapOrigin, findKeyOrigins }: EmbedOptions): void {
  addRoute(app, {
    path: embedPath(':keyId'),
    handler: async (request, reply) => {
      const { keyId = '' } = pathParameters(request)
      const stored = (await findKeyOrigins()).byKey.get(keyId) ?? []
      const origins = stored.flatMap((text) => {
        const parsed = parseOrigin(text)
        return 'origin' in parsed ? parsed.origin : []
      })
      if (origins.length === 0) throw new CatalogError('NOT_FOUND', NO_KEY)
      // A browser says it on https and localhost; elsewhere the page shows nothing outside of a frame.
      if (request.headers['sec-fetch-dest'] === 'document') throw new CatalogError('NOT_FOUND', NO_FRAME)
      void reply
        .removeHeader('x-frame-options')
        .headers({ ...ISOLATED, 'content-security-policy': embedPolicy(origins, baseMapOrigin) })
      return sendUncacheable(request, reply, bodyOf(request))
    },
  })
}

const NO_KEY =
  'The path must end with the id of a key that has origins and is not revoked: `catalog keys create --origin` prints it'
const NO_FRAME = "This page opens only in an iframe, on a page of its key's origins"
