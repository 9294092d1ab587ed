import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError } from '../../errors/errors.ts'
import { addDoor, type Services } from '../../gateway/answer.ts'
import { logFault, sendErrorBody, toCatalogError } from '../../gateway/error-reply.ts'
import { findRepresentation, wantsHtml } from '../../gateway/negotiation.ts'
import { queryStringOf } from '../../gateway/query-string.ts'
import { ResponseBody } from '../../gateway/reply.ts'
import { textBody } from '../../gateway/request-body.ts'
import { createSubgraphSchema } from '../../graphql/federation.ts'
import type { RegisteredDocuments, TrustedDocuments } from '../../graphql/operation/documents.ts'
import type { Pages } from '../pages/pages.ts'
import { BODY_TYPES, type GraphQLParams, RESPONSE_TYPES, readBody, readQueryString, statusOf } from './protocol.ts'
import { createYogaAdapter } from './yoga.ts'

interface GraphQLOptions extends Pick<Pages, 'sendGraphiql'> {
  trusted: TrustedDocuments | undefined
  registered: RegisteredDocuments | undefined
  federation: boolean
}

/** Adds /graphql: GraphiQL for a browser, GraphQL over HTTP for all other clients. */
export function addGraphQLRoute(
  app: FastifyInstance,
  services: Services,
  { trusted, registered, federation, sendGraphiql }: GraphQLOptions,
): void {
  const schema = federation ? createSubgraphSchema() : undefined
  const execute = createYogaAdapter({ trusted, registered, ...(schema && { schema }) })

  addDoor(app, services, {
    path: '/graphql',
    methods: ['GET', 'POST'],
    forms: RESPONSE_TYPES,
    choose: (request) => (request.method !== 'POST' && wantsHtml(request) ? sendGraphiql : undefined),
    ask: ({ request, form }) => {
      const { id, readParams } = paramsSourceOf(request)
      return { cacheKey: `${form.mediaType} ${id}`, parse: () => readParams }
    },
    read: async (readParams, { request, reply, caller }) => {
      const { print, readLog, isMutation, ...result } = await execute(readParams(), caller.readCatalog)
      if (isMutation && request.method !== 'POST') throw refusedMutation(reply)
      for (const { originalError } of result.errors ?? []) logFault(request, originalError)
      return { result: { result, print }, ...(!result.errors && { readLog }) }
    },
    render: ({ result, print }, { reply, form: { mediaType } }) => {
      void reply.code(statusOf(result, mediaType))
      return new ResponseBody(print(result), `${mediaType}; charset=utf-8`)
    },
    errorHandler: sendGraphQLError,
  })
}

/** Sends an error in the form of GraphQL over HTTP, for a request that can't be executed. */
function sendGraphQLError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toCatalogError(thrown, request)
  const { mediaType } = findRepresentation(request.headers.accept, RESPONSE_TYPES) ?? RESPONSE_TYPES[0]
  const body = { errors: [{ message: error.message, extensions: error.extensions }] }
  sendErrorBody(request, reply, error, { contentType: `${mediaType}; charset=utf-8`, body })
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
