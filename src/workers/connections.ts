import { once } from 'node:events'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { PrimaryChannel } from './primary-channel.ts'

/** Serves the connections that the primary process gives to this worker. */
export class GivenConnections {
  readonly #app: FastifyInstance
  readonly #channel: PrimaryChannel
  readonly #open = new Set<Socket>()

  constructor(app: FastifyInstance, channel: PrimaryChannel) {
    this.#app = app
    this.#channel = channel
    // Node's HTTP server starts its checks for slow requests when it listens. This one does not listen itself.
    app.server.emit('listening')
    app.addHook('preClose', () => this.#drain())
  }

  serve(id: number, socket: unknown): void {
    // The client may have disconnected on the way.
    if (!(socket instanceof Socket)) {
      this.#channel.send({ type: 'closed', id })
      return
    }
    this.#channel.send({ type: 'accepted', id })
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#channel.send({ type: 'closed', id })
    })
    // As Node's HTTP server sets it on the connections that it accepts itself.
    socket.allowHalfOpen = true
    this.#app.server.emit('connection', socket)
  }

  /** Closes idle connections, and waits until the others have completed their request. */
  async #drain(): Promise<void> {
    this.#app.server.closeIdleConnections()
    await Promise.all([...this.#open].map((socket) => once(socket, 'close')))
  }
}
