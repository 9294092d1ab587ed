import { once } from 'node:events'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { PrimaryChannel } from './primary-channel.ts'

/** Returns a function that serves a connection which the primary process gives to this worker. */
export function serveGiven(app: FastifyInstance, channel: PrimaryChannel): (id: number, socket: unknown) => void {
  const open = new Set<Socket>()
  // Node's HTTP server starts its checks for slow requests when it listens. This one does not listen itself.
  app.server.emit('listening')
  app.addHook('preClose', async () => {
    app.server.closeIdleConnections()
    // The others complete their request.
    await Promise.all([...open].map((socket) => once(socket, 'close')))
  })
  return (id, socket) => {
    const isOpen = socket instanceof Socket
    // The client may have disconnected on the way.
    channel.send({ type: isOpen ? 'accepted' : 'closed', id })
    if (!isOpen) return
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      channel.send({ type: 'closed', id })
    })
    // As Node's HTTP server sets it on the connections that it accepts itself.
    socket.allowHalfOpen = true
    app.server.emit('connection', socket)
  }
}
