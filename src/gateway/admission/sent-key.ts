import type { IncomingHttpHeaders } from 'node:http'
import { isKeyShaped } from '../../auth/api-key.ts'
import { CatalogError } from '../../errors/errors.ts'
import { queryStringOf } from '../query-string.ts'

/*
 * Explains a request that sends no bearer token but perhaps a key in another way. No message repeats a part of what was sent, except
 * names from these lists.
 */

const SCHEMES = ['Basic', 'Digest', 'DPoP', 'Token', 'ApiKey', 'Api-Key', 'Key', 'Negotiate']
const HEADERS = ['X-API-Key', 'Api-Key', 'ApiKey', 'X-Auth-Token', 'X-Access-Token', 'X-Authorization']
const PARAMETERS = ['api_key', 'apikey', 'api-key', 'key', 'access_token', 'token', 'authorization']

/** Returns `UNAUTHORIZED`, which says what the request sends and what to send. */
export function missingKey({ headers, url }: { headers: IncomingHttpHeaders; url: string }): CatalogError {
  const seen = seenIn(headers.authorization) ?? headerIn(headers) ?? parameterIn(url) ?? 'An API key is required'
  return new CatalogError('UNAUTHORIZED', `${seen}: send the header Authorization: Bearer <API_KEY>`)
}

function seenIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  if (isKeyShaped(authorization.trim())) return 'Authorization has a key without the word Bearer before it'
  if (/^bearer/i.test(authorization)) return 'Authorization needs a space after Bearer'
  const scheme = SCHEMES.find((name) => authorization.toLowerCase().startsWith(`${name.toLowerCase()} `))
  return `Authorization has ${scheme === undefined ? 'another scheme' : `the scheme ${scheme}`}, which is not read`
}

function headerIn(headers: IncomingHttpHeaders): string | undefined {
  const name = HEADERS.find((header) => headers[header.toLowerCase()] !== undefined)
  return name && `The header ${name} is not read`
}

function parameterIn(url: string): string | undefined {
  const parameters = [...new URLSearchParams(queryStringOf(url))]
  const name = PARAMETERS.find((known) => parameters.some(([given]) => given.toLowerCase() === known))
  if (name === undefined && !parameters.some(([, value]) => isKeyShaped(value))) return undefined
  return `${name === undefined ? 'A key' : `The parameter ${name}`} in the query string is not read, because logs keep addresses`
}
