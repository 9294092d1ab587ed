import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isFree } from './free-port.ts'
import { startProcess } from './process.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
export const hasPgBouncer = existsSync(PGBOUNCER) || process.env.CI !== undefined

/** A PgBouncer of Debian's packages in front of one database. */
export interface PgBouncer {
  /** The URL of the database through PgBouncer. */
  url: string
  close: () => Promise<void>
}

/** Starts PgBouncer with its defaults in front of the database of a URL, and waits until it accepts connections. */
export async function startPgBouncer(databaseUrl: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const listenPort = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'catalog-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  )
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = startProcess(PGBOUNCER, [...user, file], { stdio: 'ignore' })
  while (await isFree(listenPort)) await sleep(20)
  return {
    url: `postgresql://${username}@127.0.0.1:${listenPort}${pathname}`,
    close: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
