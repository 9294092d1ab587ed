import pg from 'pg'

/**
 * The connection to PostgreSQL could not be made, was lost, or does not answer. pg and Node report this with many different
 * codes and messages, and Prisma's adapter knows only some of them. So each error is classified here, where it arises: an
 * error that PostgreSQL did not send is an error of the connection.
 */
export class ConnectionError extends Error {
  /** SQLSTATE `connection_failure`. */
  readonly code = '08006'
  /** Prisma's adapter passes the code of an error on only if the error has a severity, as those of PostgreSQL have. */
  readonly severity = 'FATAL'
}

/** The same error if PostgreSQL sent it, or else a `ConnectionError` with its message. */
export function classifyError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof ConnectionError || !(error instanceof Error)) return error
  return new ConnectionError(error.message || String(error), { cause: error })
}

/** A client whose statements fail with an error of PostgreSQL or with a `ConnectionError`. */
export class DatabaseClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    // Node ends the process for an `error` event without a listener. The statements report the lost connection.
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
  override query(...args: any[]): any {
    const sent: unknown = Reflect.apply(super.query, this, args)
    if (!(sent instanceof Promise)) return sent
    return sent.catch((error: unknown) => {
      throw classifyError(error)
    })
  }
}
