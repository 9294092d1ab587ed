import { statfs } from 'node:fs/promises'

/** Returns a message, and after one that says that the disk is full, what to do. */
export function adviseOnFullDisk(message: string): string {
  if (
    !/No space left on device|ENOSPC|Disk quota exceeded|could not extend file|could not write to file "?pg_wal/.test(
      message,
    )
  )
    return message
  return `The disk of the database is full. Nothing was changed; free space, then try again (${message})`
}

/** PostgreSQL ends, and does not start, without the space for a file of its write-ahead log. */
const LOG_FILE_BYTES = 16 * 1024 * 1024

/** Returns why the database in a folder has ended or does not start: the full disk with what to do, which PostgreSQL itself hardly says. */
export async function explainEnd(folder: string, reason: string): Promise<string> {
  const disk = await statfs(folder).catch(() => undefined)
  // Some file systems count no blocks.
  if (!disk || disk.blocks === 0 || disk.bavail * disk.bsize >= LOG_FILE_BYTES) return reason
  return `the disk with ${folder} is full; free at least 16 MB (${reason})`
}
