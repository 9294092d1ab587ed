import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ReadLog } from '../catalog/snapshot/read-log.ts'
import type { Admission, Caller } from './admission/admission.ts'
import { addRoute, type Route } from './http.ts'
import { chooseRepresentation } from './negotiation.ts'
import { type ResponseBody, sendCacheable, sendUncacheable } from './reply.ts'
import type { ResponseCache } from './response-cache.ts'

type SendPage = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>

/** What all doors share. */
export interface Services {
  admit: Admission
  responses: ResponseCache
}

/** An admitted request, and the form of its response. */
export interface Asked<Form> {
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller
  form: Form
}

/** A path, and how its requests are answered. The steps run in the order of the members; each may throw a `CatalogError`. */
export interface Door<Form extends { mediaType: string }, Query, Result> extends Omit<Route, 'handler' | 'onRequest'> {
  /** The forms of the response. `Accept` chooses one, if `choose` does not. */
  forms: readonly [Form, ...Form[]]
  /** A form that the request names, or the function that sends a page to a person, who needs no key for it. */
  choose?: (request: FastifyRequest) => Form | SendPage | undefined
  /**
   * Requests with the same cache key have the same response. Only without a cached one the request is parsed. A stream has no cache key. A
   * request may wait first: for its turn, which ends with the function that `wait` returns.
   */
  ask: (asked: Asked<Form>) => { cacheKey?: string; parse: () => Query; wait?: (() => Promise<() => void>) | undefined }
  /** The result, and the read log if the response may be cached; undefined if the response is sent already. */
  read: (query: Query, asked: Asked<Form>) => Promise<{ result: Result; readLog?: ReadLog | undefined } | undefined>
  render: (result: Result, asked: Asked<Form>) => ResponseBody | Readable
}

/** Adds a door. A request goes one way through it: admit, cached?, parse, read, render, send. */
export function addDoor<Form extends { mediaType: string }, Query, Result>(
  app: FastifyInstance,
  { admit, responses }: Services,
  { forms, choose, ask, read, render, ...route }: Door<Form, Query, Result>,
): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const chosen = choose?.(request)
    if (typeof chosen === 'function') return chosen(request, reply)
    const caller = await admit(request, reply)
    const form = chosen ?? chooseRepresentation(request.headers.accept, forms)
    const asked = { request, reply, caller, form }
    const { cacheKey, parse, wait } = ask(asked)
    const endTurn = wait && (await wait())
    try {
      // The key may have changed while the request waited.
      if (wait) asked.caller = await admit(request, reply)
      const cached = cacheKey === undefined ? undefined : responses.find(cacheKey, asked.caller)
      if (cached?.response) return send(asked, cached.response)
      const found = await read(parse(), asked)
      if (!found) return
      const response = render(found.result, asked)
      if (response instanceof Readable) return void reply.send(response)
      if (found.readLog) cached?.store(response, found.readLog)
      return send(asked, response)
    } finally {
      endTurn?.()
    }
  }
  // No body is read without a valid key.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'POST') await admit(request, reply)
  }
  addRoute(app, { ...route, handler: answer, ...(route.methods?.includes('POST') && { onRequest }) })
}

/** Only a successful response to GET has an entity tag. */
function send({ request, reply }: Omit<Asked<unknown>, 'caller' | 'form'>, response: ResponseBody) {
  const isCacheable = request.method !== 'POST' && reply.statusCode === 200
  return isCacheable ? sendCacheable(request, reply, response) : sendUncacheable(request, reply, response)
}
