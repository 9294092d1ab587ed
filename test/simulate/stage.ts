import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startCluster } from '../support/cluster.ts'
import { runCatalogWith, startGateway } from '../support/process.ts'
import { Connection } from './connection.ts'
import { type DelayProxy, openDelayProxy } from './proxy.ts'

export interface Gateway {
  url: string
  name: string
}

/** The database, gateways and proxies of a simulation. */
export interface Stage {
  /** The settings of commands, which reach the database without delays. */
  env: Record<string, string>
  /** Connects another writer without delays. */
  connect: () => Promise<Connection>
  gateways: readonly Gateway[]
  proxies: readonly DelayProxy[]
  /** Connects to the replica that gateways read too, if there is one. */
  connectReplica: (() => Promise<Connection>) | undefined
  /** Whether all writers and gateways share one session of the database. */
  hasOneSession: boolean
}

interface StageOptions {
  seed: number
  /** The URL of a PostgreSQL server with a superuser. Without it, a new server is started. */
  database?: string | undefined
  /** Whether the new server has a streaming replica that gateways read. */
  replica: boolean
  /** Gets a function for each thing that must be closed. */
  opened: (() => Promise<unknown>)[]
}

/** Runs a `catalog` command until it ends. After ten minutes it is killed, and its code is null. */
export const runCommand = (env: Record<string, string>, ...args: string[]) =>
  runCatalogWith({ timeoutMs: 600_000 }, env, ...args)

/** Creates a database on a PostgreSQL server, and starts two gateways behind proxies, one of them with workers. */
export async function openPostgres({ seed, database, replica, opened }: StageOptions): Promise<Stage> {
  const servers = database === undefined ? await startServers(replica, opened) : [database]
  const name = `catalog_simulation_${process.pid}`
  const [server = '', copy] = servers
  await execute(server, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  opened.push(() => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  // Deadlocks show after a tenth of a second; the default is a second.
  await execute(server, `ALTER DATABASE ${name} SET deadlock_timeout = '100ms'`)
  const urlOn = (url: string) => Object.assign(new URL(url), { pathname: name }).href
  const env = { DATABASE_URL: urlOn(server) }
  const { code, stderr } = await runCommand(env, 'migrate')
  if (code !== 0) throw new Error(stderr)
  const [gateways, proxies]: [Gateway[], DelayProxy[]] = [[], []]
  for (const workers of ['1', '2']) {
    const ways = await Promise.all(
      servers.map((url, n) => openDelayProxy(urlOn(url), `${seed} proxy ${workers} to ${n}`)),
    )
    opened.push(...ways.map(({ close }) => close))
    proxies.push(...ways)
    const [DATABASE_URL = '', ...replicas] = ways.map(({ url }) => url)
    const urls = { DATABASE_URL, DATABASE_REPLICA_URLS: replicas.join() }
    gateways.push(await openGateway(`gateway with WORKERS=${workers}`, { ...urls, WORKERS: workers }, opened))
  }
  const connectTo = (url: string) => () => Connection.open(urlOn(url))
  return {
    ...{ env, gateways, proxies, hasOneSession: false },
    ...{ connect: connectTo(server), connectReplica: copy === undefined ? undefined : connectTo(copy) },
  }
}

/** Starts a server, and its replica if there is to be one. Returns their URLs. */
async function startServers(replica: boolean, opened: StageOptions['opened']): Promise<string[]> {
  const { primary, addReplica, close } = await startCluster()
  opened.push(close)
  return [primary.url, ...(replica ? [(await addReplica()).url] : [])]
}

async function execute(url: string, sql: string): Promise<void> {
  const connection = await Connection.open(url)
  await connection.execute(sql).finally(() => connection.close())
}

/** Starts a gateway with workers and the embedded database, which has one session. */
export async function openEmbedded({ opened }: StageOptions): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-simulation-'))
  opened.push(() => rm(dataDir, { recursive: true, force: true }))
  const env = { DATA_DIR: dataDir }
  const gateway = await openGateway('embedded gateway with WORKERS=2', { ...env, WORKERS: '2' }, opened)
  const connect = async () => Connection.open(await embeddedConnection(dataDir))
  return { env, connect, gateways: [gateway], proxies: [], connectReplica: undefined, hasOneSession: true }
}

async function openGateway(
  name: string,
  env: Record<string, string>,
  opened: StageOptions['opened'],
): Promise<Gateway> {
  const limits = { MAX_REFUSALS_PER_MINUTE: '1000000', MAX_EXPORTS: '100' }
  const { url, stop } = await startGateway({ HOST: '127.0.0.1', SAMPLE_DATA: 'false', ...limits, ...env })
  opened.push(stop)
  return { url, name }
}

/** How a writer connects to the embedded database of a running gateway. */
async function embeddedConnection(dataDir: string): Promise<pg.ClientConfig> {
  const owner: { socketDir: string } = JSON.parse(await readFile(join(dataDir, 'owner.json'), 'utf8'))
  return { host: owner.socketDir, port: 5432, user: 'postgres' }
}
