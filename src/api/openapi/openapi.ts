import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { allowOrigins } from '../../gateway/cors.ts'
import { addRoute } from '../../gateway/http.ts'
import { ResponseBody, sendCacheable } from '../../gateway/reply.ts'
import { publicUrlOf } from '../../gateway/request-head.ts'
import type { Json } from './components.ts'
import { documentOfAllPaths, openApiDocument, serversAt } from './documents.ts'
import { toOpenApi30 } from './version-3-0.ts'

/** Clients choose the address, so the number of stored bodies is limited. */
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
  const [before = '', after = ''] = JSON.stringify({ ...document, servers: serversAt(PLACEHOLDER) }).split(PLACEHOLDER)
  const print = (address: string) => new ResponseBody(before + JSON.stringify(address).slice(1, -1) + after)
  addRoute(app, {
    path,
    handler: (request, reply) => {
      const address = publicUrlOf(request) ?? `${app.basePath}/`
      const known = bodies.get(address)
      const body = known ?? print(address)
      // To encode a body takes longer than everything else. A client that changes its address each time gets it as it is.
      body.isEncoded = known !== undefined
      bodies.set(address, body)
      // Other sites' tools may read it.
      allowOrigins(request, reply, ['*'])
      return sendCacheable(request, reply, body)
    },
  })
}
