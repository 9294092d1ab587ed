import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'
import pg from 'pg'
import { z } from 'zod'
import { type Link, openLink } from './link.ts'

/** The folder of a cluster, and the first three numbers of its addresses, with a point. They are on the loopback interface. */
export interface Place {
  folder: string
  network: string
}

const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
const isRoot = process.getuid?.() === 0
/** Neither PostgreSQL nor Patroni runs as root. */
export const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : undefined

/** Starts a server, which prints to a file in the folder. */
export function startServer({ folder }: Place, name: string, program: string, args: string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' }
  return spawn(program, args, { ...owner, cwd: folder, env, stdio: ['ignore', log, log], detached: true })
}

/** A PostgreSQL server under Patroni. */
export interface Node {
  name: string
  /** Its data folder, and the file of its Patroni. */
  data: string
  file: string
  /** The URL of a database, for a superuser. */
  urlOf: (database: string) => string
  /** The way of all others to PostgreSQL and to Patroni, and of Patroni to etcd. */
  links: Record<'postgres' | 'patroni' | 'etcd', Link>
  /** Starts Patroni, which starts PostgreSQL. */
  start: () => void
  /** Stops Patroni, which stops PostgreSQL, and waits for both. */
  stop: () => Promise<void>
  killPatroni: () => void
  /** Sends a signal to Patroni and to all processes of PostgreSQL. */
  signal: (signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void
  /** Kills PostgreSQL alone. */
  killPostgres: () => void
  query: (sql: string) => Promise<pg.QueryResult>
  /** Asks Patroni beside the links. Returns the status, and the body if it is JSON. */
  ask: (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown }>
  close: () => void
}

/** Creates the node with a number, with the configuration of docs/deployment/patroni.yml, and does not yet start it. */
export async function createNode(place: Place, n: number, dcs: object): Promise<Node> {
  const { folder, network } = place
  const name = `node${n}`
  const [outside, inside, etcd] = [`${network}1${n}`, `${network}11${n}`, `${network}22${n}`]
  const openWay = (from: string, to: string, port: number) => openLink({ host: from, port }, { host: to, port })
  const links = {
    postgres: await openWay(outside, inside, 5432),
    patroni: await openWay(outside, inside, 8008),
    etcd: await openWay(etcd, `${network}21`, 2379),
  }
  const data = join(folder, name)
  await mkdir(`${data}.socket`)
  if (owner) await chown(`${data}.socket`, owner.uid, owner.gid)
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(configure({ folder, name, data, outside, inside, etcd, dcs })))

  let patroni: ChildProcess | undefined
  const processes = () => [...(patroni?.pid === undefined ? [] : [patroni.pid]), ...postgresProcesses(data)]
  const signal: Node['signal'] = (name) => {
    for (const pid of processes()) kill(pid, name)
  }
  return {
    name,
    data,
    file,
    urlOf: (database) => urlOf(place, { host: `${outside}:5432`, user: 'postgres', database }),
    links,
    start: () => {
      patroni = startServer(place, name, 'patroni', [file])
    },
    stop: async () => {
      patroni?.kill('SIGTERM')
      await until(`${name} stops`, async () => patroni?.exitCode !== null)
    },
    killPatroni: () => void patroni?.kill('SIGKILL'),
    signal,
    killPostgres: () => {
      for (const pid of postgresProcesses(data)) kill(pid, 'SIGKILL')
    },
    query: async (sql) => {
      const connectionString = urlOf(place, { host: `${inside}:5432`, user: 'postgres' })
      const client = new pg.Client({ connectionString, query_timeout: 30_000 })
      await client.connect()
      return client.query(sql).finally(() => client.end())
    },
    ask: async (method, path, body) => {
      const init = { method, signal: AbortSignal.timeout(10_000), ...(body && { body: JSON.stringify(body) }) }
      const response = await fetch(`http://${inside}:8008${path}`, init)
      const text = await response.text()
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
    },
    close: () => {
      signal('SIGCONT')
      signal('SIGKILL')
      for (const link of Object.values(links)) link.close()
    },
  }
}

