import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** The outage of the database. */
    outage: OutageLog
  }
}

/** An outage has a line in the log this often. */
const INTERVAL_MS = 30_000
/** After this time without a failure, a read that succeeds ends the outage. */
const QUIET_MS = 1_000

/** Logs an outage of the database in a few lines: when it begins, each 30 seconds with the number of failed requests, and when it is over. */
export class OutageLog {
  readonly #log: FastifyBaseLogger
  #begunAt: number | undefined
  #failedAt = 0
  #loggedAt = 0
  #failed = 0

  constructor(log: FastifyBaseLogger) {
    this.#log = log
  }

  /** Counts a request or a probe that the database has failed. */
  countFailure(requestId: string, reason: string): void {
    const now = Date.now()
    this.#failed += 1
    this.#failedAt = now
    if (this.#begunAt === undefined) {
      this.#begunAt = now
      this.#log.error({ requestId, reason }, 'The database is away: requests get 503')
    } else if (now - this.#loggedAt < INTERVAL_MS) return
    else this.#log.error({ requestId, reason, failed: this.#failed }, `The database is still away: ${this.#count(now)}`)
    this.#loggedAt = now
  }

  /** Called when a read has ended. One that needed no statement, or began before the outage, does not end it. */
  end(): void {
    if (this.#begunAt === undefined || Date.now() - this.#failedAt < QUIET_MS) return
    this.#log.error({ failed: this.#failed }, `The database is back: ${this.#count(Date.now())}`)
    this.#begunAt = undefined
    this.#failed = 0
  }

  #count(now: number): string {
    const requests = this.#failed === 1 ? '1 request' : `${this.#failed} requests`
    return `${requests} failed in ${Math.round((now - (this.#begunAt ?? now)) / 1000)} seconds`
  }
}

/** Lets the application log the outages of its database. */
export function logOutages(app: FastifyInstance): void {
  app.decorate('outage', new OutageLog(app.log))
}
