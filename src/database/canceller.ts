import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { type BackendKey, cancelRequest } from './embedded/protocol.ts'

/** Cancels statements. */
export interface Canceller {
  /**
   * Cancels the statement that a client runs, and returns when no later statement of the client can be hit any more.
   * @throws if the server did not confirm it: the cancellation may have no effect, or still arrive
   */
  cancel: (client: pg.ClientBase) => Promise<void>
  close: () => Promise<void>
}

/**
 * Cancels by a function of PostgreSQL. All cancellations share one connection, because many clients may disconnect at once. A cancel
 * request of the protocol would not do here: a pooler may send it to another server.
 */
export function cancelByFunction(options: pg.PoolConfig): Canceller {
  const connection = new pg.Pool({ ...options, max: 1 })
  // The pool itself replaces the connection. An `error` event without a listener would end the process.
  connection.on('error', () => {})
  return {
    cancel: async (client) => {
      await connection.query('SELECT pg_cancel_backend($1)', [keyOf(client).processId])
    },
    close: () => connection.end(),
  }
}

/**
 * Cancels by cancel requests of the protocol, each on a connection of its own.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 * @param path of the server's Unix socket
 */
export function cancelByRequest(path: string): Canceller {
  return {
    cancel: async (client) => {
      const socket = connect(path)
      socket.on('error', () => socket.destroy())
      socket.end(cancelRequest(keyOf(client)))
      await once(socket, 'close')
    },
    close: async () => {},
  }
}

/** What a cancel request names a session by. The server told it to the client when they connected. pg's types do not have it. */
function keyOf(client: object): BackendKey {
  const numberAt = (name: string) => {
    const value: unknown = Reflect.get(client, name)
    return typeof value === 'number' ? value : 0
  }
  return { processId: numberAt('processID'), secretKey: numberAt('secretKey') }
}
