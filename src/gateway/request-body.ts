import { isUtf8 } from 'node:buffer'
import { parse } from 'content-type'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CatalogError, validationFailed } from '../errors/errors.ts'

/** Reads the body of any media type as bytes. A route gets its text by `textBody`, with the types that it accepts. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/**
 * The media type of a request's body (RFC 9110 section 8.3.1), in lower case and without parameters, and its text.
 * @throws `UNSUPPORTED_MEDIA_TYPE` if it is none of these types. A page on another origin can send others without a preflight request.
 * @throws `VALIDATION_FAILED` if it is not UTF-8
 */
export function textBody<Type extends string>({ headers, body }: FastifyRequest, types: readonly Type[]) {
  const { type, parameters } = parse(headers['content-type'] ?? '')
  const known = types.find((name) => name === type)
  if (known === undefined) throw unsupported(`The body must be ${types.join(' or ')}`)
  if (!/^(utf-?8)?$/i.test(parameters.charset ?? '')) throw unsupported('The charset of Content-Type must be utf-8')
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) throw unsupported('The body must not be compressed')
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (!isUtf8(bytes)) throw validationFailed([{ field: 'body', message: 'must be UTF-8' }])
  return { type: known, text: bytes.toString() }
}

function unsupported(message: string): CatalogError {
  return new CatalogError('UNSUPPORTED_MEDIA_TYPE', message)
}
