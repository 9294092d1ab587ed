import { readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'

/** Runs a command on the configured database, migrated, also while a server has it open. */
export async function withDatabase<Result>(use: (database: Database) => Promise<Result>): Promise<Result> {
  const { database: config } = readConfig(process.env)
  const database = await openDatabase(config, { share: true })
  try {
    await database.withSession((session) => migrate(session))
    return await use(database)
  } finally {
    await database.close()
  }
}
