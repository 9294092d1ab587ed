import { readConfig } from '../config/config.ts'
import { databaseExists } from '../database/database.ts'
import { backUp, restore } from '../embedded/backup.ts'
import { operationFailed } from '../errors/errors.ts'
import { CatalogCommand } from './command.ts'
import { requireConfirmation } from './confirm.ts'
import { withOpenDatabase } from './database.ts'
import { YES } from './options.ts'
import { printLine } from './print.ts'

export const backupCommand = new CatalogCommand('backup')
  .argument('<folder>', 'the new folder')
  .example('npx catalog backup backups/monday')
  .action(runBackup)

export const restoreCommand = new CatalogCommand('restore')
  .argument('<folder>', 'a folder that catalog backup wrote')
  .option(...YES)
  .example('npx catalog restore backups/monday --yes')
  .action(runRestore)

async function runBackup(folder: string): Promise<void> {
  const dataDir = embeddedDataDir()
  if (!databaseExists(readConfig(process.env).database)) throw operationFailed(`There is no database in ${dataDir}`)
  await withOpenDatabase(({ withSession }) => withSession((session) => backUp(session, dataDir, folder)))
  printLine(`The database of ${dataDir} is copied to ${folder}`)
}

async function runRestore(folder: string, { yes }: { yes?: true }): Promise<void> {
  const dataDir = embeddedDataDir()
  if (!yes && databaseExists(readConfig(process.env).database))
    await requireConfirmation('Replace', `the database of ${dataDir} with the backup ${folder}`)
  await restore(dataDir, folder)
  printLine(`The database of ${dataDir} is now that of ${folder}`)
}

/** @throws `OPERATION_FAILED` unless the database is embedded and in a folder */
function embeddedDataDir(): string {
  const { database } = readConfig(process.env)
  if (database.kind === 'postgres') {
    throw operationFailed('DATABASE_URL names a server: use pg_dump and pg_restore, as docs/operations.md says')
  }
  if (database.dataDir === 'memory://') throw operationFailed('DATA_DIR is memory://, which has no files')
  return database.dataDir
}
