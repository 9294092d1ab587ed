import { availableParallelism } from 'node:os'
import { createKey } from '../../src/auth/keys.ts'
import { bearer, ITEMS, post } from './comparisons.ts'
import { median } from './measure.ts'
import { cpuMs, type Server, startGateway, startPeerCluster } from './processes.ts'
import { createKeys, fillWorld, letPostGraphileFindSlugs, openWorld } from './world.ts'
import { type LoadRequest, load } from './wrk.ts'

/*
 * Measures one port with 1, 2 and 4 workers, or other numbers of them: responses per second, and the processor time of the servers
 * for each. PostGraphile and the hand-written server run under node:cluster with as many processes. Each worker has 16
 * connections. The servers take turns. While there is a core that the workers leave free, wrk runs on the last core only.
 *
 *   npm install --no-package-lock --prefix test/bench/peers
 *   node test/bench/cores.ts postgresql://superuser@host/a-database-of-its-own [rounds [seconds [workers]]]
 */

const [databaseUrl, rounds = '3', seconds = '4', sizes = '1,2,4'] = process.argv.slice(2)
if (!databaseUrl) throw new Error('Give the URL of a database that is empty or was filled by compare.ts')

const cores = availableParallelism()
const database = await openWorld(databaseUrl)
await fillWorld(database, [{ slug: 'towns', items: 20_000, related: true }])
await letPostGraphileFindSlugs(database)
const [key = ''] = await createKeys(database, 1)
const { key: limited } = await createKey(database.prisma, { name: 'bench', requestsPerMinute: 1_000_000_000 })
const list = (withKey: string, page = 1): LoadRequest => ({
  method: 'GET',
  path: `/v1/datasets/towns/items?page=${page}`,
  headers: bearer(withKey),
})
const pages = Array.from({ length: 100 }, (_, n) => n + 1)

type Side = 'cached' | 'uncached' | 'floor' | 'postgraphile'

const gateway = (workers: number, cacheMegabytes: number) =>
  startGateway(databaseUrl, { WORKERS: String(workers), RESPONSE_CACHE_MB: String(cacheMegabytes) })
const START: Record<Side, (workers: number) => Promise<Server>> = {
  cached: (workers) => gateway(workers, 256),
  uncached: (workers) => gateway(workers, 0),
  floor: (workers) => startPeerCluster('floor', databaseUrl, workers),
  postgraphile: (workers) => startPeerCluster('postgraphile', databaseUrl, workers),
}
const CASES: readonly [string, Side, readonly LoadRequest[]][] = [
  ['REST list, cached', 'cached', pages.map((page) => list(key, page))],
  ['the same, a key with a limit', 'cached', pages.map((page) => list(limited, page))],
  ['REST list, cache off', 'uncached', [list(key)]],
  ['`node:http` and `pg` by hand', 'floor', [{ method: 'GET', path: '/?dataset=towns' }]],
  ['GraphQL list, cache off', 'uncached', [post(ITEMS.catalog, {}, key)]],
  ['PostGraphile', 'postgraphile', [post(ITEMS.postgraphile, { offset: 0 })]],
]

process.stdout.write(`${cores} cores\n\n| workers | | per second | of one worker | processor time for each |\n`)
process.stdout.write('|---|---|---|---|---|\n')
const ratesOfOne = new Map<string, number>()
for (const workers of sizes.split(',').map(Number)) {
  const loadCores = workers < cores ? String(cores - 1) : undefined
  const servers: Record<Side, Server> = {
    cached: await START.cached(workers),
    uncached: await START.uncached(workers),
    floor: await START.floor(workers),
    postgraphile: await START.postgraphile(workers),
  }
  const measured = CASES.map(() => ({ rates: [] as number[], cpus: [] as number[] }))
  for (let round = 0; round <= Number(rounds); round += 1) {
    for (const [n, [, side, requests]] of CASES.entries()) {
      const { url, pid } = servers[side]
      const before = await cpuMs(pid)
      const options = { connections: 16 * workers, cores: loadCores }
      // The first round warms up. Each worker gets as many requests in it as one process does.
      const rate = await load(url, requests, Number(seconds) * (round === 0 ? workers : 1), options)
      const cpu = (await cpuMs(pid)) - before
      if (round === 0) continue
      measured[n]?.rates.push(rate)
      measured[n]?.cpus.push((cpu * 1_000) / (rate * Number(seconds)))
    }
  }
  for (const [n, [name]] of CASES.entries()) {
    const rate = median(measured[n]?.rates ?? [])
    if (workers === 1) ratesOfOne.set(name, rate)
    const times = (rate / (ratesOfOne.get(name) ?? rate)).toFixed(2)
    const cpu = Math.round(median(measured[n]?.cpus ?? []))
    process.stdout.write(`| ${workers} | ${name} | ${Math.round(rate)} | ${times} | ${cpu} µs |\n`)
  }
  for (const server of Object.values(servers)) await server.stop()
}
await database.close()
