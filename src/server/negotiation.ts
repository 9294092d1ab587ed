import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { CatalogError } from '../errors.ts'
import { PROBLEM_MEDIA_TYPE } from '../rest/error-body.ts'

/** The content codings that the gateway can produce. */
const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** The result for each header value. Parsing is slow, and clients send only a few different values. */
const codings = new LRUCache<string, Coding | 'identity'>({ max: 100 })

/** The content coding that the client prefers (RFC 9110 section 12.5.3); undefined for identity. */
export function chooseContentCoding(header: string | string[] | undefined): Coding | undefined {
  if (typeof header !== 'string') return undefined
  let coding = codings.get(header)
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': header } })
    const chosen = negotiator.encoding([...CODINGS, 'identity'])
    coding = CODINGS.find((candidate) => candidate === chosen) ?? 'identity'
    codings.set(header, coding)
  }
  return coding === 'identity' ? undefined : coding
}

/**
 * The representation that the client prefers (RFC 9110 section 12.5.1), or the first one if the client has no preference.
 * @throws `NOT_ACCEPTABLE` when the client accepts none of them
 */
export function chooseRepresentation<Form extends { mediaType: string }>(
  accept: string | undefined,
  forms: readonly [Form, ...Form[]],
): Form {
  const [first] = forms
  if (!accept || accept === '*/*' || accept === first.mediaType) return first
  const types = forms.map(({ mediaType }) => mediaType)
  const chosen = new Negotiator({ headers: { accept } }).mediaType(types)
  const form = forms.find(({ mediaType }) => mediaType === chosen)
  if (form) return form
  // A client asks for problem+json to get errors in that form. This says nothing about successful responses.
  if (accept.includes(PROBLEM_MEDIA_TYPE)) return first
  throw new CatalogError('NOT_ACCEPTABLE', `Accept must allow ${types.join(' or ')}`)
}
