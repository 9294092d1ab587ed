import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Json } from '../rest/openapi/components.ts'
import { openApiDocument, withOrigin } from '../rest/openapi/document.ts'
import { toOpenApi30 } from '../rest/openapi/version-3-0.ts'
import { originOf } from './origin.ts'
import { ResponseBody, sendCacheable } from './reply.ts'
import { addRoute } from './route.ts'

/** Clients choose the origin, so the number of stored bodies is limited. */
const MAX_BODIES = 10

/**
 * Adds /v1/openapi.json (OpenAPI 3.1) and /v1/openapi-3.0.json. They need no key, and have the address of the request.
 * @param contact is whom to ask for a key
 */
export function addOpenApiRoutes(app: FastifyInstance, contact?: string): void {
  const document = openApiDocument(contact)
  addDocumentRoute(app, '/v1/openapi.json', document)
  addDocumentRoute(app, '/v1/openapi-3.0.json', toOpenApi30(document))
}

function addDocumentRoute(app: FastifyInstance, path: string, document: Json): void {
  const bodies = new LRUCache<string, ResponseBody>({
    max: MAX_BODIES,
    memoMethod: (origin) => new ResponseBody(JSON.stringify(withOrigin(document, origin))),
  })
  addRoute(app, {
    path,
    methods: ['GET'],
    handler: (request, reply) => sendCacheable(request, reply, bodies.memo(originOf(request) ?? '/')),
  })
}
