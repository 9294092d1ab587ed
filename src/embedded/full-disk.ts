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
