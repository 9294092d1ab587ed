import { MAX_LINK_LENGTH } from '../rest/envelope.ts'

/** A link (OGC 17-069r4, section 7.1.1; RFC 8288). */
export interface Link {
  href: string
  rel: string
  type: string
  title?: string
}

/**
 * Links as the value of the `Link` header (RFC 8288); undefined if long parameters would make it too long for clients. The body has the
 * links in any case, and their titles, because headers contain only ASCII.
 */
export function linkHeader(links: readonly Link[]): string | undefined {
  const header = links
    .map(({ href, rel, type }) => `<${href}>; rel="${rel}"; type="${type.replaceAll('"', '')}"`)
    .join(', ')
  return header.length <= MAX_LINK_LENGTH ? header : undefined
}

/** The address of the request with another value of a parameter, or with one more. */
export function withParameter(url: string, name: string, value: string): string {
  const other = new URL(url)
  other.searchParams.set(name, value)
  return other.href
}
