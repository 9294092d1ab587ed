import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** A PostgreSQL server for one test, from Debian's packages. */
export interface PostgresServer {
  /** The URL of the database `postgres`, with a superuser. */
  url: string
  stop: (mode: 'fast' | 'immediate') => Promise<void>
  /** Starts it again as a standby that follows no other server, as after a promotion by mistake. */
  demote: () => Promise<void>
}

interface ReplicaOptions {
  /** The server to stream from; by default the primary. */
  of?: PostgresServer
  /** A server that was stopped, whose URL the replica gets. */
  at?: PostgresServer
}

/** A primary and its streaming replicas. */
export interface Cluster {
  primary: PostgresServer
  /** Starts a hot standby. */
  addReplica: (options?: ReplicaOptions) => Promise<PostgresServer>
  close: () => Promise<void>
}

const [initdb = ''] = globSync('/usr/lib/postgresql/*/bin/initdb').sort().reverse()
export const hasPostgres = initdb !== '' || process.env.CI !== undefined

/** Starts a primary in a new folder. */
export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-cluster-'))
  // PostgreSQL does not run as root. It runs as the user postgres, who must own the folder.
  if (isRoot) await runAs([], 'chown', ['postgres', folder])
  await chmod(folder, 0o755)
  const servers: PostgresServer[] = []
  await run('initdb', ['-D', join(folder, 'primary'), '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8'])
  const start = async (name: string, port?: number) => {
    const server = await startServer(join(folder, name), folder, port ?? (await freePort()))
    servers.push(server)
    return server
  }
  const primary = await start('primary')
  return {
    primary,
    addReplica: async ({ of = primary, at } = {}) => {
      const name = `replica${servers.length}`
      await run('pg_basebackup', ['-d', of.url, '-D', join(folder, name), '-R', '-c', 'fast', '-X', 'stream'])
      return start(name, at && Number(new URL(at.url).port))
    },
    close: async () => {
      for (const server of servers.reverse()) await server.stop('immediate')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startServer(data: string, socketFolder: string, port: number): Promise<PostgresServer> {
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: socketFolder, fsync: 'off' }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  let isRunning = false
  const start = async () => {
    await run('pg_ctl', ['-D', data, '-w', '-l', `${data}.log`, '-o', options.join(' '), 'start'])
    isRunning = true
  }
  const stop = async (mode: 'fast' | 'immediate') => {
    if (isRunning) await run('pg_ctl', ['-D', data, '-m', mode, '-w', 'stop'])
    isRunning = false
  }
  await start()
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop,
    demote: async () => {
      await stop('fast')
      await writeFile(join(data, 'standby.signal'), '')
      await start()
    },
  }
}

const isRoot = process.getuid?.() === 0

function run(program: string, args: string[]): Promise<unknown> {
  return runAs(isRoot ? ['runuser', '-u', 'postgres', '--'] : [], join(dirname(initdb), program), args)
}

/** Runs a program of PostgreSQL that is no server, for example `pg_dump`, as the current user. */
export function runPostgresProgram(program: string, args: string[]): Promise<unknown> {
  return runAs([], join(dirname(initdb), program), args)
}

async function runAs(prefix: string[], program: string, args: string[]): Promise<unknown> {
  const [first = program, ...rest] = [...prefix, program, ...args]
  return promisify(execFile)(first, rest)
}
