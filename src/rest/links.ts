import type { Envelope } from './envelope.ts'

/**
 * Where the other pages of a list are, as a `Link` header has it (RFC 8288), relative to the server; undefined for what has no pages.
 * @param url is the request's path and query string, of which only the page number changes
 */
export function pageLinks(url: string, { page, limit, total }: Envelope['meta']): string | undefined {
  if (typeof page !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return undefined
  const [path = '', queryString] = url.split('?', 2)
  const last = Math.max(1, Math.ceil(total / limit))
  const query = new URLSearchParams(queryString)
  query.delete('page')
  const start = `${path}?${query}${query.size > 0 ? '&' : ''}page=`
  const link = (relation: string, number: number) => `<${start}${number}>; rel="${relation}"`
  return [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ].join(', ')
}
