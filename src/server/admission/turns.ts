import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The maximum number of requests that wait for an earlier one of their connection, on all connections together. Above it, their
 * connection is closed.
 */
const MAX_WAITING = 10_000

/**
 * Answers the requests of a connection one after the other. Node would start all of them as they arrive (pipelining, RFC 9112
 * section 9.3.2), and hold each response until the client has read those before. While a request waits, no more are read.
 */
export function answerInTurn(app: FastifyInstance): void {
  /** The requests that wait on each connection. */
  const lines = new Map<Socket, { count: number }>()
  let total = 0

  const openLine = (socket: Socket) => {
    const line = { count: 0 }
    lines.set(socket, line)
    // Node resumes the connection whenever a response ends.
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
    // Node gives the connection to a response when the one before has ended.
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
      // A client that has ended its side gets no response from Node.
      if (socket.writable) done()
    }
    // After the listeners of the response before.
    response.once('socket', () => process.nextTick(start))
  })
}
