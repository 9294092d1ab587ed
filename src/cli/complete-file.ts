import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, type Stats } from 'node:fs'
import { readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { stoppable } from './stop.ts'

type Content = Parameters<typeof writeFile>[1]

/** @throws `OPERATION_FAILED` if there is such a file. A pipe or a terminal is written into, so nothing is lost */
export async function refuseExisting(path: string): Promise<void> {
  const found = await statOf(path)
  if (found?.isFile() || found?.isDirectory() || found?.isBlockDevice())
    throw operationFailed(`${path} exists; replace it with --force`)
}

/**
 * Writes a file under another name, and renames it when it is complete. What is no regular file, such as a device or a pipe, is written
 * into: a rename would remove it. A signal that ends the command leaves no unfinished file.
 * @throws `OPERATION_FAILED` if it can't be written
 */
export async function writeComplete(path: string, content: Content, options: { mode?: number } = {}): Promise<void> {
  try {
    const target = await replaceable(path)
    if (target === undefined) await writeFile(path, content, options)
    else await writeAndRename(target, content, options)
  } catch (error) {
    // Only an error of the file system names a system call. The others come from the export itself.
    throw error instanceof Error && 'syscall' in error ? cannotWrite(path, error) : error
  }
}

/** Removes a file that `writeComplete` writes. A symbolic link and what is no regular file stay. */
export async function removeComplete(path: string): Promise<void> {
  const target = await replaceable(path)
  if (target !== undefined) await rm(target, { force: true })
}

/** An error of the file system, for operators. */
export function cannotWrite(path: string, error: unknown): Error {
  return operationFailed(`${path} can't be written: ${messageOf(error)}`, error)
}

/** The regular file that a path names, behind its symbolic links, or where it would be; undefined if something else is there. */
async function replaceable(path: string): Promise<string | undefined> {
  const found = await statOf(path)
  if (found) return found.isFile() ? realpath(path) : undefined
  const link = await readlink(path).catch(() => undefined)
  return link === undefined ? path : resolve(dirname(path), link)
}

function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined)
}

async function writeAndRename(path: string, content: Content, options: { mode?: number }): Promise<void> {
  // Another command may be writing the same file.
  const partial = `${path}.${randomUUID()}.partial`
  const onStop = () => {
    rmSync(partial, { force: true })
    return `${path} was not written`
  }
  await stoppable(onStop, async () => {
    try {
      await writeFile(partial, content, options)
      // At once: a signal comes before or after it.
      renameSync(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  })
}
