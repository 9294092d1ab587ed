import { once } from 'node:events'
import { connect, type NetConnectOpts } from 'node:net'
import pg from 'pg'
import { type BackendKey, cancelRequest } from '../embedded/protocol.ts'
import { DatabaseClient } from './client.ts'

const CANCEL_TIMEOUT_MS = 2_000

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
 * Cancels by a function of PostgreSQL. All cancellations share one connection, because many clients may disconnect at once. A pooler in
 * session mode gives clients ids of its own, so the session itself has said which process it is.
 */
export function cancelByFunction(options: pg.PoolConfig): Canceller {
  const connection = new pg.Pool({ ...options, max: 1 })
  // The pool itself replaces the connection. An `error` event without a listener would end the process.
  connection.on('error', () => {})
  return {
    cancel: async (client) => {
      const process = client instanceof DatabaseClient ? client.session?.process : undefined
      await connection.query('SELECT pg_cancel_backend($1)', [process])
    },
    close: () => connection.end(),
  }
}

/**
 * Cancels by cancel requests of the protocol, each on a connection of its own, for the embedded database.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function cancelByRequest(server: NetConnectOpts): Canceller {
  return {
    cancel: async (client) => {
      const socket = connect(server).resume()
      socket.setTimeout(CANCEL_TIMEOUT_MS, () =>
        socket.destroy(new Error('The server did not confirm the cancellation')),
      )
      // The server closes the connection.
      socket.write(cancelRequest(keyOf(client)))
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
