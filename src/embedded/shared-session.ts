import type { SqlText } from '../sql.ts'
import type { Postgres } from './postgres-thread.ts'

/** A session of PostgreSQL that many clients share. Each has it for one transaction at a time: first come, first served. */
export class SharedSession {
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
