import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The client of a longer or slower body may not receive the response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
const MAX_DISCARD_MS = 5_000

/**
 * Reads and discards the rest of a body that is too long, before the 413 goes out and the connection closes. The kernel resets a
 * connection that closes with unread data, and a proxy that still sends the body then loses the response.
 */
export function discardRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.statusCode === 413) discard(request.raw, done)
    else done()
  })
}

function discard(body: IncomingMessage, done: () => void): void {
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
