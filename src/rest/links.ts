import { queryStringOf } from '../query-string.ts'
import type { Envelope } from './envelope.ts'

/** In bytes. nginx refuses a response with more than 4 kB of headers by default, Node's client one with more than 16 kB. */
const MAX_LENGTH = 3_000

/**
 * The other pages of a list as a `Link` header (RFC 8288), relative to the server; undefined for a response without pages, and if
 * long parameters would make the header too long for clients.
 * @param url is the target of the request: a path or an absolute URL (RFC 9112 section 3.2), and a query string.
 * @param parameters are the names of the parameters that the route knows. The links repeat no others.
 */
export function pageLinks(
  url: string,
  { page, limit, total }: Envelope['meta'],
  parameters: readonly string[],
): string | undefined {
  if (typeof page !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return undefined
  const last = Math.max(1, Math.ceil(total / limit))
  const { pathname } = new URL(url, 'http://localhost')
  const query = new URLSearchParams(queryStringOf(url))
  for (const name of new Set(query.keys())) if (name === 'page' || !parameters.includes(name)) query.delete(name)
  const start = `${pathname}?${query}${query.size > 0 ? '&' : ''}page=`
  const link = (relation: string, number: number) => `<${start}${number}>; rel="${relation}"`
  const links = [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ].join(', ')
  return links.length <= MAX_LENGTH ? links : undefined
}
