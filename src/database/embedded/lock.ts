import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes the lock on a folder for this process, or gives undefined when another holds it. PGlite has none of its own, and
 * two processes on one folder corrupt it. SQLite's file lock is the kernel's: it goes with the process, however that
 * ends, so there is no stale lock to recognise and none to steal; it holds across containers that share the folder.
 */
export function lockFolder(folder: string): { release: () => void } | undefined {
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
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
