import { bearer, ITEMS, post, RELATED } from './comparisons.ts'
import { median } from './measure.ts'
import { cpuMs, type Server, startGateway } from './processes.ts'
import { CITY } from './seed.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'
import { type LoadRequest, load } from './wrk.ts'

/*
 * Compares the processor time of a request in this checkout with that in another one, for example before a change. The two gateways
 * run in turn on the same rows. Processor time depends less on the other work of the machine than a rate does.
 *
 *   node test/bench/checkouts.ts postgresql://superuser@host/a-database-of-its-own FOLDER-OF-THE-OTHER-CHECKOUT [rounds]
 */

const [databaseUrl, otherFolder, rounds = '7'] = process.argv.slice(2)
if (!databaseUrl || !otherFolder) throw new Error('Give the URL of a database, and the folder of the other checkout')
const SECONDS = 3

const database = await openWorld(databaseUrl)
await fillWorld(database, [{ slug: 'towns', items: 20_000, related: true }])
const [key = ''] = await createKeys(database, 1)
await database.close()

const pages = Array.from({ length: 1_000 }, (_, n) => n + 1)
const get = (path: string): LoadRequest => ({ method: 'GET', path, headers: bearer(key) })
const REQUESTS: Readonly<Record<string, readonly LoadRequest[]>> = {
  'REST dataset': [get('/v1/datasets/towns')],
  'REST list': pages.map((page) => get(`/v1/datasets/towns/items?page=${page}`)),
  'REST nearby': pages.map((n) =>
    get(`/v1/dataset-items/nearby?latitude=${CITY.latitude}&longitude=${CITY.longitude}&radius=${1_000 + n}`),
  ),
  'GraphQL list': pages.map((page) => post(ITEMS.catalog, { page }, key)),
  'GraphQL list with images and parents': pages.map((page) => post(RELATED.catalog, { page }, key)),
}

/** Microseconds of processor time of the gateway for each request. */
async function timeOf({ url, pid }: Server, requests: readonly LoadRequest[]): Promise<number> {
  const before = await cpuMs(pid)
  const rate = await load(url, requests, SECONDS, { connections: 8 })
  return (1_000 * ((await cpuMs(pid)) - before)) / (rate * SECONDS)
}

process.stdout.write('| request | this checkout | the other one | rate, by processor time |\n|---|---|---|---|\n')
for (const [name, env] of [
  ['cache off', { RESPONSE_CACHE_MB: '0' }],
  ['cached', { RESPONSE_CACHE_MB: '256' }],
] as const) {
  const sides = [await startGateway(databaseUrl, env), await startGateway(databaseUrl, env, otherFolder)] as const
  for (const [what, requests] of Object.entries(REQUESTS)) {
    for (const side of sides) await load(side.url, requests, 2)
    const times: [number, number][] = []
    for (let round = 0; round < Number(rounds); round += 1) {
      const other = await timeOf(sides[1], requests)
      times.push([await timeOf(sides[0], requests), other])
    }
    const [ours, other] = [median(times.map(([time]) => time)), median(times.map(([, time]) => time))]
    const ratio = median(times.map(([time, theirs]) => theirs / time))
    process.stdout.write(
      `| ${what}, ${name} | ${ours.toFixed(0)} µs | ${other.toFixed(0)} µs | ${ratio.toFixed(2)} |\n`,
    )
  }
  for (const side of sides) await side.stop()
}
