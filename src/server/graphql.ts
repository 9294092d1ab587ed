import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError } from '../errors.ts'
import { createSubgraphSchema } from '../graphql/federation.ts'
import {
  BODY_TYPES,
  type GraphQLParams,
  RESPONSE_TYPES,
  readBody,
  readQueryString,
  statusOf,
} from '../graphql/http/protocol.ts'
import { createYogaAdapter } from '../graphql/http/yoga.ts'
import type { RegisteredDocuments, TrustedDocuments } from '../graphql/operation/documents.ts'
import { queryStringOf } from '../query-string.ts'
import type { Admission } from './admission/admission.ts'
import { logFault, sendGraphQLError, toCatalogError } from './error-reply.ts'
import { addRoute } from './http.ts'
import { chooseRepresentation, wantsHtml } from './negotiation.ts'
import type { Pages } from './pages/pages.ts'
import { ResponseBody, sendCacheable, sendUncacheable } from './reply.ts'
import { textBody } from './request-body.ts'
import type { ResponseCache } from './response-cache.ts'

interface GraphQLOptions extends Pick<Pages, 'sendGraphiql'> {
  admit: Admission
  responses: ResponseCache
  trusted: TrustedDocuments | undefined
  registered: RegisteredDocuments | undefined
  federation: boolean
}

/** Adds /graphql: GraphiQL for a browser, GraphQL over HTTP for all other clients. */
export function addGraphQLRoute(
  app: FastifyInstance,
  { admit, responses, trusted, registered, federation, sendGraphiql }: GraphQLOptions,
): void {
  const schema = federation ? createSubgraphSchema() : undefined
  const execute = createYogaAdapter({ trusted, registered, ...(schema && { schema }) })

  addRoute(app, {
    path: '/graphql',
    methods: ['GET', 'POST'],
    onRequest: async (request, reply) => {
      if (request.method !== 'POST' && wantsHtml(request)) {
        await sendGraphiql(request, reply)
        return reply
      }
      if (request.method === 'POST') await admit(request, reply)
    },
    handler: async (request, reply) => {
      const caller = await admit(request, reply)
      const { mediaType } = chooseRepresentation(request.headers.accept, RESPONSE_TYPES)
      const { id, readParams } = paramsSourceOf(request)
      const cacheKey = `${mediaType} ${id}`
      const send = request.method === 'POST' ? sendUncacheable : sendCacheable
      const cached = responses.find(cacheKey, caller)
      if (cached.response) return send(request, reply, cached.response)
      // A document of many fields takes ten milliseconds to prepare.
      await caller.waitForTurn()

      const { print, readLog, isMutation, ...result } = await execute(readParams(), caller.readCatalog)
      if (isMutation && request.method !== 'POST') throw refusedMutation(reply)
      for (const { originalError } of result.errors ?? []) logFault(request, originalError)
      const status = statusOf(result, mediaType)
      const body = new ResponseBody(print(result), `${mediaType}; charset=utf-8`)
      if (!result.errors && readLog) cached.store(body, readLog)
      void reply.code(status)
      return status === 200 ? send(request, reply, body) : sendUncacheable(request, reply, body)
    },
    errorHandler: (error, request, reply) => sendGraphQLError(request, reply, toCatalogError(error, request)),
  })
}

/** GraphQL over HTTP has 405 for a mutation by GET, in each media type. */
function refusedMutation(reply: FastifyReply): CatalogError {
  void reply.header('allow', 'POST, OPTIONS')
  return new CatalogError('METHOD_NOT_ALLOWED', 'A mutation needs POST')
}

/** The part of a request that contains its parameters. Requests with the same `id` have the same parameters. */
interface ParamsSource {
  id: string
  readParams: () => GraphQLParams
}

/** @throws the errors of `textBody` */
function paramsSourceOf(request: FastifyRequest): ParamsSource {
  if (request.method !== 'POST') {
    const queryString = queryStringOf(request.url)
    return { id: `? ${queryString}`, readParams: () => readQueryString(queryString) }
  }
  const { type, text } = textBody(request, BODY_TYPES)
  return { id: `${type} ${text}`, readParams: () => readBody(type, text) }
}
