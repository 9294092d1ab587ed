import type { Socket } from 'node:net'
import type { CountConnection } from '../gateway/admission/connection-limits.ts'
import type { Connection, WorkerProcess } from './worker-process.ts'

/**
 * Gives each connection to the worker with the fewest. The primary keeps a copy of the socket until the worker has accepted it. So
 * if the worker ends before that, another one gets the connection.
 */
export class Balancer {
  readonly #count: CountConnection
  readonly #readyWorkers: () => readonly WorkerProcess[]
  /** Connections for which no worker is ready. */
  #waiting: Connection[] = []
  #lastId = 0

  constructor(count: CountConnection, readyWorkers: () => readonly WorkerProcess[]) {
    this.#count = count
    this.#readyWorkers = readyWorkers
  }

  /** Gives a new connection, of which nothing has been read, to a worker; or closes it, if there are too many. */
  accept(socket: Socket): void {
    const release = this.#count(socket.remoteAddress ?? '')
    // The worker handles the errors of the connection.
    socket.on('error', () => {})
    if (!release) socket.destroy()
    else {
      this.#lastId += 1
      this.#give({ id: this.#lastId, socket, release })
    }
  }

  onReady(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const connection of waiting) this.#give(connection)
  }

  onAccepted({ connections }: WorkerProcess, id: number): void {
    const connection = connections.get(id)
    connection?.socket?.destroy()
    if (connection) connection.socket = undefined
  }

  onClosed({ connections }: WorkerProcess, id: number): void {
    connections.get(id)?.socket?.destroy()
    connections.get(id)?.release()
    connections.delete(id)
  }

  onEnd({ connections }: WorkerProcess): void {
    for (const connection of connections.values()) {
      if (connection.socket) this.#give(connection)
      else connection.release()
    }
    connections.clear()
  }

  /** Closes the connections that no worker has. */
  close(): void {
    for (const { socket, release } of this.#waiting) {
      socket?.destroy()
      release()
    }
    this.#waiting = []
  }

  #give(connection: Connection): void {
    const chosen = this.#choose(connection.id)
    if (!chosen) this.#waiting.push(connection)
    else {
      chosen.connections.set(connection.id, connection)
      chosen.send({ type: 'connection', id: connection.id }, connection.socket)
    }
  }

  /** The worker with the fewest connections. Workers with equally many take turns. */
  #choose(turn: number): WorkerProcess | undefined {
    const workers = this.#readyWorkers()
    let chosen: WorkerProcess | undefined
    for (let n = 0; n < workers.length; n += 1) {
      const worker = workers[(turn + n) % workers.length]
      if (worker && (!chosen || worker.connections.size < chosen.connections.size)) chosen = worker
    }
    return chosen
  }
}
