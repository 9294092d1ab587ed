import type { Socket } from 'node:net'
import { messageOf } from '../../errors.ts'
import type { Postgres, PostgresThread } from './postgres-thread.ts'
import { SharedSession } from './shared-session.ts'

/*
 * The transaction of an import has the only session of PGlite for many seconds. Meanwhile readers use a read-only copy of the
 * database. All other writers wait from the moment when the copy is made until the import ends. So the copy is the current state
 * for everybody except the import, and the end of the import is the moment when its changes become visible.
 */

/** A client of the wire server. */
export interface Client {
  socket: Socket
  /** Whether the client may use the copy. It needs neither temporary tables nor notifications, and writes in single statements. */
  isReader: boolean
  /** The command and its process, for those who wait for it. */
  name: string
}

/** The right to use a session until `release` is called. */
export interface Turn {
  postgres: Postgres
  /** Whether the session refuses to write. */
  isReadOnly: boolean
  release: () => void
}

/** Opens a read-only copy of the database that `primary` has open. */
export type OpenCopy = (primary: SharedSession) => Promise<PostgresThread>

interface RunningImport {
  client: Client
  /** The session of the readers. Without one, they wait for the end. */
  readers: SharedSession | undefined
  ended: PromiseWithResolvers<void>
  notifications: Uint8Array[]
}

interface RouterOptions {
  /** Without it, readers wait for imports. */
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
  #import: RunningImport | undefined
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
      if (!session || !release) await this.#import?.ended.promise
      // While the client waited, an import may have begun or ended.
      else if (session !== this.#sessionFor(client, isStartup)) release()
      else {
        if (session === this.#primary && !this.#import) this.#hold(client)
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

  /** Undefined if the client must wait for the end of an import. */
  #sessionFor(client: Client, isStartup: boolean): SharedSession | undefined {
    if (!this.#isReadOnlyFor(client)) return this.#primary
    return client.isReader || isStartup ? this.#import?.readers : undefined
  }

  #isReadOnlyFor(client: Client): boolean {
    return this.#import !== undefined && this.#import.client !== client
  }

  /** Waits until no import runs. */
  async importEnded(): Promise<void> {
    while (this.#import) await this.#import.ended.promise
  }

  /** Makes the copy for the readers, and gives the primary session to the client until it calls `endImport`. */
  async beginImport(client: Client, rows: string): Promise<void> {
    if (!this.#openCopy) return
    // Not `importEnded`, which returns some turns after its last look: of several imports that wait, each would begin.
    while (this.#import) await this.#import.ended.promise
    const running: RunningImport = {
      client,
      readers: this.#primary,
      ended: Promise.withResolvers(),
      notifications: [],
    }
    this.#import = running
    this.#hold(client, ` with ${rows} rows`)
    await this.#primary.query('SET default_transaction_read_only = on')
    try {
      await this.#copyClosed
      const thread = await this.#openCopy(this.#primary)
      const copy = new SharedSession(thread)
      running.readers = copy
      this.#copyClosed = running.ended.promise.then(() => copy.acquire()).then(() => thread.close())
      // The first session would show the import's commit before the notifications are sent.
      void thread.ended.then(() => {
        running.readers = undefined
      })
    } catch (error) {
      this.#report(`Readers wait for the import, because there is no copy for them: ${messageOf(error)}`)
    }
    await this.#primary.query('SET default_transaction_read_only = off')
    if (running.readers === this.#primary) this.endImport(client)
  }

  /** Shows the changes of the import to everybody. */
  endImport(client: Client): void {
    const running = this.#import
    if (running?.client !== client) return
    this.#import = undefined
    for (const notification of running.notifications) this.notify(notification)
    running.ended.resolve()
  }

  /** Sends notifications to all clients: at the end of an import if it runs. */
  notify(notifications: Uint8Array): void {
    if (notifications.length === 0) return
    if (this.#import) this.#import.notifications.push(notifications)
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
