import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Json } from '../../rest/openapi/components.ts'
import { openApiDocument, withOrigin } from '../../rest/openapi/document.ts'
import { toOpenApi30 } from '../../rest/openapi/version-3-0.ts'
import { addRoute } from '../http.ts'
import { ResponseBody, sendCacheable } from '../reply.ts'
import { originOf } from '../request-head.ts'
import { documentOfAllPaths } from './document.ts'

/** Clients choose the origin, so the number of stored bodies is limited. */
const MAX_BODIES = 10
const PLACEHOLDER = 'https://placeholder.invalid'

/**
 * Adds /openapi.json (all paths, OpenAPI 3.1), /v1/openapi.json and /v1/openapi-3.0.json (the REST routes). They need no key, and
 * have the address of the request.
 * @param contact is whom to ask for a key
 */
export function addOpenApiRoutes(app: FastifyInstance, contact?: string): void {
  const document = openApiDocument(contact)
  addDocumentRoute(app, '/openapi.json', documentOfAllPaths(contact))
  addDocumentRoute(app, '/v1/openapi.json', document)
  addDocumentRoute(app, '/v1/openapi-3.0.json', toOpenApi30(document))
}

function addDocumentRoute(app: FastifyInstance, path: string, document: Json): void {
  const bodies = new LRUCache<string, ResponseBody>({ max: MAX_BODIES })
  // The document is printed once. `PLACEHOLDER` is no part of it, and needs no escapes.
  const [before = '', after = ''] = JSON.stringify(withOrigin(document, PLACEHOLDER)).split(PLACEHOLDER)
  const print = (origin: string) => new ResponseBody(before + JSON.stringify(origin).slice(1, -1) + after)
  addRoute(app, {
    path,
    handler: (request, reply) => {
      const origin = originOf(request) ?? '/'
      const known = bodies.get(origin)
      const body = known ?? print(origin)
      // To encode a body takes longer than everything else. A client that changes its origin each time gets it as it is.
      body.isEncoded = known !== undefined
      bodies.set(origin, body)
      return sendCacheable(request, reply, body)
    },
  })
}
