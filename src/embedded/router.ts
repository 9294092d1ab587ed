import type { Socket } from 'node:net'
import { messageOf } from '../errors/errors.ts'
import { type SqlText, sql } from '../sql.ts'
import type { Postgres, PostgresThread } from './postgres-thread.ts'

/*
 * Exclusive work has the only session of PGlite for many seconds. Readers then use a read-only copy of the database. All other
 * writers wait from the moment when the copy is made until the work ends. So the copy is the current state for everybody except
 * the client that works, and the end of the work is the moment when its changes become visible.
 */

/** A client of the wire server. */
export interface Client {
  socket: Socket
  /** Whether the client may use the copy. It needs neither temporary tables nor notifications, and writes in single statements. */
  isReader: boolean
  /** The application name, for clients that wait for it. */
  name: string
}

/** The right to use a session until `release` is called. */
export interface Turn {
  postgres: Postgres
  /** Whether the session refuses to write. */
  isReadOnly: boolean
  release: () => void
}

/** A session of PostgreSQL that many clients share. Each has it for one transaction at a time: first come, first served. */
class SharedSession {
  readonly postgres: Postgres
  #last: Promise<void> = Promise.resolve()

  constructor(postgres: Postgres) {
    this.postgres = postgres
  }

  /** Waits until the session is free, and returns a function that releases it. */
  async acquire(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }

  /** Runs one SQL statement when the session is free, and returns its rows. */
  async query(text: SqlText): Promise<unknown> {
    const release = await this.acquire()
    return this.postgres.query(text).finally(release)
  }
}

/** Opens a read-only copy of the database that `primary` has open. */
export type OpenCopy = (primary: SharedSession) => Promise<PostgresThread>

interface Exclusive {
  client: Client
  /** The session of the readers. Without one, they wait for the end. */
  readers: SharedSession | undefined
  ended: PromiseWithResolvers<void>
  notifications: Uint8Array[]
}

interface RouterOptions {
  /** Without it, readers wait for exclusive work. */
  openCopy?: OpenCopy | undefined
  /** Called with a message if there is no copy for the readers. */
  report?: (line: string) => void
}

/** Decides which session executes the statements of a client. */
export class Router {
  readonly #primary: SharedSession
  readonly #openCopy: OpenCopy | undefined
  readonly #report: (line: string) => void
  /** The clients that have sent a batch. Each of them gets all notifications. */
  readonly #listeners = new Set<Socket>()
  #exclusive: Exclusive | undefined
  /** The client that had the primary session last, and since when. */
  #holder: { name: string; sinceMs: number } = { name: '', sinceMs: 0 }
  /** Resolves when the copy of the last import is closed. */
  #copyClosed: Promise<void> = Promise.resolve()

  constructor(primary: Postgres, { openCopy, report = () => {} }: RouterOptions = {}) {
    this.#primary = new SharedSession(primary)
    this.#openCopy = openCopy
    this.#report = report
  }

  /** Waits for a session for the next transaction of a client, or for its connection (`isStartup`). */
  async acquire(client: Client, isStartup: boolean): Promise<Turn> {
    for (;;) {
      const session = this.#sessionFor(client, isStartup)
      const release = await session?.acquire()
      if (!session || !release) await this.#exclusive?.ended.promise
      // While the client waited, exclusive work may have begun or ended.
      else if (session !== this.#sessionFor(client, isStartup)) release()
      else {
        if (session === this.#primary && !this.#exclusive) this.#hold(client)
        return { postgres: session.postgres, isReadOnly: this.#isReadOnlyFor(client), release }
      }
    }
  }

  #hold({ name }: Client, work = ''): void {
    this.#holder = { name: (name || 'another process') + work, sinceMs: Date.now() }
  }

  /** Says who has the session, and for how long. */
  get holder(): string {
    const { name, sinceMs } = this.#holder
    return `${name}, for ${Math.round((Date.now() - sinceMs) / 1000)} s now`
  }

  /** Undefined if the client must wait for the end of exclusive work. */
  #sessionFor(client: Client, isStartup: boolean): SharedSession | undefined {
    if (!this.#isReadOnlyFor(client)) return this.#primary
    return client.isReader || isStartup ? this.#exclusive?.readers : undefined
  }

  #isReadOnlyFor(client: Client): boolean {
    return this.#exclusive !== undefined && this.#exclusive.client !== client
  }

  /** Waits until no client works exclusively. */
  async exclusiveEnded(): Promise<void> {
    while (this.#exclusive) await this.#exclusive.ended.promise
  }

  /** Makes the copy for the readers, and gives the primary session to the client until it calls `endExclusive`. */
  async beginExclusive(client: Client, work: string): Promise<void> {
    if (!this.#openCopy) return
    // Not `exclusiveEnded`, which returns some turns after its last look: of several clients that wait, each would begin.
    while (this.#exclusive) await this.#exclusive.ended.promise
    const running: Exclusive = {
      client,
      readers: this.#primary,
      ended: Promise.withResolvers(),
      notifications: [],
    }
    this.#exclusive = running
    this.#hold(client, ` with ${work}`)
    await this.#primary.query(sql`SET default_transaction_read_only = on`)
    try {
      await this.#copyClosed
      const thread = await this.#openCopy(this.#primary)
      const copy = new SharedSession(thread)
      running.readers = copy
      this.#copyClosed = running.ended.promise.then(() => copy.acquire()).then(() => thread.close())
      // The first session would show the commit before the notifications are sent.
      void thread.ended.then(() => {
        running.readers = undefined
      })
    } catch (error) {
      this.#report(`Readers wait, because there is no copy for them: ${messageOf(error)}`)
    }
    await this.#primary.query(sql`SET default_transaction_read_only = off`)
    if (running.readers === this.#primary) this.endExclusive(client)
  }

  /** Shows the changes of exclusive work to everybody. */
  endExclusive(client: Client): void {
    const running = this.#exclusive
    if (running?.client !== client) return
    this.#exclusive = undefined
    for (const notification of running.notifications) this.notify(notification)
    running.ended.resolve()
  }

  /** Sends notifications to all clients: at the end of exclusive work if it runs. */
  notify(notifications: Uint8Array): void {
    if (notifications.length === 0) return
    if (this.#exclusive) this.#exclusive.notifications.push(notifications)
    // All clients share the session and its LISTEN. The protocol allows notifications at any time.
    else for (const socket of this.#listeners) socket.write(notifications)
  }

  addListener(socket: Socket): void {
    this.#listeners.add(socket)
  }

  removeListener(socket: Socket): void {
    this.#listeners.delete(socket)
  }
}