/** The URL of a database at a host, whose certificate clients check, as patroni.yml says. */
export function urlOf({ folder }: Place, { host, user = 'catalog', database = 'catalog' }: Target): string {
  return `postgresql://${user}@${host}/${database}?sslmode=verify-full&sslrootcert=${folder}/ssl/server.pem`
}

interface Target {
  host: string
  user?: string
  database?: string
}

/** Makes the folders of patroni.yml: the archive, and one certificate for the addresses of all servers. */
export async function makeFolders({ folder, network }: Place): Promise<void> {
  const names = [5, 11, 12, 13, 111, 112, 113].map((n) => `IP:${network}${n}`).join(',')
  const [ssl, wal] = [join(folder, 'ssl'), join(folder, 'wal')]
  for (const path of [ssl, wal]) await mkdir(path)
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        '/CN=catalog',
        '-addext',
        `subjectAltName=${names}`,
      ],
      ...['-keyout', join(ssl, 'server.key'), '-out', join(ssl, 'server.pem')],
    ],
    { stdio: 'ignore' },
  )
  if (owner) for (const path of [wal, join(ssl, 'server.key')]) await chown(path, owner.uid, owner.gid)
}

const CONFIGURATION = z.looseObject({
  bootstrap: z.looseObject({ dcs: z.looseObject({}) }),
  postgresql: z.looseObject({ parameters: z.looseObject({}), pg_hba: z.array(z.string()) }),
})

interface Placed {
  folder: string
  name: string
  data: string
  outside: string
  inside: string
  etcd: string
  dcs: object
}

/** The configuration of the documentation at other addresses, without passwords, and with other numbers of seconds. */
function configure({ folder, name, data, outside, inside, etcd, dcs }: Placed): object {
  const documented = readFileSync(new URL('../../docs/deployment/patroni.yml', import.meta.url), 'utf8')
  const placed = documented.replaceAll('/mnt/wal', `${folder}/wal`).replaceAll('/etc/ssl/catalog', `${folder}/ssl`)
  const { bootstrap, postgresql, ...rest } = CONFIGURATION.parse(load(placed))
  const trusting = (line: string) => line.replace(/peer|scram-sha-256/, 'trust').replace('10.0.0.0/24', '127.0.0.0/8')
  return {
    ...rest,
    // It would reset the machine of the tests.
    watchdog: { mode: 'off' },
    name,
    restapi: { listen: `${inside}:8008`, connect_address: `${outside}:8008` },
    // Without `use_proxies` Patroni would learn the address of etcd itself, and go around the link.
    etcd3: { hosts: [`${etcd}:2379`], use_proxies: true },
    bootstrap: { ...bootstrap, dcs: { ...bootstrap.dcs, ...dcs } },
    postgresql: {
      ...postgresql,
      listen: `${inside}:5432`,
      connect_address: `${outside}:5432`,
      data_dir: data,
      pgpass: `${data}.pgpass`,
      parameters: {
        ...postgresql.parameters,
        ...{ unix_socket_directories: `${data}.socket`, fsync: false, shared_buffers: '128MB' },
      },
      pg_hba: postgresql.pg_hba.map(trusting),
    },
  }
}

/** The main process of PostgreSQL in a folder, and its children. */
function postgresProcesses(data: string): number[] {
  const [main] = readIfThere(join(data, 'postmaster.pid')).split('\n')
  if (!main || !readIfThere(`/proc/${main}/cmdline`).includes(data)) return []
  return withChildren(Number(main))
}

/** A process and its children. */
export function withChildren(main: number): number[] {
  const parentOf = (pid: string) => / \d+ \((?:.*)\) \w (\d+)/.exec(` ${readIfThere(`/proc/${pid}/stat`)}`)?.[1]
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(parentOf(pid)) === main)
  return [main, ...children.map(Number)]
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Sends a signal to a process, if it is there. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** Waits until a condition holds. A failure counts as false. @throws after some minutes, ten by default */
export async function until(what: string, holds: () => Promise<boolean>, minutes = 10): Promise<void> {
  for (const end = performance.now() + minutes * 60_000; performance.now() < end; await sleep(200)) {
    if (await holds().catch(() => false)) return
  }
  throw new Error(`Not within ${minutes} minutes: ${what}`)
}
