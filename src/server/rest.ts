import type { FastifyInstance } from 'fastify'
import { pageLinks } from '../rest/links.ts'
import { parseQueryString } from '../rest/query-string.ts'
import { representationsOf } from '../rest/representations.ts'
import { REST_ROUTES } from '../rest/routes.ts'
import type { Admission } from './admission/admission.ts'
import { chooseRepresentation } from './negotiation.ts'
import { ResponseBody, sendCacheable } from './reply.ts'
import type { ResponseCache } from './response-cache.ts'
import { addRoute } from './route.ts'

interface RestOptions {
  admit: Admission
  answers: ResponseCache
  /** Whether PostgreSQL writes what it can of a page. */
  writesPages: boolean
}

/** Mounts the /v1 routes: parameters to variables, variables to a result, the result to an envelope. */
export function addRestRoutes(app: FastifyInstance, { admit, answers, writesPages }: RestOptions): void {
  for (const route of REST_ROUTES) {
    const representations = representationsOf(route, writesPages)
    addRoute(app, {
      path: route.path,
      methods: ['GET'],
      handler: async (request, reply) => {
        const caller = await admit(request, reply)
        const { answer, ...form } = chooseRepresentation(request.headers.accept, representations)
        const name = `${form.mediaType} ${request.url}`
        const kept = answers.find(name, caller)
        if (kept) return sendCacheable(request, reply, kept)
        const [, queryString = ''] = request.url.split('?', 2)
        const variables = { ...parseQueryString(route.query, queryString), ...pathParameters(request.params) }
        const { result, readLog } = await caller.readCatalog((catalog) => answer(catalog, variables))
        const tagged = new ResponseBody(result.body, form.contentType, pageLinks(request.url, result.meta))
        answers.store(name, tagged, caller, readLog)
        return sendCacheable(request, reply, tagged)
      },
    })
  }
}

/** Fastify gives the decoded parameters of the path as an object. */
function pathParameters(params: unknown): Record<string, unknown> {
  return typeof params === 'object' ? { ...params } : {}
}
