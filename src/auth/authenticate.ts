import { CatalogError } from '../errors.ts'
import { type ApiKey, isKeyShaped, isValidKey } from './api-key.ts'
import type { FindKey } from './key-cache.ts'

/**
 * Returns the API key of an `Authorization` header (RFC 6750 section 2.1). The key is valid at `now`.
 * @throws `UNAUTHORIZED`, which does not say whether the key is unknown, expired or revoked
 */
export async function authenticate(findKey: FindKey, authorization: string | undefined, now: Date): Promise<ApiKey> {
  if (!sendsBearer(authorization)) {
    throw new CatalogError('UNAUTHORIZED', 'An API key is required: send the header Authorization: Bearer <API_KEY>')
  }
  const token = bearerToken(authorization)
  const key = token !== undefined && isKeyShaped(token) ? await findKey(token) : null
  if (!key || !isValidKey(key, now)) {
    throw new CatalogError('UNAUTHORIZED', 'The API key is not valid')
  }
  return key
}

/** The name of the scheme is case-insensitive (RFC 9110 section 11.1). */
function sendsBearer(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^bearer(?: |$)/i.test(authorization)
}

function bearerToken(authorization: string): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
}

/**
 * Returns the value of `WWW-Authenticate` for a refused request. It names an error only if the request has a bearer token (RFC
 * 6750 section 3.1).
 */
export function challenge(authorization: string | undefined): string {
  const realm = 'Bearer realm="dataset-catalog"'
  if (!sendsBearer(authorization)) return realm
  return `${realm}, error="invalid_token", error_description="The API key is not valid"`
}
