import type { FastifyInstance } from 'fastify'
import { parseQueryString, queryStringOf } from '../query-string.ts'
import { pageLinks, representationsOf } from '../rest/envelope.ts'
import { REST_ROUTES } from '../rest/routes.ts'
import type { Admission } from './admission/admission.ts'
import { addRoute, pathParameters } from './http.ts'
import { appendVary, chooseRepresentation, prefersStrict } from './negotiation.ts'
import { ResponseBody } from './reply.ts'
import type { ResponseCache } from './response-cache.ts'

interface RestOptions {
  admit: Admission
  responses: ResponseCache
}

/** Adds the /v1 routes. Each turns parameters into variables, executes its operation and sends the result as an envelope. */
export function addRestRoutes(app: FastifyInstance, { admit, responses }: RestOptions): void {
  void app.register(async (routes) => {
    // Before the routes, so that all responses have the headers: also errors, and responses to other methods.
    routes.addHook('onRequest', (request, reply, done) => {
      appendVary(reply, 'Prefer')
      if (prefersStrict(request.headers.prefer)) void reply.header('preference-applied', 'handling=strict')
      done()
    })
    for (const route of REST_ROUTES) {
      const representations = representationsOf(route)
      const schemas = { lenient: route.query, strict: route.query.strict() }
      addRoute(routes, {
        path: route.path,
        handler: async (request, reply) => {
          const caller = await admit(request, reply)
          const { respond, mediaType, contentType } = chooseRepresentation(request.headers.accept, representations)
          const handling = prefersStrict(request.headers.prefer) ? 'strict' : 'lenient'
          const cacheKey = `${mediaType} ${handling} ${request.url}`
          return responses.send({ request, reply, caller, cacheKey }, async () => {
            const query = parseQueryString(schemas[handling], queryStringOf(request.url))
            const variables = { ...query, ...pathParameters(request) }
            const { body, meta, readLog } = await respond(caller.readCatalog, variables)
            const links = pageLinks({ base: app.basePath, url: request.url }, meta, Object.keys(route.query.shape))
            return { response: new ResponseBody(body, contentType, { links }), readLog }
          })
        },
      })
    }
  })
}
