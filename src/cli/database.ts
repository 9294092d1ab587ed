import { readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'

/**
 * Opens the configured database, migrates it, and runs `use`. This works while a server has the database open too.
 * @param use receives the database and the names of the migrations that were just applied
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
