import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { quoteName, sql } from '../sql.ts'
import { type Postgres, PostgresEnded } from './postgres-thread.ts'
import {
  type BackendKey,
  type Batch,
  batches,
  cancelledBy,
  EMPTY_RESPONSE,
  hasError,
  isIdle,
  isQuery,
  noticeOf,
  queryOf,
  splitNotifications,
  startupParameter,
  temporaryTableOf,
  withBackendKey,
} from './protocol.ts'
import type { Client, Router, Turn } from './router.ts'

/*
 * PGlite has one PostgreSQL session. This server shares it between many clients over a socket, like a connection pooler in
 * transaction mode: a client has the session from the first message of a batch until PostgreSQL reports that it is idle.
 * @electric-sql/pglite-socket is not used, because it switches clients between single messages: one client's Bind can then use
 * another client's Parse. PGlite knows neither startup parameters nor cancel requests nor timeouts, so this server applies them.
 */

/** The `application_name` of clients that may read from a copy of the database during exclusive work begins with this. */
export const READER = 'reader: '

/** Queries before and after exclusive work: a client needs the session for itself for a long time. Others who wait are told the number of rows. */
export const EXCLUSIVE = {
  begin: (rows: number) => sql`SET embedded.exclusive = '${rows} rows'`,
  end: sql`SET embedded.exclusive = 'off'`,
} as const
const EXCLUSIVE_BEGIN = /^SET embedded\.exclusive = '(?!off')([\w ]+)'$/

/** A client that waits for longer than the first time gets a notice that says why, and another one after each second time. */
const NOTICE_MS = { first: 500, next: 10_000 } as const

/**
 * The heartbeat of the change feed, a query without a statement. The wire server answers it itself, so that it has a response during
 * exclusive work too. No notification is missing then: a change becomes visible when the session is released after its commit, or
 * when the work ends, and the router has written its notification to the sockets of all clients before (`Router.notify`).
 */
export const HEARTBEAT = sql`-- heartbeat`

/** A client that leaves a transaction open for this long is disconnected, because all other clients wait for it. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

/** SQLSTATE `read_only_sql_transaction`. */
const READ_ONLY_TRANSACTION = '25006'

/** What all clients share. */
interface Shared {
  router: Router
  sessions: Map<number, ClientSession>
  /** The response to the first startup message. Each client gets it with its own key, so that no connection waits for the session. */
  greeting: Uint8Array | undefined
}

/** Serves PostgreSQL to any number of clients on the Unix socket `path`. */
export async function serveWire(router: Router, path: string): Promise<Server> {
  const shared: Shared = { router, sessions: new Map(), greeting: undefined }
  let processId = 0
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    processId += 1
    const key = { processId, secretKey: randomInt(2 ** 31) }
    const session: ClientSession = { key, statementTimeoutMs: 0, cancel: undefined }
    shared.sessions.set(key.processId, session)
    void serveClient(shared, { socket, isReader: false, name: '' }, session).finally(() => {
      shared.sessions.delete(key.processId)
      socket.destroy()
    })
  })
  server.listen(path)
  await once(server, 'listening')
  return server
}

/** A client's own part of the session that all clients share. */
interface ClientSession {
  key: BackendKey
  /** A batch that takes longer is cancelled; 0 for no limit. */
  statementTimeoutMs: number
  /** Cancels the client's batch, if it runs. */
  cancel: (() => void) | undefined
}

