import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a folder for this process. Returns undefined if another process has locked it. PGlite itself does not lock its folder,
 * and two processes that use it corrupt the data. SQLite uses a file lock of the kernel. The kernel releases it when the process
 * ends for any reason, so there are no stale locks. The lock also works between containers that share the folder.
 */
export function lockFolder(folder: string): { release: () => void } | undefined {
  const path = join(folder, 'lock')
  // SQLite would only say "unable to open database file".
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return { release: () => file.close() }
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
