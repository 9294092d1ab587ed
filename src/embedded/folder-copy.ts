import { constants } from 'node:fs'
import { copyFile, cp, mkdir, readdir, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { type SqlText, sql } from '../sql.ts'

const backup = z.tuple([z.object({ label: z.string(), first: z.string(), last: z.string() })])

/** Ends the backup. Returns its label, and the first and the last file of the write-ahead log that it needs. */
const STOP = sql`
  SELECT labelfile AS label, substring(labelfile FROM 'file ([0-9A-F]{24})') AS first, pg_walfile_name(lsn) AS last
    FROM pg_backup_stop(wait_for_archive => false)`

/**
 * Copies the folder of a database that is in use. PostgreSQL makes the copy consistent when it opens it, with its write-ahead log.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 * @param query runs an SQL statement in the database and returns its rows
 * @throws Error if the disk has too little space, or a file can't be copied
 */
export async function copyDatabase(
  query: (text: SqlText) => Promise<unknown>,
  folder: string,
  copy: string,
): Promise<void> {
  await checkSpace(folder)
  await query(sql`SELECT FROM pg_backup_start('copy', fast => true)`)
  const copied = await copyTables(folder, copy).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const [{ label, first, last }] = backup.parse(await query(STOP))
  if (copied) throw copied.error
  await mkdir(join(copy, 'pg_wal', 'archive_status'), { recursive: true })
  for (const name of await readdir(join(folder, 'pg_wal'))) {
    if (name >= first && name <= last) await clone(join(folder, 'pg_wal', name), join(copy, 'pg_wal', name))
  }
  await writeFile(join(copy, 'backup_label'), label)
}

/** PostgreSQL itself needs space too, and does not survive a full disk. */
async function checkSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  let size = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) size += (await stat(join(entry.parentPath, entry.name))).size
  }
  if (bavail * bsize < 2 * size) throw new Error('the disk has too little free space')
}

/** Copies everything but the write-ahead log and temporary tables. File systems that can, share the blocks of both files. */
async function copyTables(folder: string, copy: string): Promise<void> {
  const skipped = new Set([join(folder, 'pg_wal'), join(folder, 'postmaster.pid')])
  const filter = (path: string) => !skipped.has(path) && !/^t\d+_\d+/.test(basename(path))
  await mkdir(copy, { mode: 0o700 })
  await cp(folder, copy, { recursive: true, mode: constants.COPYFILE_FICLONE, filter })
}

const clone = (from: string, to: string) => copyFile(from, to, constants.COPYFILE_FICLONE)
