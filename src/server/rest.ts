import type { FastifyInstance } from 'fastify'
import { compileOperation } from '../rest/operation.ts'
import { parseQueryString } from '../rest/query-string.ts'
import { REST_ROUTES } from '../rest/routes.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import { mount } from './mount.ts'
import { sendTagged, tagBody } from './reply.ts'

interface RestOptions {
  admit: Gatekeeper
  answers: AnswerCache
  /** Whether PostgreSQL writes what it can of a page. */
  writesPages: boolean
}

/** Mounts the /v1 routes: parameters to variables, variables to a result, the result to an envelope. */
export function mountRest(app: FastifyInstance, { admit, answers, writesPages }: RestOptions): void {
  for (const route of REST_ROUTES) {
    const run = compileOperation(route, writesPages)
    mount(app, {
      path: route.path,
      methods: ['GET'],
      handler: async (request, reply) => {
        const admitted = await admit(request, reply)
        const kept = answers.find(request.url, admitted)
        if (kept) return sendTagged(request, reply, kept)
        const [, queryString = ''] = request.url.split('?', 2)
        const variables = { ...parseQueryString(route.query, queryString), ...pathParameters(request.params) }
        const { result, reading } = await admitted.readCatalog((catalog) => run(catalog, variables))
        const answer = tagBody(result.print(route.envelope(result.found)))
        answers.store(request.url, answer, admitted, reading)
        return sendTagged(request, reply, answer)
      },
    })
  }
}

/** Fastify gives the decoded parameters of the path as an object. */
function pathParameters(params: unknown): Record<string, unknown> {
  return typeof params === 'object' ? { ...params } : {}
}
