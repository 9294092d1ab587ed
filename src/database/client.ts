import pg from 'pg'
import { messageOf } from '../errors/errors.ts'
import { sql } from '../sql.ts'
import { CANCELLED } from './cancellation.ts'
import { TURN_TIMEOUT } from './fair-queue.ts'
import { keepJsonBytes } from './json-cells.ts'
import { beginSession, SESSION_ID, type Session, type SessionConfig } from './session.ts'

/**
 * The error of a connection to PostgreSQL that could not be opened, was lost, or does not answer. pg and Node report this with
 * many different codes and messages, and Prisma's adapter knows only some of them. So every error that PostgreSQL itself did not
 * send becomes a `ConnectionError`.
 */
export class ConnectionError extends Error {
  /** SQLSTATE `connection_failure`. */
  readonly code = '08006'
  /** Prisma's adapter passes on the code of an error only if the error has a severity, as PostgreSQL's errors have. */
  readonly severity = 'FATAL'
}

/** Returns an error from PostgreSQL unchanged, and any other error as a `ConnectionError` with the same message. */
export function classifyError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof ConnectionError || !(error instanceof Error)) return error
  return new ConnectionError(messageOf(error), { cause: error })
}

/**
 * A client that gives its session the settings of the catalog, and whose statements fail with an error from PostgreSQL or with a
 * `ConnectionError`.
 */
export class DatabaseClient extends pg.Client {
  /** The server of the session, and the id of its process there; undefined on the embedded database, which has one session. */
  session: Session | undefined
  readonly #settings: SessionConfig['settings']
  readonly #connectTimeoutMs: number | undefined
  readonly #queryTimeoutMs: number | undefined
  /** The last statement, until it ends. The next one waits for it here, because pg 9 refuses a statement while another runs. */
  #last: Promise<unknown> | undefined

