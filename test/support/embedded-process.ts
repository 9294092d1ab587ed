import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { startProcess } from './process.ts'

/*
 * An embedded database in a process of its own. It takes some 500 MB, and only a process gives all of them back when it ends.
 */

const SCRIPT = fileURLToPath(import.meta.url)

/** Opens the embedded database in a folder in a new process. Returns a function that ends the process. */
export async function openInProcess(dataDir: string): Promise<() => Promise<void>> {
  // Two settings that save 150 MB: test data needs no large buffers, and one malloc arena wastes less than one for each thread.
  await appendFile(join(dataDir, 'postgres', 'postgresql.conf'), '\nshared_buffers = 16MB\n')
  const child = startProcess(process.execPath, ['--disable-warning=ExperimentalWarning', SCRIPT, dataDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
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

if (process.argv[1] === SCRIPT) {
  await openEmbedded(process.argv[2] ?? '', { share: true })
  process.send?.('ready')
  process.once('disconnect', () => process.exit())
}
