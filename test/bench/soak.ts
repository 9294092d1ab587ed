import { setTimeout as sleep } from 'node:timers/promises'
import { bearer, ITEMS, post, RELATED } from './comparisons.ts'
import { timeOf } from './measure.ts'
import { COLLECTS_GARBAGE, collectGarbage, residentMegabytes, startGateway, startUncached } from './processes.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'
import { ask, type LoadRequest, load } from './wrk.ts'

/*
 * Sends minutes of mixed load to one gateway: lists, items, searches and GraphQL, cached and not, during ten commits a second. The
 * first half of the time fills the caches, which are small. Fails if in the other half the memory in use grows by more than BOUND.
 * Meanwhile it compares random responses with those of a gateway without cached responses, and fails at the first difference. It also
 * prints the time after which a commit showed at the latest.
 *
 *   node test/bench/soak.ts postgresql://superuser@host/a-database-of-its-own [minutes [pause [workers]]]
 *
 * The pause, in milliseconds, is between the requests of each of the 16 connections. The memory is that of all processes after a
 * garbage collection.
 */

const [databaseUrl, minutes = '10', pauseMs = '0', workers = '1'] = process.argv.slice(2)
if (!databaseUrl) throw new Error('Give the URL of a database that is empty or was filled by compare.ts')
/** Bytes for each response. Without a leak there are at most 200 of them, at any number of responses a second. */
const BOUND = 1_000
const KEYS = 100
const REQUESTS = 10_000

const database = await openWorld(databaseUrl)
await fillWorld(database, [
  { slug: 'towns', items: 20_000, related: true },
  { slug: 'small', items: 1_000, related: true },
])
const keys = await createKeys(database, KEYS)
const ids = (await database.prisma.item.findMany({ take: 1_000, select: { id: true } })).map(({ id }) => id)
const gateway = await startGateway(databaseUrl, { WORKERS: workers, RESPONSE_CACHE_MB: '4', ...COLLECTS_GARBAGE })
const reference = await startUncached(databaseUrl)

let isOver = false
/** Number of the last commit, which is the description of the dataset `small`. */
let committed = 0
const changes = commitChanges()
const comparison = compareAnswers()
const warmUp = Math.ceil(Number(minutes) / 2)
const used: number[] = []
let answered = 0
process.stdout.write('| minute | answers/s | used, MB | resident, MB |\n|---|---|---|---|\n')
for (let minute = 1; minute <= Number(minutes); minute += 1) {
  const rate = await load(gateway.url, Array.from({ length: REQUESTS }, request), 60, { pauseMs: Number(pauseMs) })
  if (used.push(await collectGarbage(gateway.pid)) > warmUp) answered += 60 * rate
  const columns = [
    minute,
    Math.round(rate),
    ((used.at(-1) ?? 0) / 1e6).toFixed(1),
    await residentMegabytes(gateway.pid),
  ]
  process.stdout.write(`| ${columns.join(' | ')} |\n`)
}
isOver = true
await changes
const { compared, latestMs } = await comparison
process.stdout.write(
  `${compared} responses compared, all right; ${committed} commits, each shown after ${Math.round(latestMs)} ms at the latest\n`,
)
await gateway.stop()
await reference.stop()
await database.close()

const growth = Math.round(((used.at(-1) ?? 0) - (used[warmUp - 1] ?? 0)) / answered)
process.stdout.write(`compared with minute ${warmUp}, the memory in use has ${growth} bytes more for each response\n`)
if (!(growth <= BOUND))
  throw new Error(`The memory grows by ${growth} bytes for each response, and may grow by ${BOUND}`)

/** A random request of one of six kinds. Half of the lists of each kind are for one of the first 20 pages. */
function request(_value: unknown, n: number): LoadRequest {
  const key = keys[n % KEYS] ?? ''
  const page = 1 + random(random(2) === 0 ? 20 : 1_000)
  const get = (path: string): LoadRequest => ({ method: 'GET', path, headers: bearer(key) })
  const kinds = [
    () => get(`/v1/datasets/towns/items?page=${page}`),
    () => get(`/v1/datasets/small/items?page=${1 + (page % 50)}&sort=updatedAt`),
    () => get(`/v1/dataset-items/${ids[random(ids.length)]}`),
    () => get(`/v1/dataset-items/nearby?latitude=${random(90)}.${random(1_000)}&longitude=${random(180)}&radius=50000`),
    () => post(ITEMS.catalog, { page }, key),
    () => post(RELATED.catalog, { page }, key),
  ]
  return (kinds[n % kinds.length] ?? (() => get('/v1/datasets')))()
}

function random(below: number): number {
  return Math.floor(Math.random() * below)
}

async function commitChanges(): Promise<void> {
  await database.withSession(async (session) => {
    while (!isOver) {
      await session.query("UPDATE datasets SET description = $1 WHERE slug = 'small'", [String(committed + 1)])
      committed += 1
      await sleep(100)
    }
  })
}

/** Compares a random response each second, on a new connection, so that each worker gets some. */
async function compareAnswers(): Promise<{ compared: number; latestMs: number }> {
  let compared = 0
  let latestMs = 0
  while (!isOver) {
    latestMs = Math.max(latestMs, await timeOf(() => untilShown(committed)))
    const some = closesConnection(request(undefined, random(REQUESTS)))
    const [ours, theirs] = [await ask(gateway.url, some), await ask(reference.url, some)]
    if (ours !== theirs) throw new Error(`A wrong answer to ${JSON.stringify(some)}: ${ours} and not ${theirs}`)
    compared += 1
    await sleep(1_000)
  }
  return { compared, latestMs }
}

function closesConnection(request: LoadRequest): LoadRequest {
  return { ...request, headers: { ...request.headers, connection: 'close' } }
}

async function untilShown(commit: number): Promise<void> {
  const dataset = closesConnection({ method: 'GET', path: '/v1/datasets/small', headers: bearer(keys[0] ?? '') })
  while (Number(JSON.parse(await ask(gateway.url, dataset)).data.description) < commit);
}
