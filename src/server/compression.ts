import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { FairQueue } from '../database/fair-queue.ts'
import type { Coding } from './negotiation.ts'

/** A smaller body fits into one TCP packet, so compression would not make it faster. */
export const MIN_ENCODED_BYTES = 1_400

/** The default quality 11 takes a hundred times as long. */
const BROTLI_QUALITY = 4

/** A larger body is not cached, so it is encoded for one response: the time counts more than the last 10 % of its size. */
const LARGE_BYTES = 1024 * 1024
const LARGE_BROTLI_QUALITY = 1
const LARGE_GZIP_LEVEL = 3

const encoders: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: body.length > LARGE_BYTES ? LARGE_BROTLI_QUALITY : BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body, body.length > LARGE_BYTES ? { level: LARGE_GZIP_LEVEL } : {}),
}

/** The threads of Node that encode, by default (UV_THREADPOOL_SIZE). Large bodies of one key must not make those of others wait. */
const THREADS = 4
const TURN_TIMEOUT_MS = 60_000
const turns = new FairQueue({ places: THREADS, timeoutMs: TURN_TIMEOUT_MS })

/** The encoded forms of each body, for as long as the body itself is in memory. */
const encoded = new WeakMap<Buffer, Partial<Record<Coding, Buffer>>>()

/**
 * Encodes a body, once for each coding. A body that was encoded before is returned without a promise, so that a cached response
 * does not wait.
 * @param key is the id of the API key that pays for it; undefined for a public body
 */
export function encode(body: Buffer, coding: Coding, key: string | undefined): Buffer | Promise<Buffer> {
  const known = encoded.get(body) ?? {}
  encoded.set(body, known)
  return (
    known[coding] ??
    inTurn(key, () => encoders[coding](body)).then((result) => {
      known[coding] = result
      return result
    })
  )
}

async function inTurn<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result> {
  if (key === undefined) return work()
  const endTurn = await turns.begin([key])
  return work().finally(endTurn)
}

/** A stream that encodes what is written to it. */
export function createEncoder(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip()
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}