async function serveClient(shared: Shared, client: Client, session: ClientSession): Promise<void> {
  const { router } = shared
  const { socket } = client
  let turn: Turn | undefined
  let isExclusive = false
  const tables = new Set<string>()
  socket.on('timeout', () => socket.destroy())
  try {
    for await (const batch of batches(socket)) {
      if (!turn && isQuery(batch.bytes, HEARTBEAT)) {
        socket.write(EMPTY_RESPONSE)
        continue
      }
      socket.setTimeout(0)
      if (batch.isStartup) {
        const cancelled = cancelledBy(batch.bytes)
        if (cancelled) {
          const other = shared.sessions.get(cancelled.processId)
          if (other?.key.secretKey === cancelled.secretKey) other.cancel?.()
          return
        }
        const name = startupParameter(batch.bytes, 'application_name') ?? ''
        client.isReader = name.startsWith(READER)
        client.name = name.replace(READER, '')
        session.statementTimeoutMs = Number(startupParameter(batch.bytes, 'statement_timeout') ?? 0)
        shared.greeting ??= (await execute(router, client, session, turn, batch)).response
        socket.write(withBackendKey(shared.greeting, session.key))
        router.addListener(socket)
        continue
      }
      const [, work] = EXCLUSIVE_BEGIN.exec(queryOf(batch.bytes)) ?? []
      if (work !== undefined) {
        isExclusive = true
        await router.beginExclusive(client, work)
      }
      const table = temporaryTableOf(batch.bytes)
      if (table !== undefined) tables.add(table)
      const executed = await execute(router, client, session, turn, batch)
      if (isQuery(batch.bytes, EXCLUSIVE.end)) {
        isExclusive = false
        router.endExclusive(client)
      }
      turn = executed.turn
      socket.write(executed.response)
      router.addListener(socket)
      socket.setTimeout(turn || isExclusive ? IDLE_IN_TRANSACTION_TIMEOUT_MS : 0)
    }
  } catch (error) {
    // A client that disconnected in the middle of a message needs no response.
    if (!(error instanceof PostgresEnded) && !socket.destroyed) throw error
  } finally {
    router.removeListener(socket)
    await endSession(router, client, turn, tables)
    router.endExclusive(client)
  }
}

/**
 * Executes a batch. If it writes and the session refuses that, waits for the end of the exclusive work and executes it then.
 * @param turn is the client's turn, if it has a transaction open
 * @returns the response, and the turn if a transaction is open now
 */
async function execute(
  router: Router,
  client: Client,
  session: ClientSession,
  turn: Turn | undefined,
  { bytes, isStartup }: Batch,
): Promise<{ response: Uint8Array; turn?: Turn }> {
  for (;;) {
    const current = turn ?? (await explainWait(router, client, router.acquire(client, isStartup)))
    const output = await executeCancellably(current.postgres, session, bytes).catch((error: unknown) => {
      current.release()
      throw error
    })
    const { response, notifications } = splitNotifications(output)
    router.notify(notifications)
    if (!isIdle(response)) return { response, turn: current }
    current.release()
    const isRefused = current.isReadOnly && hasError(response, READ_ONLY_TRANSACTION)
    if (turn || !isRefused) return { response }
    await explainWait(router, client, router.exclusiveEnded())
  }
}

/** Tells a client why it waits. Readers wait without a notice. */
async function explainWait<Result>(router: Router, { isReader, socket }: Client, wait: Promise<Result>) {
  if (isReader) return wait
  const tell = () => {
    socket.write(noticeOf(`waits for ${router.holder}`))
    timer = setTimeout(tell, NOTICE_MS.next)
  }
  let timer = setTimeout(tell, NOTICE_MS.first)
  return wait.finally(() => clearTimeout(timer))
}

async function executeCancellably(postgres: Postgres, session: ClientSession, bytes: Uint8Array): Promise<Uint8Array> {
  const cancel = () => postgres.cancel()
  session.cancel = cancel
  const { statementTimeoutMs } = session
  const timer = statementTimeoutMs > 0 ? setTimeout(cancel, statementTimeoutMs) : undefined
  try {
    return await postgres.execute(bytes)
  } finally {
    clearTimeout(timer)
    session.cancel = undefined
  }
}

/** Ends a session as PostgreSQL does: rolls its transaction back, and drops its temporary tables. */
async function endSession(router: Router, client: Client, turn: Turn | undefined, tables: ReadonlySet<string>) {
  if (!turn && tables.size === 0) return
  const { postgres, release } = turn ?? (await router.acquire(client, false))
  try {
    if (turn) await postgres.query(sql`ROLLBACK`)
    for (const table of tables) await postgres.query(sql`DROP TABLE IF EXISTS pg_temp.${quoteName(table)}`)
  } catch (error) {
    // The end of PostgreSQL has ended the session.
    if (!(error instanceof PostgresEnded)) throw error
  } finally {
    release()
  }
}
