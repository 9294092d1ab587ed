import type { FastifyInstance, FastifyRequest } from 'fastify'
import { escapeControls } from '../errors.ts'

/**
 * The origin that the client asked, such as `https://example.org`. Behind a trusted proxy, `X-Forwarded-Proto` and
 * `X-Forwarded-Host` give it. Undefined if they, or `Host`, are not an HTTP address.
 */
export function originOf({ protocol, host }: FastifyRequest): string | undefined {
  const url = URL.parse(`${protocol}://${host}`)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isAddress ? url.origin : undefined
}

/** Clients choose the origins, so the number of lines in the log is limited. */
const MAX_ORIGINS = 20
const MAX_LENGTH = 200

/**
 * Logs the first request of each page of another origin that may not read the response. The browser tells only the user of the page.
 */
export function reportRefusedOrigins(app: FastifyInstance, corsOrigins: readonly string[]): void {
  if (corsOrigins.includes('*')) return
  const reported = new Set<string>(corsOrigins)
  const limit = reported.size + MAX_ORIGINS
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers
    if (origin !== undefined && reported.size < limit && !reported.has(origin) && origin !== originOf(request)) {
      reported.add(origin)
      const name = escapeControls(origin.slice(0, MAX_LENGTH))
      app.log.warn(
        { requestId: request.id },
        `A page of the origin ${name} may not read the response; to allow it, add the origin to CORS_ORIGINS`,
      )
    }
    done()
  })
}
