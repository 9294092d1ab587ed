import { existsSync, rmSync } from 'node:fs'
import { resetAllChanges } from '../changes/retention.ts'
import { readConfig } from '../config/config.ts'
import { databaseExists } from '../database/database.ts'
import { backUp, restore } from '../embedded/backup.ts'
import { operationFailed } from '../errors/errors.ts'
import { CatalogCommand } from './command.ts'
import { requireConfirmation } from './confirm.ts'
import { withOpenDatabase } from './database.ts'
import { YES } from './options.ts'
import { printLine, printNotice } from './print.ts'
import { stoppable } from './stop.ts'

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
  let partial = ''
  const onPartial = (path: string) => {
    partial = path
  }
  const onStop = () => {
    // The file that is being copied may be finished meanwhile.
    if (partial !== '') rmSync(partial, { recursive: true, force: true, maxRetries: 3 })
    return existsSync(folder) ? `${folder} is complete` : `${folder} was not written`
  }
  await withOpenDatabase(({ withSession }) =>
    withSession((session) => stoppable(onStop, () => backUp(session, dataDir, folder, onPartial))),
  )
  printLine(`The database of ${dataDir} is copied to ${folder}`)
}

async function runRestore(folder: string, { yes }: { yes?: true }): Promise<void> {
  const dataDir = embeddedDataDir()
  if (!yes && databaseExists(readConfig(process.env).database))
    await requireConfirmation('Replace', `the database of ${dataDir} with the backup ${folder}`)
  await stoppable(
    () => `the database of ${dataDir} is the old one, or that of ${folder}`,
    () => restore(dataDir, folder),
  )
  // Copies of the datasets may have changes that this database has not.
  await withOpenDatabase(({ withSession }) => withSession(resetAllChanges))
  printLine(`The database of ${dataDir} is now that of ${folder}, with its keys, grants and access to datasets`)
  printNotice('warning: keys and secrets that were revoked since the backup work again; compare: npx catalog keys list')
}

/** @throws `OPERATION_FAILED` unless the database is embedded and in a folder */
function embeddedDataDir(): string {
  const { database } = readConfig(process.env)
  if (database.kind === 'postgres') {
    throw operationFailed('DATABASE_URL names a server: use pg_dump and pg_restore, as docs/backups.md says')
  }
  if (database.dataDir === 'memory://') throw operationFailed('DATA_DIR is memory://, which has no files')
  return database.dataDir
}
