import type { IncomingMessage } from 'node:http'
import { type CatalogError, validationFailed } from '../../errors.ts'

/** A name or an address, and a port (RFC 3986 sections 3.2.2 and 3.2.3). */
const HOST = /^(\[[\da-f:.]+\]|([\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d{0,5})?$/i

/** `VALIDATION_FAILED` for a request whose `Host` is missing, repeated or malformed (RFC 9112 section 3.2). */
export function findBadHost({ rawHeaders, headers, httpVersion }: IncomingMessage): CatalogError | undefined {
  let count = 0
  // Node keeps the first of several in `headers`. Names and values alternate in `rawHeaders`.
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  if (count === 1 ? HOST.test(headers.host ?? '') : count === 0 && httpVersion === '1.0') return undefined
  return validationFailed([{ field: 'Host', message: 'must be given once, as a host with an optional port' }])
}
