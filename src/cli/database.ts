import { readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'

/**
 * Runs a command on the configured database, migrated, also while a server has it open.
 * @param use is given the database and the names of the migrations that it did not have.
 */
export async function withDatabase<Result>(
  use: (database: Database, applied: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { database: config } = readConfig(process.env)
  const database = await openDatabase(config, { share: true })
  try {
    const applied = await database.withSession((session) => migrate(session))
    return await use(database, applied)
  } finally {
    await database.close()
  }
}
