import { v5 as uuidV5 } from 'uuid'

/**
 * Returns the UUID version 5 of a name (RFC 9562). The namespace may be any 128 bits. Given as text, the package refuses UUIDs of
 * unknown versions, which an `id` may have.
 */
export function stableUuid(name: string, namespace: string): string {
  return uuidV5(Buffer.from(name), Buffer.from(namespace.replaceAll('-', ''), 'hex'))
}
