import pg from 'pg'
import type { Statement } from './sql.ts'

/** A connection of a writer, which is no gateway: `psql` would do the same. */
export class Connection {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(config: string | pg.ClientConfig): Promise<Connection> {
    const client = new pg.Client(config)
    // The error of a lost connection comes with the next statement.
    client.on('error', () => {})
    await client.connect()
    return new Connection(client)
  }

  async run({ text, values }: Statement): Promise<unknown[]> {
    const { rows } = await this.#client.query(text, values)
    return rows
  }

  execute(text: string): Promise<unknown[]> {
    return this.run({ text, values: [] })
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

/** The code of an error of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

export const LOCK_NOT_AVAILABLE = '55P03'
export const DEADLOCK = '40P01'
