import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '../simulate/connection.ts'
import { at } from '../simulate/question.ts'
import { killProcesses, runCatalog, startGateway } from '../support/process.ts'
import {
  createNode,
  kill,
  makeFolders,
  type Node,
  owner,
  type Place,
  startServer,
  until,
  urlOf,
  withChildren,
} from './node.ts'

/** A running gateway of the cluster. */
export interface Gateway {
  name: string
  url: string
  /** How many reads came from replicas since its start. */
  replicaReads: () => Promise<number>
  /** Sends a signal to all of its processes. */
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
}

/** Three nodes, HAProxy with docs/deployment/haproxy.cfg, and two gateways with workers. */
export interface Stage {
  /** For files. It is removed at the end. */
  folder: string
  /** The first three numbers of the addresses, with a point. */
  network: string
  nodes: readonly Node[]
  gateways: readonly Gateway[]
  /** The URL of the catalog on the leader, through HAProxy. */
  leaderUrl: string
  /** Its URL on any replica, through HAProxy. */
  replicasUrl: string
  /** The settings of a command. */
  env: Record<string, string>
  /** The one node that leads. */
  leader: () => Promise<Node>
  /** Waits until one node leads, the two others follow it, and both gateways read from them. */
  untilHealthy: () => Promise<void>
  /** Sends a signal to etcd or Redis. */
  signal: (name: 'etcd' | 'redis', signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void
  startEtcd: () => void
  startRedis: () => void
  close: () => Promise<void>
}

/** The settings of Patroni that a run changes. Times are in seconds. */
export interface Settings {
  ttl: number
  loop_wait: number
  retry_timeout: number
  /** Whether the leader waits for a replica at each commit. By itself, Patroni has false. */
  synchronous_mode: boolean
}

/** Starts everything, with an empty catalog. Nothing lives longer than this process. */
export async function openStage(dcs: Settings): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-cluster-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o755)
  const network = `127.${1 + (process.pid % 250)}.${Math.floor(Math.random() * 250)}.`
  const place: Place = { folder, network }
  const servers = new Map<string, ChildProcess>()
  const start = (name: string, program: string, ...args: string[]) =>
    void servers.set(name, startServer(place, name, program, args))
  const nodes: Node[] = []
  const killAll = () => {
    for (const server of servers.values()) if (server.pid !== undefined) kill(server.pid, 'SIGKILL')
    for (const node of nodes) node.close()
  }
  process.once('exit', killAll)

  const etcd = `http://${network}21`
  const startEtcd = () =>
    start(
      'etcd',
      'etcd',
      ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
      ...['--listen-client-urls', `${etcd}:2379`, '--advertise-client-urls', `${etcd}:2379`],
      ...['--listen-peer-urls', `${etcd}:2380`, '--initial-advertise-peer-urls', `${etcd}:2380`],
      ...['--initial-cluster', `default=${etcd}:2380`],
    )
  const startRedis = () => start('redis', 'redis-server', '--bind', `${network}8`, '--save', '')
  startEtcd()
  startRedis()
  await makeFolders(place)
  // Patroni ends for ever if etcd has no leader yet.
  await until(
    'etcd has a leader',
    async () => !(await (await fetch(`${etcd}:2379/version`)).text()).includes('not_decided'),
  )
  for (const n of [1, 2, 3]) nodes.push(await createNode(place, n, dcs))
  const leads = async (node: Node) => (await node.ask('GET', '/primary').catch(() => undefined))?.status === 200
  const leader = async () => {
    const found = await Promise.all(nodes.map(leads))
    const leading = nodes.filter((_, n) => found[n])
    if (leading.length !== 1 || !leading[0]) throw new Error(`${leading.length} nodes lead`)
    return leading[0]
  }
  const following = async () => {
    const names = `SELECT application_name AS name FROM pg_stat_replication WHERE state = 'streaming'`
    return (await (await leader()).query(names)).rows.map((row) => String(at(row, 'name')))
  }
  const followed = async () => (await following()).length === nodes.length - 1
  /** Builds the replicas again that do not follow, as docs/deploying.md says of a frozen leader. */
  const rebuild = async () => {
    const sound = [(await leader()).name, ...(await following())]
    for (const node of nodes.filter(({ name }) => !sound.includes(name))) {
      process.stdout.write(`HELPED: ${node.name} is built again\n`)
      await node.ask('POST', '/reinitialize', { force: true })
    }
  }
  const [first] = nodes
  first?.start()
  await until('the first node leads', async () => (await leader()) === first)
  for (const node of nodes.slice(1)) node.start()
  const setUp = ['CREATE ROLE catalog LOGIN', 'GRANT pg_read_all_stats TO catalog']
  await execute(first?.urlOf('postgres'), ...setUp, 'CREATE DATABASE catalog OWNER catalog')
  await execute(first?.urlOf('catalog'), 'CREATE EXTENSION postgis')

  const balancer = readFileSync(new URL('../../docs/deployment/haproxy.cfg', import.meta.url), 'utf8')
  const withoutTls = balancer.replace(/:443 ssl .*/, ':8080')
  await writeFile(join(folder, 'haproxy.cfg'), withoutTls.replaceAll('10.0.0.', network))
  start('haproxy', 'haproxy', '-db', '-f', join(folder, 'haproxy.cfg'))
  const env = { DATABASE_URL: urlOf(place, { host: `${network}5:5000` }) }
  const isMigrated = async () => (await runCatalog(env, 'migrate')).code === 0
  await until('the catalog is migrated', isMigrated)
  await until('both replicas follow', followed)

  const openGateway = async (n: number): Promise<Gateway & { stop: () => Promise<unknown> }> => {
    const { url, printed, child, stop } = await startGateway({
      ...env,
      REDIS_URL: `redis://${network}8:6379`,
      ...{ HOST: `${network}3${n}`, PORT: '4000', METRICS_PORT: '0', WORKERS: '2', DATABASE_POOL_SIZE: '6' },
      DATABASE_REPLICA_URLS: nodes.map((node) => node.urlOf('catalog').replace('postgres@', 'catalog@')).join(','),
    })
    const metrics = /Metrics at (\S+)/.exec(printed)?.[1] ?? ''
    const replicaReads = async () =>
      Number(/reads_total\{server="replica"\} (\d+)/.exec(await (await fetch(metrics)).text())?.[1] ?? 0)
    const signal: Gateway['signal'] = (name) => {
      for (const pid of child.pid === undefined ? [] : withChildren(child.pid)) kill(pid, name)
    }
    return { name: `gateway-${n}`, url, replicaReads, signal, stop }
  }
  const gateways = await Promise.all([1, 2].map(openGateway))
  return {
    folder,
    network,
    nodes,
    gateways,
    leaderUrl: env.DATABASE_URL,
    replicasUrl: urlOf(place, { host: `${network}5:5001` }),
    env,
    leader,
    untilHealthy: async () => {
      const isHealthy = 'one node leads, and two follow'
      await until(isHealthy, followed, 3).catch(rebuild)
      await until(isHealthy, followed)
      const before = await Promise.all(gateways.map(({ replicaReads }) => replicaReads()))
      const isReading = async (gateway: Gateway, n: number) => (await gateway.replicaReads()) > (before[n] ?? 0)
      await until('the gateways read from replicas', async () =>
        (await Promise.all(gateways.map(isReading))).every(Boolean),
      )
    },
    signal: (name, signal) => void servers.get(name)?.kill(signal),
    startEtcd,
    startRedis,
    close: async () => {
      await Promise.all(gateways.map(({ stop }) => stop()))
      killAll()
      killProcesses()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function execute(url = '', ...statements: string[]): Promise<void> {
  const connection = await Connection.open(url)
  for (const statement of statements) await connection.execute(statement)
  await connection.close()
}
