import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CatalogError, validationFailed } from '../errors.ts'
import { createDirect } from '../graphql/direct.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import type { TrustedDocuments } from '../graphql/persisted-documents.ts'
import { createGraphQL } from '../graphql/yoga.ts'
import type { Admission, Caller } from './admission/admission.ts'
import { graphiqlPage, graphiqlPolicy } from './pages/graphiql.ts'
import { ResponseBody, sendCacheable, sendGraphQLError, sendUncacheable, toCatalogError } from './reply.ts'
import type { ResponseCache } from './response-cache.ts'
import { addRoute } from './route.ts'

interface GraphQLOptions {
  admit: Admission
  answers: ResponseCache
  trusted: TrustedDocuments | undefined
  /** Whether plain requests go past Yoga. */
  isDirect: boolean
  /** Whether PostgreSQL writes what it can of a page. */
  writesPages: boolean
}

/** Mounts /graphql: for a browser that comes to look, GraphiQL, and for all others GraphQL over HTTP. */
export function addGraphQLRoute(app: FastifyInstance, options: GraphQLOptions): void {
  const { admit, answers, trusted, isDirect, writesPages } = options
  const caller = new WeakMap<FastifyRequest, Caller>()
  // Of some 9 MB, so kept as it is sent.
  const html = graphiqlPage()
  const page = new ResponseBody(Buffer.from(html), 'text/html; charset=utf-8')
  const pagePolicy = graphiqlPolicy(html)
  const report = (error: CatalogError) => {
    if (error.cause !== undefined) app.log.error({ err: error.cause }, error.message)
  }
  const yoga = createGraphQL(report, trusted)
  // Trusted documents are Yoga's to tell from others.
  const answerDirectly =
    isDirect && !trusted ? createDirect(writesPages, (error) => report(catalogErrorOf(error))) : undefined

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // A form can be sent from any page without asking, so none is taken.
    if (isForm(request)) done(new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'))
    else if (isEncoded(request)) done(new CatalogError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed'))
    else if (!isUtf8(body)) done(validationFailed([{ field: 'body', message: 'must be UTF-8' }]))
    else done(null, body.toString())
  })

  addRoute(app, {
    path: '/graphql',
    methods: ['GET', 'POST'],
    onRequest: async (request, reply) => {
      if (wantsPage(request)) {
        await sendCacheable(request, reply.header('content-security-policy', pagePolicy), page)
        return reply
      }
      caller.set(request, await admit(request, reply))
    },
    handler: async (request, reply) => {
      const asker = caller.get(request)
      if (!asker) throw new TypeError('The request was not admitted')
      const { readCatalog } = asker
      const plainType = typeof request.body === 'string' && isPlainJson(request) ? plainTypeFor(request) : undefined
      if (answerDirectly && plainType !== undefined && typeof request.body === 'string') {
        const name = `${plainType} ${request.body}`
        const kept = answers.find(name, asker)
        if (kept) return sendUncacheable(request, reply, kept)
        const answer = await answerDirectly(request.body, readCatalog)
        if (answer) {
          const tagged = new ResponseBody(answer.body, plainType)
          if (!answer.hasErrors) answers.store(name, tagged, asker, answer.readLog)
          return sendUncacheable(request, reply, tagged)
        }
      }
      const response = await yoga.handleNodeRequestAndResponse(request, reply, { readCatalog })
      response.headers.forEach((value, name) => {
        if (name !== 'content-length') void reply.header(name, value)
      })
      const answer = new ResponseBody(await response.text(), response.headers.get('content-type') ?? undefined)
      if (request.method !== 'POST' && response.status === 200) return sendCacheable(request, reply, answer)
      return sendUncacheable(request, reply.code(response.status), answer)
    },
    errorHandler: (error, request, reply) => sendGraphQLError(request, reply, toCatalogError(error, request)),
  })
}

function isPlainJson({ headers }: FastifyRequest): boolean {
  return /^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')
}

/** The type of the answer to a POST, where the client's wishes are plain. */
function plainTypeFor({ headers: { accept = '*/*' } }: FastifyRequest): string | undefined {
  const type = PLAIN_TYPES[accept]
  return type === undefined ? undefined : `${type}; charset=utf-8`
}

/** What Yoga answers these with. */
const PLAIN_TYPES: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/json': 'application/json',
  'application/graphql-response+json': 'application/graphql-response+json',
}

/** Whether a browser has come to look: it asks for HTML, and for no query. */
function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  return (
    method !== 'POST' &&
    headers.accept?.includes('text/html') === true &&
    !new URLSearchParams(url.split('?')[1]).has('query')
  )
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding !== 'identity'
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(headers['content-type'] ?? '')
}
