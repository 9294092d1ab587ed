import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createKey } from '../../src/auth/keys.ts'
import { openDatabase } from '../support/open-database.ts'
import { prepareBurst } from './burst.ts'
import { bearer } from './comparisons.ts'
import { DOORS } from './doors.ts'
import { percentile } from './measure.ts'
import { type Server, startEmbedded, startGateway } from './processes.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'
import type { LoadRequest } from './wrk.ts'

/*
 * How much one key slows down another one. For each door, a key with 60 requests a minute sends the door's worst request 60 times at
 * once. Another key sends plain requests at a steady rate, without the load and with it. Prints the times of the other key.
 *
 *   node test/bench/fair.ts postgresql://superuser@host/a-database-of-its-own [--workers 2] [--doors search,tiles]
 *   node test/bench/fair.ts a-folder-of-its-own                              (the embedded database)
 */

const ITEMS = 85_000
/** Requests a second of the other key. It does not wait for the responses, so that a slow one does not hide those that follow. */
const RATE = 20
const SECONDS = 10
const HEAVY_REQUESTS = 60
/** Clients that warm the gateway up, so that it has connections as one that has run for a while. */
const WARM_CLIENTS = 8

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { workers: { type: 'string', default: '1' }, doors: { type: 'string' } },
})
const [place] = positionals
if (place === undefined) throw new Error('Give the URL of a database of its own, or a folder of its own')
const isServer = place.startsWith('postgres')
const doors = Object.keys(DOORS).filter((name) => !values.doors || values.doors.split(',').includes(name))

let plainRequests = 0
const [plainKey, heavyKey] = await prepare(place)
process.stdout.write('| door | alone p50, p99 | with p50, p99 | ratio | 503 | heavy: answered | 503 | slowest |\n')
process.stdout.write('|---|---|---|---|---|---|---|---|\n')
for (const name of doors) {
  // A new process for each door, so that none finds the caches, the counts or the debts of another one.
  const settings = {
    STATEMENT_TIMEOUT_MS: '10000',
    CONNECT_TIMEOUT_MS: '5000',
    SAMPLE_DATA: 'false',
    WORKERS: values.workers,
  }
  const gateway = isServer ? await startGateway(place, settings) : await startEmbedded(place, settings)
  try {
    await Promise.all(Array.from({ length: WARM_CLIENTS }, () => measurePlain(gateway, 2)))
    const sendHeavy = await prepareBurst({ url: gateway.url, key: heavyKey(), door: name, count: HEAVY_REQUESTS })
    const alone = await measurePlain(gateway, SECONDS)
    const load = sendHeavy()
    const loaded = await measurePlain(gateway, SECONDS)
    const sent = await load
    if (sent.strange.length > 0) process.stderr.write(`heavy: ${sent.strange.join(' ')}\n`)
    const ratio = (percentile(loaded.times, 0.99) / percentile(alone.times, 0.99)).toFixed(1)
    process.stdout.write(
      `| ${name} | ${times(alone.times)} | ${times(loaded.times)} | ${ratio} | ${loaded.refused} | ${sent.answered} | ${sent.refused} | ${sent.slowestMs.toFixed(0)} ms |\n`,
    )
  } finally {
    await gateway.stop()
  }
}

/** Fills the database, and creates a key without a limit and one with 60 requests a minute for each door. */
async function prepare(place: string): Promise<[plain: string, heavy: () => string]> {
  const database = isServer
    ? await openWorld(place)
    : await openDatabase(
        { kind: 'embedded', dataDir: place, poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 3_600_000 },
        { share: true },
      )
  await fillWorld(database, [{ slug: 'towns', items: ITEMS, related: true }])
  const [plain = ''] = await createKeys(database, 1)
  const heavy: string[] = []
  for (const _ of doors) {
    heavy.push((await createKey(database.prisma, { name: 'bench', requestsPerMinute: HEAVY_REQUESTS })).key)
  }
  await database.close()
  return [plain, () => heavy.pop() ?? '']
}

/** Sends plain requests, each a new one, and returns the times of the answered ones in milliseconds. */
async function measurePlain(gateway: Server, seconds: number): Promise<{ times: number[]; refused: number }> {
  const times: number[] = []
  let refused = 0
  const sent: Promise<void>[] = []
  const ask = async () => {
    const { path } = plainRequest()
    const startMs = performance.now()
    const response = await fetch(`${gateway.url}${path}`, { headers: bearer(plainKey) })
    await response.arrayBuffer()
    if (response.status === 200) times.push(performance.now() - startMs)
    else refused += 1
  }
  for (let n = 0; n < RATE * seconds; n += 1) {
    sent.push(ask())
    await sleep(1_000 / RATE)
  }
  await Promise.all(sent)
  return { times, refused }
}

/** A page of 20 items with their images and parents, which no response cache has. */
function plainRequest(): LoadRequest {
  plainRequests += 1
  const path = `/v1/datasets/towns/items?limit=${10 + (plainRequests % 20)}&page=${1 + (plainRequests % 97)}&categoryCode=c${plainRequests % 19}`
  return { method: 'GET', path }
}

function times(values: number[]): string {
  return `${percentile(values, 0.5).toFixed(0)}, ${percentile(values, 0.99).toFixed(0)} ms`
}
