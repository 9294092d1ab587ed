import { hash, randomBytes } from 'node:crypto'
import type { Access } from '../catalog/access.ts'

/** A valid API key. */
export interface ApiKey extends Access {
  id: string
  name: string
  /** Null means no limit. */
  requestsPerMinute: number | null
  /** Null means no limit. */
  itemsPerMinute: number | null
  /** Null means that the key does not expire. */
  expiresAt: Date | null
}

const PREFIX = 'dck_'
const RANDOM_BYTES = 32
const SHAPE = /^dck_[A-Za-z0-9_-]{43,128}$/

/** Returns a new key: `dck_` and 256 random bits in base64url. */
export function generateKey(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url')
}

/** Whether a text has the form of a key. */
export function isKeyShaped(text: string): boolean {
  return SHAPE.test(text)
}

/**
 * Returns the SHA-256 of a key in base64url. The database stores only this hash. A key has 256 random bits, so it needs no salt
 * and no slow hash.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Returns the bytes of a hash, as the database stores them. */
export function hashBytes(keyHash: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(keyHash, 'base64url'))
}

/** Returns a hash as `hashKey` does, from the bytes that the database stores. */
export function hashText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

/** Whether a key works at the time `now`: it is not revoked and has not expired. */
export function isValidKey(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}
