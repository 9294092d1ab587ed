import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ReadCatalog } from '../catalog/reader.ts'
import { CatalogError, validationFailed } from '../errors.ts'
import type { TrustedDocuments } from '../graphql/documents.ts'
import { createGraphQL } from '../graphql/yoga.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import { graphiqlPage } from './graphiql.ts'
import { mount } from './mount.ts'
import { sendGraphQLError, sendTagged, tagBody, toCatalogError } from './reply.ts'

/** Mounts /graphql: for a browser that comes to look, GraphiQL, and for all others GraphQL over HTTP. */
export function mountGraphQL(app: FastifyInstance, admit: Gatekeeper, trusted: TrustedDocuments | undefined): void {
  const readers = new WeakMap<FastifyRequest, ReadCatalog>()
  // Of some 9 MB, so kept as it is sent.
  const page = tagBody(Buffer.from(graphiqlPage()), 'text/html; charset=utf-8')
  const yoga = createGraphQL((error) => app.log.error({ err: error.cause }, error.message), trusted)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // A form can be sent from any page without asking, so none is taken.
    if (isForm(request)) throw new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json')
    return decodeUtf8(body)
  })

  mount(app, {
    path: '/graphql',
    methods: ['GET', 'POST'],
    onRequest: async (request, reply) => {
      if (wantsPage(request)) return sendTagged(request, reply, page)
      readers.set(request, await admit(request, reply))
    },
    handler: async (request, reply) => {
      const readCatalog = readers.get(request)
      if (!readCatalog) throw new TypeError('The request was not admitted')
      const response = await yoga.handleNodeRequestAndResponse(request, reply, { readCatalog })
      response.headers.forEach((value, name) => {
        void reply.header(name, value)
      })
      const body = await response.text()
      if (request.method !== 'POST' && response.status === 200) {
        return sendTagged(request, reply, tagBody(body, response.headers.get('content-type') ?? undefined))
      }
      return reply.code(response.status).header('cache-control', 'no-store').send(body)
    },
    errorHandler: (error, request, reply) => sendGraphQLError(request, reply, toCatalogError(error, request)),
  })
}

/** Whether a browser has come to look: it asks for HTML, and for no query. */
function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  return (
    method !== 'POST' &&
    headers.accept?.includes('text/html') === true &&
    !new URLSearchParams(url.split('?')[1]).has('query')
  )
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(headers['content-type'] ?? '')
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    if (error instanceof TypeError) throw validationFailed([{ field: 'body', message: 'must be UTF-8' }])
    throw error
  }
}
