import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/database.ts'
import { createApp } from '../../src/server/app.ts'
import { median } from './measure.ts'
import { fillWorld, openWorld } from './world.ts'

/*
 * OGC API Features: reads collections by their `next` links over HTTP, one page after the other, without the response cache. It prints
 * features per second, the milliseconds of pages at the start and at the end, and the CPU time of the gateway and of PostgreSQL for
 * 10,000 features. On a busy machine only the CPU times mean something.
 * Needs BENCH_DATABASE_URL, an empty PostgreSQL database or one that this has filled before: node test/bench/ogc.ts
 */

const { BENCH_DATABASE_URL: url, BENCH_ROUNDS: rounds = '2' } = process.env
if (!url) throw new Error('BENCH_DATABASE_URL must be the URL of a PostgreSQL database')

const LIMIT = 10_000
const ENDS = 5

const database = await openWorld(url)
await fillWorld(database, [
  { slug: 'plain', items: 300_000, related: false },
  { slug: 'related', items: 100_000, related: true },
])
const { key } = await createKey(database.prisma, { name: 'ogc' })
const { limits } = readConfig({})
const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
const agent = new Agent({ keepAlive: true })

interface Page {
  features: number
  bytes: number
  next: string | undefined
}

/** Reads a page. It parses only what stands before the features, so that the client takes little CPU time. */
async function readPage(address: string, coding: string): Promise<Page> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': coding }
  const [response]: IncomingMessage[] = await once(request(address, { agent, headers }).end(), 'response')
  if (!response) throw new Error('There is no response')
  const next = /<([^>]*)>; rel="next"/.exec(String(response.headers.link))?.[1]
  let head = ''
  let bytes = 0
  for await (const chunk of response) {
    if (bytes < LIMIT && coding === 'identity') head += chunk
    bytes += chunk.length
  }
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${head}`)
  return { features: Number(/"numberReturned":(\d+)/.exec(head)?.[1] ?? LIMIT), bytes, next }
}

/** CPU time of the connections to the database, in milliseconds; 0 if PostgreSQL runs on another machine. */
async function postgresCpuMs({ prisma }: Database): Promise<number> {
  const processes = await prisma.$queryRaw<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`
  const ticks = processes.map(({ pid }) => {
    const file = `/proc/${pid}/stat`
    if (!existsSync(file)) return 0
    const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  // A tick of the kernel is 10 ms.
  return ticks.reduce((sum, count) => sum + count, 0) * 10
}

async function measure(path: string, coding = 'identity'): Promise<void> {
  const gateway = process.cpuUsage()
  const postgresMs = await postgresCpuMs(database)
  const startMs = performance.now()
  const times: number[] = []
  let features = 0
  let bytes = 0
  for (let next: string | undefined = `${origin}/ogc/collections/${path}`; next !== undefined; ) {
    const pageMs = performance.now()
    const page = await readPage(next, coding)
    times.push(performance.now() - pageMs)
    features += page.features
    bytes += page.bytes
    next = page.next
  }
  const seconds = (performance.now() - startMs) / 1000
  const { user, system } = process.cpuUsage(gateway)
  const share = LIMIT / features
  // The last page may be shorter. Fewer pages have no two ends to compare.
  const hasEnds = times.length > 2 * ENDS
  const ends = [times.slice(0, ENDS), times.slice(-ENDS - 1, -1)].map((end) => median(end).toFixed(0))
  const columns = [
    `${path} ${coding}`.padEnd(80),
    `${Math.round(features / seconds)} features/s`,
    `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`,
    hasEnds ? `pages ${ends.join(' to ')} ms` : `${times.length} pages`,
    `CPU gateway ${(((user + system) / 1000) * share).toFixed(0)} ms, PostgreSQL ${(((await postgresCpuMs(database)) - postgresMs) * share).toFixed(0)} ms`,
  ]
  process.stdout.write(`${columns.join('  ')}\n`)
}

for (let round = 0; round < Number(rounds); round += 1) {
  await measure(`plain/items?limit=${LIMIT}`)
  await measure(`related/items?limit=${LIMIT}`)
  await measure(`plain/items?limit=${LIMIT}&bbox=120,30,135,45`)
  await measure(`plain/items?limit=${LIMIT}&datetime=2026-02-02T00:00:00Z/..`)
  await measure(`plain/items?limit=${LIMIT}&categoryCode=c3`)
  await measure(`plain/items?limit=${LIMIT}`, 'gzip')
}
await database.prisma.apiKey.deleteMany({ where: { name: 'ogc' } })
agent.destroy()
await app.close()
await database.close()
