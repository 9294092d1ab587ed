import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Connection } from './connection.ts'
import { contend } from './contention.ts'
import { createDatabase, startServer } from './database.ts'
import { FaultLog, print } from './faults.ts'
import { killProcesses, runCatalog, startGateway } from './gateway.ts'
import { openDelayProxy } from './proxy.ts'
import { simulateWorld } from './run.ts'

/*
 * Runs gateways of a checkout under random changes and requests, and compares each answer with a model (CONTRIBUTING.md).
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '1' },
    gateway: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    database: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
})
const [seed, minutes, folder] = [Number(values.seed), Number(values.minutes), values.gateway]
if (!Number.isInteger(seed) || !(minutes > 0)) throw new TypeError('--seed and --minutes must be numbers')

/** What has been opened, in order. It is closed in the opposite order. */
const opened: (() => Promise<unknown>)[] = []
let isEnding = false
const end = () => {
  isEnding = true
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
process.once('exit', killProcesses)

const commit = execFileSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
print(`seed ${seed}, gateway ${folder} at ${commit}, ${minutes} minutes`)
const faults = new FaultLog({ limit: values['keep-going'] ? 12 : 1, onFirst: values['keep-going'] ? () => {} : end })
try {
  const server = values.database === undefined ? await startServer() : { url: values.database, stop: async () => {} }
  opened.push(server.stop)
  const database = await createDatabase(server.url, `catalog_simulation_${process.pid}`)
  opened.push(database.drop)
  const migrated = await runCatalog(folder, { DATABASE_URL: database.url }, 'migrate')
  if (migrated.code !== 0) throw new Error(migrated.stderr)
  const proxies = []
  const gateways = []
  for (const workers of ['1', '2']) {
    const proxy = await openDelayProxy(database.url, `${seed} proxy ${workers}`)
    opened.push(proxy.close)
    proxies.push(proxy)
    const name = `gateway with WORKERS=${workers}`
    const gateway = await startGateway(folder, name, { DATABASE_URL: proxy.url, WORKERS: workers })
    opened.push(gateway.stop)
    gateways.push(gateway)
  }
  setTimeout(end, minutes * 60_000).unref()
  const connect = () => Connection.open(database.url)
  const contended = await createDatabase(server.url, `catalog_simulation_${process.pid}_contention`)
  opened.push(contended.drop)
  const contendedEnv = { DATABASE_URL: contended.url }
  await runCatalog(folder, contendedEnv, 'migrate')
  const common = { seed, folder, isEnding: () => isEnding }
  const [line, trials] = await Promise.all([
    simulateWorld({ ...common, env: { DATABASE_URL: database.url }, gateways, connect, proxies, faults }),
    contend({
      ...{ ...common, env: contendedEnv, connect: () => Connection.open(contended.url) },
      report: (kind, lines) => faults.add(kind, lines),
    }),
  ])
  print(`${line}, ${trials} trials of writers at the same time`)
  print(`faults: ${faults.summary}`)
} finally {
  for (const close of opened.reverse()) await close()
}
process.exitCode = faults.count > 0 ? 1 : 0
