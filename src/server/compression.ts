import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Coding } from './negotiation.ts'

/** What fits into a packet arrives no sooner for being shorter. */
export const MIN_ENCODED_BYTES = 1_400

/** Brotli's quality is 11 unless told, at a hundred times the time. */
const BROTLI_QUALITY = 4

const encoders: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body),
}

/** Bodies that were encoded, for as long as they themselves are kept. */
const encoded = new WeakMap<Buffer, Partial<Record<Coding, Buffer>>>()

/** A body in a content coding, made once: at once where it is there already, so that a kept answer waits for nothing. */
export function encode(body: Buffer, coding: Coding): Buffer | Promise<Buffer> {
  const known = encoded.get(body) ?? {}
  encoded.set(body, known)
  return (
    known[coding] ??
    encoders[coding](body).then((result) => {
      known[coding] = result
      return result
    })
  )
}
