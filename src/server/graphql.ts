import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError, validationFailed } from '../errors.ts'
import { createSubgraphSchema } from '../graphql/federation.ts'
import {
  bodyTypeOf,
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
  addBodyParser(app)

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

      const { result, print, readLog, isMutation } = await execute(readParams(), caller.readCatalog)
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

/** @throws `UNSUPPORTED_MEDIA_TYPE` */
function paramsSourceOf({ method, url, headers, body }: FastifyRequest): ParamsSource {
  if (method !== 'POST') {
    const queryString = queryStringOf(url)
    return { id: `? ${queryString}`, readParams: () => readQueryString(queryString) }
  }
  const bodyType = bodyTypeOf(headers['content-type'])
  if (bodyType === undefined)
    throw new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json or application/graphql')
  const text = typeof body === 'string' ? body : ''
  return { id: `${bodyType} ${text}`, readParams: () => readBody(bodyType, text) }
}

/** Reads bodies of any type as text, because the route decides which types it accepts. */
function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // A page on another origin can send a form without a preflight request.
    if (isForm(request)) done(new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'))
    else if (isEncoded(request)) done(new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed'))
    else if (!isUtf8(body)) done(validationFailed([{ field: 'body', message: 'must be UTF-8' }]))
    else done(null, body.toString())
  })
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding !== 'identity'
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(headers['content-type'] ?? '')
}
