import type { FastifyInstance } from 'fastify'
import { pageLinks } from '../rest/links.ts'
import { parseQueryString } from '../rest/query-string.ts'
import { representationsOf } from '../rest/representations.ts'
import { REST_ROUTES } from '../rest/routes.ts'
import { chooseForm } from './accept.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import { mount } from './mount.ts'
import { sendTagged, TaggedBody } from './reply.ts'

interface RestOptions {
  admit: Gatekeeper
  answers: AnswerCache
  /** Whether PostgreSQL writes what it can of a page. */
  writesPages: boolean
}

/** Mounts the /v1 routes: parameters to variables, variables to a result, the result to an envelope. */
export function mountRest(app: FastifyInstance, { admit, answers, writesPages }: RestOptions): void {
  for (const route of REST_ROUTES) {
    const representations = representationsOf(route, writesPages)
    mount(app, {
      path: route.path,
      methods: ['GET'],
      handler: async (request, reply) => {
        const admitted = await admit(request, reply)
        const { answer, ...form } = chooseForm(request.headers.accept, representations)
        const name = `${form.mediaType} ${request.url}`
        const kept = answers.find(name, admitted)
        if (kept) return sendTagged(request, reply, kept)
        const [, queryString = ''] = request.url.split('?', 2)
        const variables = { ...parseQueryString(route.query, queryString), ...pathParameters(request.params) }
        const { result, reading } = await admitted.readCatalog((catalog) => answer(catalog, variables))
        const tagged = new TaggedBody(result.body, form.contentType, pageLinks(request.url, result.meta))
        answers.store(name, tagged, admitted, reading)
        return sendTagged(request, reply, tagged)
      },
    })
  }
}

/** Fastify gives the decoded parameters of the path as an object. */
function pathParameters(params: unknown): Record<string, unknown> {
  return typeof params === 'object' ? { ...params } : {}
}
