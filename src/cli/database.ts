import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DatabaseConfig, readConfig } from '../config/config.ts'
import { type Database, databaseExists, openDatabase } from '../database/database.ts'
import { checkMigrated, migrate } from '../database/migrate.ts'
import { renewStatistics } from '../database/statistics.ts'
import { commits, committing } from '../database/transaction.ts'
import { lockFolder } from '../embedded/lock.ts'
import { operationFailed } from '../errors/errors.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import type { Origin } from '../history/record.ts'
import { printNotice } from './print.ts'
import { stoppable } from './stop.ts'

/**
 * Opens the configured database and runs `use`. This works while a server has the database open too. Only `serve` and `migrate`
 * change the tables of a database. The exception is a new embedded database.
 * @throws `OPERATION_FAILED` when migrations are missing, or there is no database (`withOpenDatabase`)
 */
export async function withDatabase<Result>(
  use: (database: Database) => Promise<Result>,
  options = { creates: false },
): Promise<Result> {
  const { database: config } = readConfig(process.env)
  return withOpenDatabase(async (database) => {
    await database.withSession(async (session) => {
      const { missing, isNew } = await checkMigrated(session)
      if (missing.length === 0) return
      if (isNew && config.kind === 'embedded') await migrate(session)
      else {
        const names = missing.length === 1 ? `the migration ${missing[0]}` : `${missing.length} migrations`
        throw operationFailed(`The database lacks ${names}; apply with: npx catalog migrate`)
      }
    })
    return use(database)
  }, options)
}

/** Does the same for a command that writes a few rows, and then renews the statistics that are old. */
export async function changeDatabase<Result>(use: (database: Database) => Promise<Result>): Promise<Result> {
  return withDatabase(async (database) => {
    const result = await committing(() => use(database))
    // The change is made, and its result may be the only copy of a new key: the next command tries again.
    await database.withSession((session) => renewStatistics(session)).catch(() => {})
    return result
  })
}

/**
 * Opens the configured database, whether or not migrations are missing, and runs `use`.
 * @throws `OPERATION_FAILED` if the embedded database does not exist, unless the command creates it
 */
export async function withOpenDatabase<Result>(
  use: (database: Database) => Promise<Result>,
  { creates } = { creates: false },
): Promise<Result> {
  const { database: config, warning } = readConfig(process.env)
  if (warning !== undefined) printNotice(warning)
  const newFolder = findNewFolder(config)
  if (newFolder !== undefined && !creates) {
    const advice = 'If the gateway has another folder, set DATA_DIR to it; npx catalog serve creates a database'
    throw operationFailed(`There is no database in ${newFolder}. ${advice}`)
  }
  if (newFolder !== undefined) printNotice(`Creating the database in ${newFolder} ...`)
  const name = `${commandOrigin().command} (process ${process.pid})`
  const onWait = (line: string) =>
    printNotice(
      `This command ${line}. Ctrl+C stops it; kill with that number stops the other, which then changes nothing`,
    )
  return stoppable(describeChanges, async () => {
    const database = await openDatabase(config, { share: true, command: { name, onWait } })
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  })
}

/** The folder of an embedded database that does not exist, and that no process is creating. */
function findNewFolder(config: DatabaseConfig): string | undefined {
  if (config.kind === 'postgres' || config.dataDir === 'memory://' || databaseExists(config)) return undefined
  const folder = resolve(config.dataDir)
  try {
    return readdirSync(folder).includes('lock') && isLocked(folder) ? undefined : folder
  } catch (error) {
    // What else is wrong with the folder, the error of opening it says.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? folder : undefined
  }
}

/** Whether a process uses the folder. */
function isLocked(folder: string): boolean {
  const lock = lockFolder(folder)
  lock?.release()
  return lock === undefined
}

/** The commands that show what a command has changed, if it is not `history`. */
const LISTS: Readonly<Record<string, string>> = { keys: 'keys list', migrate: 'migrate' }

/** What a command that is stopped has changed. PostgreSQL rolls a transaction back whose COMMIT was not sent. */
function describeChanges(): string {
  const { begun, made } = commits
  if (begun === 0) return 'nothing was changed'
  const list = `npx catalog ${LISTS[process.argv[2] ?? ''] ?? 'history'}`
  return begun === made
    ? `what was complete stays, and nothing else was changed: ${list}`
    : `the last change may be made: ${list}`
}

/** The origin of the changes that this command makes: its command line, and UNDO_DAYS. */
export function commandOrigin(): Origin {
  const words = process.argv.slice(2).map(quoteForShell)
  return { command: ['catalog', ...words].join(' '), undoDays: readConfig(process.env).undoDays }
}
