import { readFile } from 'node:fs/promises'
import { bearer } from './comparisons.ts'
import { percentile } from './measure.ts'
import { startGateway } from './processes.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'

/*
 * Sends more load than the gateway can serve: first from 16 clients, then from many more than may be in flight, then from 16 again.
 * Each client sends its next request, always a new one, after the response. Prints the rates and times of answered and refused
 * requests, and the memory.
 *
 *   node test/bench/overload.ts postgresql://superuser@host/a-database-of-its-own
 */

const [databaseUrl] = process.argv.slice(2)
if (!databaseUrl) throw new Error('Give the URL of a database that is empty or was filled by compare.ts')
const SECONDS = 10

const database = await openWorld(databaseUrl)
await fillWorld(database, [{ slug: 'towns', items: 20_000, related: true }])
const [key = ''] = await createKeys(database, 1)
await database.close()
const gateway = await startGateway(databaseUrl, { MAX_REQUESTS_IN_FLIGHT: '100' })

process.stdout.write('| clients | answered/s | p50, p99 | refused/s | p50, p99 | memory |\n|---|---|---|---|---|---|\n')
for (const clients of [16, 400, 16]) {
  const answered: number[] = []
  const refused: number[] = []
  const end = performance.now() + SECONDS * 1_000
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now()
      const point = `latitude=${(Math.random() * 60).toFixed(6)}&longitude=${(Math.random() * 100).toFixed(6)}`
      const response = await fetch(`${gateway.url}/v1/dataset-items/nearby?${point}&radius=50000`, {
        headers: bearer(key),
      })
      await response.arrayBuffer()
      if (response.status !== 200 && response.status !== 503)
        throw new Error(`A response has the status ${response.status}`)
      const times = response.status === 200 ? answered : refused
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const memory = Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024,
  )
  process.stdout.write(
    `| ${clients} | ${rate(answered)} | ${percentiles(answered)} | ${rate(refused)} | ${percentiles(refused)} | ${memory} MB |\n`,
  )
}
await gateway.stop()

function rate(times: readonly number[]): number {
  return Math.round(times.length / SECONDS)
}

function percentiles(times: number[]): string {
  const at = (share: number) => percentile(times, share).toFixed(0)
  return times.length === 0 ? '-, - ms' : `${at(0.5)}, ${at(0.99)} ms`
}
