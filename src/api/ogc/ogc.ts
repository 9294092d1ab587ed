import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError } from '../../errors/errors.ts'
import type { Caller } from '../../gateway/admission/admission.ts'
import { addDoor, type Services } from '../../gateway/answer.ts'
import { problemBody } from '../../gateway/error-body.ts'
import { sendError, toCatalogError, withContact } from '../../gateway/error-reply.ts'
import { pathParameters } from '../../gateway/http.ts'
import { chooseContentCoding, wantsHtml } from '../../gateway/negotiation.ts'
import { queryStringOf } from '../../gateway/query-string.ts'
import { ResponseBody, sendIfUnchanged } from '../../gateway/reply.ts'
import { publicUrlOf } from '../../gateway/request-head.ts'
import { apiDefinition } from '../openapi/documents.ts'
import type { Pages } from '../pages/pages.ts'
import { CRS84, FORMS, type Form } from './media-types.ts'
import type { OgcRoute } from './route.ts'
import { OGC_ROUTES } from './routes.ts'

/*
 * OGC API Features at /ogc (docs/ogc.md).
 */

const PREFIX = '/ogc'

/** A larger response is not cached: a client that reads a whole collection would displace all other responses. */
const MAX_CACHED_BYTES = 1024 * 1024

interface OgcOptions extends Pick<Pages, 'sendOgc'> {
  /** Whom to ask for a key. */
  contact?: string | undefined
}

/** The resources that a browser gets as a page without `f`. Of the others, a person who opens them wants the JSON. */
const OPEN_AS_PAGES = new Set(['getLandingPage', 'getCollections', 'getCollection', 'getFeatures', 'getFeature'])

/** Adds the routes of OGC API Features. Their errors are problem details. */
export function addOgcRoutes(app: FastifyInstance, services: Services, { contact, sendOgc }: OgcOptions): void {
  const addAll = async (scope: FastifyInstance) => {
    scope.setErrorHandler((error, request, reply) =>
      sendProblem(request, reply, withContact(toCatalogError(error, request), request, contact)),
    )
    scope.setNotFoundHandler((request, reply) =>
      sendProblem(request, reply, new CatalogError('NOT_FOUND', 'There is no such path')),
    )
    for (const route of OGC_ROUTES) addOgcRoute(scope, services, route, sendOgc)
  }
  void app.register(addAll, { prefix: PREFIX })
}

const withMediaType = (form: Form) => ({ form, mediaType: FORMS[form] })

function sendProblem(request: FastifyRequest, reply: FastifyReply, error: CatalogError): FastifyReply {
  return sendError(request, reply.removeHeader('content-crs'), error, problemBody)
}

function addOgcRoute(scope: FastifyInstance, services: Services, route: OgcRoute, sendOgc: Pages['sendOgc']): void {
  const [first, ...others] = route.forms
  const forms = [withMediaType(first), ...others.filter((form) => form !== 'html').map(withMediaType)] as const
  // HTTP/1.0 needs no Host, and a proxy can forward anything.
  const gatewayOf = (request: FastifyRequest) =>
    publicUrlOf(request) ?? `http://localhost:${request.socket.localPort}${scope.basePath}`
  addDoor(scope, services, {
    // Fastify adds the path without the slash, too.
    path: route.path.slice(PREFIX.length) || '/',
    forms,
    choose: (request) => {
      const f = new URLSearchParams(queryStringOf(request.url)).get('f')
      // The page asks for JSON itself, with the key of the person.
      const isPage = f === 'html' || (f === null && OPEN_AS_PAGES.has(route.name) && wantsHtml(request))
      return isPage ? sendOgc : forms.find(({ form }) => form === f)
    },
    ask: ({ request, reply, form: { form, mediaType } }) => {
      const gateway = gatewayOf(request)
      // OGC 18-058r1, requirement /req/crs/ogc-crs-header.
      if (route.hasFeatures) void reply.header('content-crs', `<${CRS84}>`)
      return {
        cacheKey: `${mediaType} ${gateway}${request.url}`,
        parse: () =>
          route.resource({
            base: gateway + PREFIX,
            apiDefinition,
            self: addressOf(request.url, gateway),
            form,
            forms: route.forms,
            url: request.url,
            path: pathParameters(request),
            reserve: (bytes) => request.server.unread.reserve(request, reply, bytes),
          }),
      }
    },
    read: async ({ read, version }, { request, reply, caller }) => {
      if (version && (await isUnchanged(request, reply, caller, version))) return undefined
      const { result, readLog } = await caller.readCatalog(read)
      return { result, ...(Buffer.byteLength(result.body) <= MAX_CACHED_BYTES && { readLog }) }
    },
    render: (result, { form }) => new ResponseBody(result.body, form.mediaType, result),
  })
}

/**
 * The address of a request to this gateway. The target of a request may name another host (RFC 9112 section 3.2.2).
 * @param url is the target of a request that has a route, so it is a valid URL
 */
function addressOf(url: string, gateway: string): string {
  const address = new URL(gateway + new URL(url, gateway).pathname)
  address.search = queryStringOf(url)
  return address.href
}

/** Sends 304 if the client has the current version, which is known without the body. Returns whether it is sent. */
async function isUnchanged(
  request: FastifyRequest,
  reply: FastifyReply,
  { readCatalog }: Caller,
  version: NonNullable<ReturnType<OgcRoute['resource']>['version']>,
): Promise<boolean> {
  const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = request.headers
  if (ifNoneMatch === undefined) return false
  const { result: etag } = await readCatalog(version)
  void reply.header('cache-control', 'private, no-cache')
  return sendIfUnchanged(request, reply, { etag, isWeak: true, coding: chooseContentCoding(acceptEncoding) })
}
