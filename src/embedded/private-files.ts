import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors/errors.ts'

/*
 * Only the owner of DATA_DIR may read the data in it. DATA_DIR itself stays as it is: whoever made it may have other files there. PGlite
 * makes its files readable for everybody, so the folders around them are private.
 */

/** The rights of the group and of all other users. */
const OTHERS = 0o077

/** What a gateway creates in DATA_DIR. */
const CREATED = /^(?:postgres(?:\..+)?|readers|lock|owner\.json(?:\.new)?)$/

/**
 * Makes everything private that an older version has left readable in DATA_DIR.
 * @param report is called with a message for each file whose rights can't be changed, because it has another owner for example
 */
export async function makePrivate(dataDir: string, report: (line: string) => void): Promise<void> {
  for (const path of await findOpen(dataDir)) {
    const { mode } = await stat(path)
    await chmod(path, mode & ~OTHERS & 0o777).catch((error: unknown) => {
      report(`Other users of this machine may read ${path}: ${messageOf(error)}`)
    })
  }
}

/** Returns the paths in the folder of an embedded database that other users of the machine may read. */
export async function findReadableByOthers(dataDir: string): Promise<string[]> {
  return (await isOpen(dataDir)) ? findOpen(dataDir) : []
}

async function findOpen(dataDir: string): Promise<string[]> {
  const paths = (await readdir(dataDir)).filter((name) => CREATED.test(name)).map((name) => join(dataDir, name))
  const open = await Promise.all(paths.map(isOpen))
  return paths.filter((_, index) => open[index])
}

async function isOpen(path: string): Promise<boolean> {
  // The copy for readers comes and goes.
  const mode = await stat(path).then(
    (found) => found.mode,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0
      throw error
    },
  )
  return (mode & OTHERS) !== 0
}
