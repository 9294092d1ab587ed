import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from './connection.ts'
import { createDatabase, embeddedConnection, startServer } from './database.ts'
import { type Env, type Gateway, runCatalog, startGateway } from './gateway.ts'
import { type DelayProxy, openDelayProxy } from './proxy.ts'

/** A database that commands and other writers reach without delays. */
interface Target {
  env: Env
  connect: () => Promise<Connection>
}

/** The databases, gateways and proxies of a simulation. */
export interface Stage extends Target {
  gateways: readonly Gateway[]
  proxies: readonly DelayProxy[]
  /** Another database for writers at the same time, if the database has more than one session. */
  contention?: Target
}

interface StageOptions {
  seed: number
  folder: string
  /** The URL of a PostgreSQL server with a superuser. Without it, a new server is started. */
  database?: string | undefined
  /** Gets a function for each thing that must be closed. */
  opened: (() => Promise<unknown>)[]
}

/** Creates databases on a PostgreSQL server, and starts two gateways behind proxies, one of them with workers. */
export async function openPostgres({ seed, folder, database, opened }: StageOptions): Promise<Stage> {
  const server = database === undefined ? await startServer() : { url: database, stop: async () => {} }
  opened.push(server.stop)
  const createTarget = async (name: string) => {
    const { url, drop } = await createDatabase(server.url, `catalog_simulation_${process.pid}_${name}`)
    opened.push(drop)
    const env = { DATABASE_URL: url }
    const { code, stderr } = await runCatalog(folder, env, 'migrate')
    if (code !== 0) throw new Error(stderr)
    return { url, env, connect: () => Connection.open(url) }
  }
  const { url, ...world } = await createTarget('world')
  const contention = await createTarget('contention')
  const [gateways, proxies]: [Gateway[], DelayProxy[]] = [[], []]
  for (const workers of ['1', '2']) {
    const proxy = await openDelayProxy(url, `${seed} proxy ${workers}`)
    opened.push(proxy.close)
    proxies.push(proxy)
    const env = { DATABASE_URL: proxy.url, WORKERS: workers }
    const gateway = await startGateway(folder, `gateway with WORKERS=${workers}`, env)
    opened.push(gateway.stop)
    gateways.push(gateway)
  }
  return { ...world, gateways, proxies, contention }
}

/** Starts a gateway with workers and the embedded database, which has one session. */
export async function openEmbedded({ folder, opened }: StageOptions): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-simulation-'))
  opened.push(() => rm(dataDir, { recursive: true, force: true }))
  const env = { DATA_DIR: dataDir }
  const gateway = await startGateway(folder, 'embedded gateway with WORKERS=2', { ...env, WORKERS: '2' })
  opened.push(gateway.stop)
  return {
    env,
    connect: async () => Connection.open(await embeddedConnection(dataDir)),
    gateways: [gateway],
    proxies: [],
  }
}
