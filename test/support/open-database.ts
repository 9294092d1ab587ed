import assert from 'node:assert/strict'
import pg from 'pg'
import * as catalog from '../../src/database/database.ts'

/** A database whose sessions take any SQL, because tests send what the program never does. */
export interface Database extends Omit<catalog.Database, 'withSession'> {
  withSession: <Result>(use: (session: pg.Client) => Promise<Result>) => Promise<Result>
}

/** Opens a database as the program does. */
export async function openDatabase(...options: Parameters<typeof catalog.openDatabase>): Promise<Database> {
  const database = await catalog.openDatabase(...options)
  return {
    ...database,
    withSession: (use) =>
      database.withSession((session) => {
        assert(session instanceof pg.Client)
        return use(session)
      }),
  }
}
