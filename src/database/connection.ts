import pg from 'pg'

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
  return new ConnectionError(error.message || String(error), { cause: error })
}

/** A client whose statements fail with an error from PostgreSQL or with a `ConnectionError`. */
export class DatabaseClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    // An `error` event without a listener would end the process. The statements themselves report the lost connection.
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
