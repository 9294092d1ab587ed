import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** At most 128 characters that are safe in a header and in a log. */
const SAFE_ID = /^[\w.:/+=~-]{1,128}$/

/** The `X-Request-Id` of the request if it is safe, or else a new UUID. */
export function chooseRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID()
}
