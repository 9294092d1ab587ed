import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { CatalogError } from '../errors.ts'
import { PROBLEM } from '../rest/error-body.ts'

/** Content codings that are made. */
const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Clients send but a few different headers; what they come to is kept, as parsing them takes longer than all else here. */
const codings = new LRUCache<string, Coding | 'identity'>({ max: 100 })

/** The content coding that a client likes best (RFC 9110 section 12.5.3), undefined for none. */
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
 * The form that a client likes best (RFC 9110 section 12.5.1), the first where it does not mind.
 * @throws `NOT_ACCEPTABLE` where it takes none of them
 */
export function chooseRepresentation<Form extends { mediaType: string }>(
  accept: string | undefined,
  forms: readonly [Form, ...Form[]],
): Form {
  const [first] = forms
  // That type is asked for errors' sake, and says nothing of success.
  if (!accept || accept === '*/*' || accept === first.mediaType || accept.includes(PROBLEM)) return first
  const types = forms.map(({ mediaType }) => mediaType)
  const chosen = new Negotiator({ headers: { accept } }).mediaType(types)
  const form = forms.find(({ mediaType }) => mediaType === chosen)
  if (form) return form
  throw new CatalogError('NOT_ACCEPTABLE', `Accept must allow ${types.join(' or ')}`)
}
