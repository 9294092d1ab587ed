import type { FastifyReply } from 'fastify'

/** The request headers that a cacheable response depends on. */
export const VARY = 'Authorization, Accept, Accept-Encoding'

/** Adds names to the `Vary` header, which the CORS plugin may have set already. */
export function appendVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}
