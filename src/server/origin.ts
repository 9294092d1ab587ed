import type { FastifyRequest } from 'fastify'

/**
 * The origin that the client asked, such as `https://example.org`. Behind a trusted proxy, `X-Forwarded-Proto` and
 * `X-Forwarded-Host` give it. Undefined if they, or `Host`, are not an HTTP address.
 */
export function originOf({ protocol, host }: FastifyRequest): string | undefined {
  const url = URL.parse(`${protocol}://${host}`)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isAddress ? url.origin : undefined
}
