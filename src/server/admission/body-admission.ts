import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, Caller } from './admission.ts'

interface BodyAdmission {
  /** Admits a request by its head, so that no body is read without a valid key. */
  admitHead: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /**
   * Returns the caller of an admitted request. If the request has a body, the key is checked again.
   * @throws `UNAUTHORIZED`
   */
  callerOf: (request: FastifyRequest) => Promise<Caller>
}

/** Creates the admission of a route whose requests may have a body. */
export function createBodyAdmission(admit: Admission): BodyAdmission {
  const callers = new WeakMap<FastifyRequest, Caller>()
  return {
    admitHead: async (request, reply) => {
      callers.set(request, await admit(request, reply))
    },
    callerOf: async (request) => {
      const caller = callers.get(request)
      if (!caller) throw new TypeError('The request was not admitted')
      return request.method === 'POST' ? caller.renew() : caller
    },
  }
}
