import { hash } from 'node:crypto'
import { lstat, mkdtemp, readdir, rename } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * Creates a folder for the pages of a copy, with what a process of the same user that was killed has left of them.
 * @param copy the origin and the dataset
 */
export async function openPagesFolder(copy: string): Promise<string> {
  // Containers that share a folder have each its own numbers of processes.
  const name = `catalog-mirror-${hash('sha256', `${hostname()} ${copy}`).slice(0, 16)}-`
  const folder = await mkdtemp(join(tmpdir(), `${name}${process.pid}-`))
  const others = (await readdir(tmpdir())).filter((entry) => entry.startsWith(name) && entry !== basename(folder))
  for (const entry of others) {
    const path = join(tmpdir(), entry)
    // Another process may take or remove it at the same time, and a second one does not fit in.
    const uid = await lstat(path).then(
      (found) => found.uid,
      () => undefined,
    )
    if (uid !== process.getuid?.() || isRunning(Number.parseInt(entry.slice(name.length), 10))) continue
    await rename(path, folder).catch(() => {})
  }
  return folder
}

/** Whether a process with this number runs, other than this one: an earlier process may have had the same. */
function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch {
    return false
  }
}
