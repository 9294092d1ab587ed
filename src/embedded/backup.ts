import { constants, existsSync } from 'node:fs'
import { access, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { type SqlSession, sql } from '../sql.ts'
import { lockFolder } from './lock.ts'

/*
 * A backup is a folder like DATA_DIR. PGlite has one session and no other processes, so nothing writes to the files while a transaction
 * of ours has the session: they are what a power failure would leave, which PostgreSQL repairs with its write-ahead log.
 */

/** The folder of the database in DATA_DIR and in a backup. */
const POSTGRES = 'postgres'
/** The folder of a restored database that is complete, and not yet in its place. */
const RESTORED = 'postgres.restored'
const REPLACED = 'postgres.replaced'

/** A transaction without a statement for a minute is ended (wire.ts). */
const KEEP_ALIVE_MS = 20_000

/**
 * Copies the database of `dataDir`, which may be in use, to a new folder. Others wait for its end. The folder has its name only when it is
 * complete.
 * @param onPartial is called with the name that it has before
 * @throws `OPERATION_FAILED` if the folder exists or can't be written
 */
export async function backUp(
  session: SqlSession,
  dataDir: string,
  target: string,
  onPartial: (folder: string) => void = () => {},
): Promise<void> {
  const folder = resolve(target)
  if (existsSync(folder)) throw operationFailed(`${target} exists; give the name of a new folder`)
  await session.query(sql`CHECKPOINT`)
  await session.query(sql`BEGIN`)
  await session.query(sql`SELECT 1`)
  // The answer does not matter: the last statement fails too if the connection is lost.
  const keepAlive = setInterval(() => void session.query(sql`SELECT 1`).catch(() => {}), KEEP_ALIVE_MS)
  let partial: string | undefined
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
    partial = await mkdtemp(`${folder}.partial-`)
    onPartial(partial)
    await copyFolder(join(resolve(dataDir), POSTGRES), join(partial, POSTGRES))
    // It fails if the connection was lost, and others may have written since.
    await session.query(sql`SELECT 1`)
    // It fails if another backup has this name by now.
    await rename(partial, folder)
    await session.query(sql`ROLLBACK`)
  } catch (error) {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true })
    throw operationFailed(`The backup ${target} can't be written: ${messageOf(error)}`, error)
  } finally {
    clearInterval(keepAlive)
  }
}

/**
 * Replaces the database of `dataDir`, which no process may have open, with a backup. If it is killed, the database is the old or the new one.
 * @throws `OPERATION_FAILED` if the folder is no backup, or the database or the backup is in use
 */
export async function restore(dataDir: string, source: string): Promise<void> {
  const backup = join(resolve(source), POSTGRES)
  if (!existsSync(join(backup, 'PG_VERSION'))) throw operationFailed(`${source} is no folder of catalog backup`)
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  if (!lock) throw operationFailed(`DATA_DIR ${folder} is in use; stop the gateway first`)
  let backupLock: ReturnType<typeof lockFolder>
  try {
    backupLock = await lockBackup(source)
    await completeRestore(folder)
    const partial = join(folder, `${RESTORED}.partial`)
    await mkdir(partial, { mode: 0o700 })
    await copyFolder(backup, partial)
    await rename(partial, join(folder, RESTORED))
    if (existsSync(join(folder, POSTGRES))) await rename(join(folder, POSTGRES), join(folder, REPLACED))
    await completeRestore(folder)
  } catch (error) {
    throw operationFailed(`The backup ${source} can't be restored: ${messageOf(error)}`, error)
  } finally {
    backupLock?.release()
    lock.release()
  }
}

/**
 * Locks a backup, which a gateway may serve. Returns undefined if this user can't write to it, for example on a read-only medium: no
 * gateway of this user serves it then.
 * @throws `OPERATION_FAILED` if it is in use
 */
async function lockBackup(source: string): Promise<ReturnType<typeof lockFolder>> {
  const isWritable = await access(source, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) return undefined
  const lock = lockFolder(resolve(source))
  if (!lock) throw operationFailed('it is in use; stop the gateway that serves it first')
  return lock
}

/** Completes a restore that was killed, or removes what it left. The caller has the folder locked. */
export async function completeRestore(folder: string): Promise<void> {
  const restored = join(folder, RESTORED)
  if (existsSync(restored) && !existsSync(join(folder, POSTGRES))) await rename(restored, join(folder, POSTGRES))
  for (const left of [RESTORED, `${RESTORED}.partial`, REPLACED])
    await rm(join(folder, left), { recursive: true, force: true })
}

/** File systems that can, share the blocks of both files. */
async function copyFolder(from: string, to: string): Promise<void> {
  const filter = (path: string) => basename(path) !== 'postmaster.pid'
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter })
}
