import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess } from './process.ts'
import { copyTemplate, type DatabaseTemplate, type EmptyDatabase } from './template.ts'

/*
 * An embedded database in a process of its own. It takes some 500 MB, and only a process gives all of them back when it ends.
 */

const SERVER = fileURLToPath(new URL('embedded-server.ts', import.meta.url))

/** Opens the embedded database in a folder in a new process. Returns a function that ends the process. */
async function openInProcess(dataDir: string, settings: string): Promise<() => Promise<void>> {
  await appendFile(join(dataDir, 'postgres', 'postgresql.conf'), `\n${settings}\n`)
  const child = startProcess(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER, dataDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // One malloc arena wastes less memory than one for each thread.
    env: { ...process.env, MALLOC_ARENA_MAX: '1' },
  })
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The process of the database ended with ${code}`)
    }),
  ])
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

/** A new database, migrated and empty, that is open if it is embedded. */
export interface RunningDatabase extends Omit<EmptyDatabase, 'drop'> {
  /** Removes the database. */
  end: () => Promise<void>
}

/**
 * Copies the template, and opens an embedded database in a new process.
 * @param settings are lines of its postgresql.conf
 */
export async function startCopy(template: DatabaseTemplate, settings = ''): Promise<RunningDatabase> {
  const { config, env, drop } = await copyTemplate(template)
  const end = config.kind === 'embedded' ? await openInProcess(config.dataDir, settings) : async () => {}
  return { config, env, end: () => end().then(drop) }
}
