import type { IncomingMessage } from 'node:http'

/** The maximum length of a body. */
export const MAX_BODY_BYTES = 256 * 1024

/** A longer body, or a slower one, loses its response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
const MAX_DISCARD_MS = 5_000

/**
 * Reads and discards the rest of a body that is too long, then calls `done`, which sends the 413 and closes the connection. The
 * kernel resets a connection that closes with unread data, and a proxy that still sends the body would lose the response.
 */
export function discardBody(body: IncomingMessage, done: () => void): void {
  let discardedBytes = 0
  const stop = () => {
    clearTimeout(timer)
    body.off('data', count).off('end', stop).off('close', stop)
    done()
  }
  const count = (chunk: Buffer) => {
    discardedBytes += chunk.length
    if (discardedBytes > MAX_DISCARDED_BYTES) stop()
  }
  const timer = setTimeout(stop, MAX_DISCARD_MS)
  if (body.complete || body.destroyed) stop()
  else body.on('data', count).once('end', stop).once('close', stop).resume()
}
