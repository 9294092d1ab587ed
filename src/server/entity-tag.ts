import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError } from '../errors.ts'
import { appendVary, type Coding, VARY } from './negotiation.ts'

/** The entity tag of a content, and the content coding of the response. */
interface CodedTag {
  /** Without `W/`. */
  etag: string
  isWeak?: boolean
  coding: Coding | undefined
}

/** The tag of the coded content: the bytes differ in each content coding, and so must the tags (RFC 9110 section 8.8.3.3). */
export function entityTag({ etag, isWeak = false, coding }: CodedTag): string {
  const prefix = isWeak ? 'W/' : ''
  return prefix + (coding ? `${etag.slice(0, -1)}-${coding}"` : etag)
}

/**
 * Sends 304 if the client has the content already (RFC 9110 section 13.1.2).
 * @returns whether the response is sent
 * @throws `PRECONDITION_FAILED` when `If-Match` names other tags (section 13.1.1)
 */
export function sendIfUnchanged(request: FastifyRequest, reply: FastifyReply, tag: CodedTag): boolean {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  if (ifMatch !== undefined && findTag(ifMatch, tag.etag, 'strong') === undefined) {
    throw new CatalogError('PRECONDITION_FAILED', 'If-Match names another version of the response')
  }
  const matched = ifNoneMatch === undefined ? undefined : findTag(ifNoneMatch, tag.etag, 'weak')
  if (matched === undefined) return false
  appendVary(reply, VARY)
  void reply
    .header('etag', matched === '*' || tag.isWeak ? entityTag(tag) : matched.replace(/^W\//, ''))
    .code(304)
    .send()
  return true
}

/**
 * Finds the tag in a list of tags that names the content, in any content coding. The tag `*` names any content. A strong
 * comparison ignores weak tags (RFC 9110 section 8.8.3.2).
 */
function findTag(list: string, etag: string, comparison: 'strong' | 'weak'): string | undefined {
  if (list === etag) return etag
  return list
    .split(',')
    .map((tag) => tag.trim())
    .find((tag) => tag === '*' || contentTag(comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

function contentTag(tag: string): string {
  return tag.replace(/-(br|gzip)"$/, '"')
}
