import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/** A PostgreSQL server, in which each simulation makes its own databases. */
export interface Server {
  url: string
  stop: () => Promise<void>
}

/** A new and empty database. */
export interface EmptyDatabase {
  url: string
  drop: () => Promise<void>
}

/** Creates a database. Its deadlocks show after a tenth of a second; the default is a second. */
export async function createDatabase(server: string, name: string): Promise<EmptyDatabase> {
  await execute(
    server,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'`,
  )
  await execute(server, `ALTER DATABASE ${name} SET deadlock_timeout = '100ms'`)
  const url = Object.assign(new URL(server), { pathname: name }).href
  return { url, drop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

const isRoot = process.getuid?.() === 0

/** Starts a PostgreSQL from Debian's packages in a temporary folder. */
export async function startServer(): Promise<Server> {
  const [initdb] = globSync('/usr/lib/postgresql/*/bin/initdb').sort().reverse()
  if (initdb === undefined)
    throw new Error('There is no PostgreSQL in /usr/lib/postgresql; use --database or --embedded')
  const folder = await mkdtemp(join(tmpdir(), 'catalog-simulation-'))
  const run = promisify(execFile)
  // PostgreSQL does not run as root. It runs as the user postgres, who must own the folder.
  if (isRoot) await run('chown', ['postgres', folder])
  await chmod(folder, 0o755)
  const runServer = (program: string, ...args: string[]) => {
    const path = join(dirname(initdb), program)
    return isRoot ? run('runuser', ['-u', 'postgres', '--', path, ...args]) : run(path, args)
  }
  const data = join(folder, 'data')
  await runServer('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8')
  const port = await freePort()
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`
  await runServer('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await runServer('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port')),
      )
    })
  })
}

/** How a writer connects to the embedded database of a running gateway. */
export async function embeddedConnection(dataDir: string): Promise<pg.ClientConfig> {
  const owner: unknown = JSON.parse(await readFile(join(dataDir, 'owner.json'), 'utf8'))
  if (typeof owner !== 'object' || owner === null || !('socketDir' in owner)) throw new TypeError('No socket')
  return { host: String(owner.socketDir), port: 5432, user: 'postgres' }
}
