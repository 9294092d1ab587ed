import { hash, randomBytes } from 'node:crypto'
import type { Access } from '../catalog/access.ts'

/** An API key that has been shown to be good. */
export interface ApiKey extends Access {
  id: string
  name: string
  /** Null: no limit. */
  requestsPerMinute: number | null
  /** Null: never. */
  expiresAt: Date | null
}

const PREFIX = 'dck_'
const RANDOM_BYTES = 32
const SHAPE = /^dck_[A-Za-z0-9_-]{43,128}$/

/** A new key: `dck_` and 256 random bits in base64url. */
export function generateKey(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url')
}

/** Whether a text could be a key at all. */
export function isKeyShaped(text: string): boolean {
  return SHAPE.test(text)
}

/** SHA-256 of a key, in base64url: what is stored of it. A key is random enough to need neither salt nor stretching. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** A hash as the database stores it. */
export function hashBytes(keyHash: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(keyHash, 'base64url'))
}