  constructor(config?: SessionConfig) {
    super(config)
    keepJsonBytes(Reflect.get(this, 'connection'))
    this.#queryTimeoutMs = takeQueryTimeout(this)
    this.#settings = config?.settings
    this.#connectTimeoutMs = config?.connectionTimeoutMillis
    // An `error` event without a listener would end the process. The statements themselves report the lost connection.
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `connect` has two signatures: the pool gives a callback
  override connect(callback?: any): any {
    const connected = this.#begin()
    if (callback === undefined) return connected
    connected.then((client) => callback(null, client), callback)
  }

  async #begin(): Promise<this> {
    await super.connect()
    if (!this.#settings) return this
    try {
      // A server or a pooler may accept the login, and answer nothing afterwards.
      const begin = { text: beginSession(this.#settings), query_timeout: this.#connectTimeoutMs }
      this.session = (await super.query<Session>(begin)).rows[0]
      return this
    } catch (error) {
      void this.end()
      throw classifyError(error)
    }
  }

  /** Whether a pooler is between the client and its session: then the client knows the process by another id. */
  get isPooled(): boolean {
    return this.session !== undefined && Reflect.get(this, 'processID') !== this.session.process
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
  override query(...args: any[]): any {
    const hasCallback = typeof args.at(-1) === 'function' || typeof args[0].submit === 'function'
    const send = () => (hasCallback ? Reflect.apply(super.query, this, args) : this.#send(args))
    const sent: unknown = this.#last ? this.#last.then(send, send) : send()
    if (!(sent instanceof Promise)) return sent
    const ended = sent.catch((error: unknown) => {
      const failure = classifyError(error)
      // The server may still answer this statement, so no other can be sent here. Those that wait fail at once.
      if (failure instanceof ConnectionError) void this.end()
      throw failure
    })
    this.#last = ended
    // A reference to it would keep its rows in memory.
    const forget = () => {
      if (this.#last === ended) this.#last = undefined
    }
    ended.then(forget, forget)
    return ended
  }

  /**
   * Sends a statement that has its callback from the start. pg replaces that of a statement with a promise or a timeout. Then V8 keeps the
   * statement, with its rows, through several collections of garbage: a fifth of the processor time of a list.
   */
  #send(args: readonly unknown[]): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('Query read timeout'))
      const timer = this.#queryTimeoutMs ? setTimeout(giveUp, this.#queryTimeoutMs) : undefined
      const end = (error: Error | null, result: pg.QueryResult) => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve(result)
      }
      Reflect.apply(super.query, this, [...args, end])
    })
  }
}

/** Takes the timeout of statements from pg, which may have read it from the URL. */
function takeQueryTimeout(client: object): number | undefined {
  const parameters: Pick<pg.ClientConfig, 'query_timeout'> = Reflect.get(client, 'connectionParameters')
  const { query_timeout: timeoutMs } = parameters
  delete parameters.query_timeout
  return timeoutMs
}

/*
 * An address can move to another server while the old connections live on: a failover that does not end the old primary. So the
 * change feed knows its server by name. It looks from time to time whether new connections reach another, and the pool follows it.
 */

/** The heartbeat of the change feed for a server. Its answer changes if a proxy moves the connection to another session. */
export const SERVER_HEARTBEAT = sql`SELECT ${SESSION_ID}`

/**
 * SQLSTATE classes of failures that can pass: connection exception, insufficient resources, operator intervention (statement
 * timeout, shutdown). Also the codes of a serialization failure and of a deadlock, and Prisma's code for both.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const TRANSIENT = /^((08|53|57)...|40001|40P01|P2034)$/

/** SQLSTATE classes of a connection that can't be used again: it was lost, or PostgreSQL ended the session. */
const CONNECTION_LOST = /^(08|57P)/

/**
 * SQLSTATEs of a statement that a concurrent change made fail: a deadlock, or a conflict that PostgreSQL can't serialize, for
 * example with the recovery of a replica.
 */
const CONFLICT = /^40(001|P01)$/

/** SQLSTATE classes of a refused login, and of a database that does not exist. */
const LOGIN_REFUSED = /^(28|3D)...$/

/** Prisma's code for a transaction that did not start in time, or took too long. */
const TRANSACTION_TIMEOUT = 'P2028'

/** Whether the database, or the connection to it, failed for a reason that can pass without a change of the configuration. */
export function isTransient(error: unknown): boolean {
  return someCode(error, (code) => TRANSIENT.test(code))
}

/** Whether a concurrent change made the statement fail. The same statement can succeed now. */
export function isConflict(error: unknown): boolean {
  return someCode(error, (code) => CONFLICT.test(code))
}

/** Whether the error is that of a repeated unique value (SQLSTATE 23505), and not only caused by one. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

/** Whether the error says that the connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return someCode(error, (code) => CONNECTION_LOST.test(code))
}

/** Whether PostgreSQL has ended a statement that took longer than STATEMENT_TIMEOUT_MS. */
export function isStatementTimeout(error: unknown): boolean {
  return someCode(error, (code) => code === '57014')
}

/** Whether the database can't serve a request now: the failure can pass, a transaction took too long, or the login is refused. */
export function isUnavailable(error: unknown): boolean {
  return someCode(error, (code) => TRANSIENT.test(code) || LOGIN_REFUSED.test(code) || code === TRANSACTION_TIMEOUT)
}

/** Whether a statement failed on its server: it was neither cancelled, nor refused because other requests had the connections. */
export function isFailure(error: unknown): boolean {
  return !isCancelled(error) && !isTurnTimeout(error)
}

/** Whether a statement was cancelled because its client had disconnected. */
export function isCancelled(error: unknown): boolean {
  return someCode(error, (code) => code === CANCELLED)
}

/** Whether the statement waited too long for the turn of its key. */
export function isTurnTimeout(error: unknown): boolean {
  return someCode(error, (code) => code === TURN_TIMEOUT)
}

/** Prisma and its adapter store the original error under one of these names. */
const CAUSES = ['cause', 'meta', 'driverAdapterError']
/** The names of the code. The adapter moves PostgreSQL's code to the second name. */
const CODES = ['code', 'originalCode']

function someCode(error: unknown, matches: (code: string) => boolean): boolean {
  if (!(error instanceof Object)) return false
  const hasMatch = CODES.some((name) => {
    const code: unknown = Reflect.get(error, name)
    return typeof code === 'string' && matches(code)
  })
  return hasMatch || CAUSES.some((name) => someCode(Reflect.get(error, name), matches))
}
