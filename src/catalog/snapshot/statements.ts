import type { SqlReader } from '../../database/sql-reader.ts'
import { isConflict } from '../../database/unavailable.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Batchers } from '../sql/statement-batcher.ts'
import type { ReadLog, SeenRevision } from './read-log.ts'

/** What sends statements. */
export interface Clients {
  prisma: Prisma.TransactionClient
  sql: SqlReader
  batchers: Batchers
}

/** Sends the statements of one read. There is no other way to send one, so the log knows what every statement has read. */
export class Statements {
  readonly #clients: Clients
  readonly #readLog: ReadLog

  constructor(clients: Clients, readLog: ReadLog) {
    this.#clients = clients
    this.#readLog = readLog
  }

  /**
   * Runs a statement that returns the revision of each dataset that it reads.
   * @param seenIn returns these revisions
   */
  async verified<Result>(
    run: (clients: Clients) => Promise<Result>,
    seenIn: (result: Result) => Iterable<SeenRevision>,
  ): Promise<Result> {
    const result = await this.#run(run)
    this.#readLog.verify(seenIn(result))
    return result
  }

  /** Runs statements that read from these datasets, or from all. They are verified at the end of the read. */
  unverified<Result>(
    datasetIds: readonly string[] | 'all',
    run: (clients: Clients) => Promise<Result>,
  ): Promise<Result> {
    this.#readLog.leaveUnverified(datasetIds)
    return this.#run(run)
  }

  #run<Result>(run: (clients: Clients) => Promise<Result>): Promise<Result> {
    return run(this.#clients).catch((error: unknown) => {
      if (isConflict(error)) this.#readLog.fail()
      throw error
    })
  }
}
