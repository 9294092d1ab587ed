import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The maximum number of requests that wait for an earlier one of their connection, on all connections together. Above it, their
 * connection is closed.
 */
const MAX_WAITING = 10_000

/**
 * Answers the requests of a connection one after the other. Node would start all of them as they arrive (pipelining, RFC 9112
 * section 9.3.2), and hold each response until the client has read the earlier ones. While a request waits, no more are read.
 */
export function answerInOrder(app: FastifyInstance): void {
  /** The requests that wait on each connection. */
  const lines = new Map<Socket, { count: number }>()
  let total = 0

  const openLine = (socket: Socket) => {
    const line = { count: 0 }
    lines.set(socket, line)
    // Node resumes the connection whenever a response ends, also while requests wait.
    socket.on('resume', () => {
      if (line.count > 0) socket.pause()
    })
    socket.once('close', () => {
      total -= line.count
      lines.delete(socket)
    })
    return line
  }

  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // A response gets the connection from Node when the response before it has ended.
    if (response.socket) {
      done()
      return
    }
    if (total >= MAX_WAITING) {
      socket.destroy()
      return
    }
    const line = lines.get(socket) ?? openLine(socket)
    line.count += 1
    total += 1
    socket.pause()
    const start = () => {
      if (socket.destroyed) return
      line.count -= 1
      total -= 1
      if (line.count === 0) socket.resume()
      // Node keeps the time that the response before has set.
      socket.setTimeout(app.server.timeout)
      // If the client has ended its side, Node sends it no response.
      if (socket.writable) done()
    }
    // The listeners of the response before it run first.
    response.once('socket', () => process.nextTick(start))
  })
}
