import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { CatalogError } from '../errors/errors.ts'
import { PROBLEM_MEDIA_TYPE } from './error-body.ts'

/** The content codings that the gateway can produce. */
const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * A longer header counts as absent (RFC 9110 section 12.5.1 lets a server disregard it). No program sends one, and to parse 16 kB takes a
 * quarter of a second, for a client without a key too.
 */
const MAX_HEADER_LENGTH = 1_000

/** The result for each header value. Parsing is slow, and clients send only a few different values. */
const codings = new LRUCache<string, Coding | 'identity'>({ max: 100 })

/** The content coding that the client prefers (RFC 9110 section 12.5.3); undefined for identity. */
export function chooseContentCoding(header: string | string[] | undefined): Coding | undefined {
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return undefined
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
 * Undefined if the client accepts none of them.
 */
export function findRepresentation<Form extends { mediaType: string }>(
  accept: string | undefined,
  forms: readonly [Form, ...Form[]],
): Form | undefined {
  const [first] = forms
  if (!accept || accept === '*/*' || accept === first.mediaType || accept.length > MAX_HEADER_LENGTH) return first
  const chosen = new Negotiator({ headers: { accept } }).mediaType(forms.map(withCharset))
  // A parameter that the response has not, such as `version=1`, does not matter if the client accepts no other form.
  return (
    forms.find((form) => withCharset(form) === chosen) ??
    forms.find(({ mediaType }) => namedTypes(accept).includes(mediaType))
  )
}

/** Every response is UTF-8. Some clients name the charset in `Accept`, as Relay's template does. A media type without one matches too. */
function withCharset({ mediaType }: { mediaType: string }): string {
  return `${mediaType}; charset=utf-8`
}

/**
 * The representation that the client prefers, or the first one for a client that names only problem details: it asks for errors
 * in that form, which says nothing about successful responses.
 * @throws `NOT_ACCEPTABLE` when the client accepts none of them
 */
export function chooseRepresentation<Form extends { mediaType: string }>(
  accept: string | undefined,
  forms: readonly [Form, ...Form[]],
): Form {
  const form = findRepresentation(accept, forms) ?? (acceptsProblem(accept) ? forms[0] : undefined)
  if (form) return form
  const types = forms.map(({ mediaType }) => mediaType)
  throw new CatalogError('NOT_ACCEPTABLE', `Accept must allow ${types.join(' or ')}`)
}

/** Whether a person opens the address in a browser, which prefers HTML to all. Programs do not. */
export function wantsHtml({ headers }: FastifyRequest): boolean {
  return namedTypes(headers.accept)[0] === 'text/html'
}

/** Whether the client names problem details (RFC 9457). */
export function acceptsProblem(accept: string | undefined): boolean {
  return namedTypes(accept).includes(PROBLEM_MEDIA_TYPE)
}

/** The media types that the client names with a weight above 0, in lower case, beginning with the one that it prefers. */
function namedTypes(accept: string | undefined): string[] {
  if (!accept || accept.length > MAX_HEADER_LENGTH) return []
  return new Negotiator({ headers: { accept } }).mediaTypes().map((mediaType) => mediaType.toLowerCase())
}

/**
 * Whether a `Prefer` header asks for strict handling (RFC 7240 section 4.4): an unknown parameter is an error then.
 */
export function prefersStrict(header: string | string[] | undefined): boolean {
  return preference(header, 'handling') === 'strict'
}

/** The longest wait that a client may prefer, in seconds. */
const MAX_WAIT_SECONDS = 60

/** The seconds that a client prefers to wait (RFC 7240 section 4.3), at most 60; undefined if it does not, or not from 1 on. */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const seconds = preference(header, 'wait')
  if (seconds === undefined || !/^\d+$/.test(seconds) || Number(seconds) === 0) return undefined
  return Math.min(Number(seconds), MAX_WAIT_SECONDS)
}

/** The value of a preference. Only the first one of a name counts (RFC 7240 section 2). */
function preference(header: string | string[] | undefined, wanted: string): string | undefined {
  if (header === undefined) return undefined
  const preferences = withoutSeparators(String(header)).split(',')
  const values = preferences.map((preference) => preference.split(';')[0]?.split('=').map(normalize) ?? [])
  return values.find(([name]) => name === wanted)?.[1]
}

/**
 * Removes commas, semicolons and equals signs from quoted texts. One without its end goes up to the end of the header: to look for the
 * end from each quote would take a quarter of a second for a header of 16 kB.
 */
function withoutSeparators(header: string): string {
  return header.replace(/"(?:[^"\\]|\\.?)*(?:"|$)/g, (text) => text.replace(/[,;=]/g, ' '))
}

/** A name or a value, without its quotes. Letter case has no meaning in names. */
function normalize(text: string): string {
  const trimmed = text.trim().toLowerCase()
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed
}

/** The request headers that a cacheable response depends on. */
export const VARY = 'Authorization, Accept, Accept-Encoding'

/** Adds names to the `Vary` header. */
export function appendVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}
