import type { FastifyInstance } from 'fastify'
import { addDoor, type Services } from '../../gateway/answer.ts'
import { pathParameters, pathTemplate } from '../../gateway/http.ts'
import { appendVary, prefersStrict } from '../../gateway/negotiation.ts'
import { ignoredParameters, parseQueryString, queryStringOf } from '../../gateway/query-string.ts'
import { ResponseBody } from '../../gateway/reply.ts'
import { pageLinks, representationsOf } from './envelope.ts'
import { REST_ROUTES } from './routes.ts'

/** Adds the /v1 routes. Each turns parameters into variables, executes its operation and sends the result as an envelope. */
export function addRestRoutes(app: FastifyInstance, services: Services): void {
  app.pathHints.set('/v1/', `There are ${REST_ROUTES.map(({ path }) => pathTemplate(path)).join(', ')}`)
  void app.register(async (routes) => {
    // Before the routes, so that all responses have the headers: also errors, and responses to other methods.
    routes.addHook('onRequest', (request, reply, done) => {
      appendVary(reply, 'Prefer')
      if (prefersStrict(request.headers.prefer)) void reply.header('preference-applied', 'handling=strict')
      done()
    })
    for (const route of REST_ROUTES) {
      const schemas = { lenient: route.query, strict: route.query.strict() }
      const parameters = Object.keys(route.query.shape)
      addDoor(routes, services, {
        path: route.path,
        forms: representationsOf(route),
        ask: ({ request, form }) => {
          const handling = prefersStrict(request.headers.prefer) ? 'strict' : 'lenient'
          return {
            cacheKey: `${form.mediaType} ${handling} ${request.url}`,
            parse: () => ({
              ...parseQueryString(schemas[handling], queryStringOf(request.url)),
              ...pathParameters(request),
            }),
          }
        },
        read: async (variables, { caller, form }) => {
          const { readLog, ...result } = await form.respond(caller.readCatalog, variables)
          return { result, readLog }
        },
        render: ({ body, meta }, { request, form }) =>
          new ResponseBody(body, form.contentType, {
            links: pageLinks({ base: app.basePath, url: request.url }, meta, parameters),
            ignored: ignoredParameters(queryStringOf(request.url), parameters),
          }),
      })
    }
  })
}
