import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bearer } from './comparisons.ts'
import { median, percentile, timeOf } from './measure.ts'
import { gatewayEnv, residentMegabytes, startGateway } from './processes.ts'
import { createDatabase, createKeys, fillWorld, openWorld } from './world.ts'

/*
 * The feed of changes: its pages beside the export, clients that wait for a commit, other clients beside them, a first mirror beside the import of
 * the same items, and the lag of a mirror.
 *   node test/bench/changes.ts postgresql://superuser@host/any-database [ITEMS]
 */

const [server = '', given = '100000'] = process.argv.slice(2)
const ITEMS = Number(given)
const CLIENTS = 1_000
const COMMITS = 20
/** Ten each second. */
const LAGGING_COMMITS = 200

const url = await createDatabase(server, 'bench_changes')
const world = await openWorld(url)
await fillWorld(world, [{ slug: 'towns', items: ITEMS, related: false }])
const [key = ''] = await createKeys(world, 1)
const gateway = await startGateway(url, {
  MAX_WAITING_REQUESTS: String(2 * CLIENTS),
  MAX_CONNECTIONS_PER_ADDRESS: String(4 * CLIENTS),
})
const headers = bearer(key)

/** Reads all pages from a cursor. Returns the last cursor. With another limit, no page is cached. */
async function follow(since?: string, limit = 1_000): Promise<string> {
  let cursor = since
  for (;;) {
    const query = new URLSearchParams({ limit: `${limit}`, ...(cursor !== undefined && { since: cursor }) })
    const text = await (await fetch(`${gateway.url}/changes/towns?${query}`, { headers })).text()
    const end: { cursor: string; complete: boolean } = JSON.parse(
      text.slice(text.lastIndexOf('\n', text.length - 2) + 1),
    )
    cursor = end.cursor
    if (end.complete) return cursor
  }
}

const readExport = async () => (await fetch(`${gateway.url}/exports/towns.ndjson`, { headers })).arrayBuffer()

const times: { pages: number[]; exported: number[] } = { pages: [], exported: [] }
for (let round = 0; round < 6; round += 1) {
  times.pages.push(await timeOf(() => follow(undefined, 1_000 - round)))
  times.exported.push(await timeOf(readExport))
}
const ratio = median(times.exported) / median(times.pages)
print(`pages of 1,000 / the export, rate: ${ratio.toFixed(2)}`)

async function waitFor(since: string, onAnswer: () => void): Promise<void> {
  const response = await fetch(`${gateway.url}/changes/towns?since=${since}`, {
    headers: { ...headers, prefer: 'wait=60' },
  })
  const text = await response.text()
  onAnswer()
  if (!text.includes('"put"')) throw new Error(`${response.status}: ${text}`)
}

const commit = (n: number) =>
  world.withSession((session) =>
    session.query(`UPDATE items SET description = '${n}' WHERE id = (SELECT id FROM items ORDER BY id LIMIT 1)`),
  )

/** The milliseconds of the pages of a list, one after the other, below which so many are. */
async function timesOfOthers(): Promise<string> {
  const found: number[] = []
  for (let page = 1; page <= 1_000; page += 1) {
    const path = `/v1/datasets/towns/items?page=${page}`
    found.push(await timeOf(async () => (await fetch(gateway.url + path, { headers })).arrayBuffer()))
  }
  return [0.5, 0.99].map((share) => percentile(found, share).toFixed(1)).join(' and ')
}

/** Milliseconds from each statement, which commits, to its answer at all of so many clients. */
async function waits(clients: number): Promise<number[]> {
  const found: number[] = []
  let since = await follow()
  for (let n = 0; n < COMMITS; n += 1) {
    since = await follow(since)
    let committedMs = 0
    const waiting: Promise<void>[] = []
    for (let k = 0; k < clients; k += 1) {
      waiting.push(waitFor(since, () => found.push(performance.now() - committedMs)))
      // More at once than a key may have in flight are refused.
      if (k % 50 === 49) await sleep(50)
    }
    await sleep(500)
    if (clients > 1 && n === 0) print(`memory with ${clients} waiting: ${await residentMegabytes(gateway.pid)} MB`)
    if (clients > 1 && n === 0) print(`other clients, p50 and p99: ${await timesOfOthers()} ms`)
    committedMs = performance.now()
    await commit(-1 - n)
    await Promise.all(waiting)
  }
  return found
}

print(`other clients alone, p50 and p99: ${await timesOfOthers()} ms`)
print(`memory before: ${await residentMegabytes(gateway.pid)} MB`)
for (const clients of [1, CLIENTS]) {
  const found = await waits(clients)
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(found, share).toFixed(0))
  print(`from a commit to the answer, ${clients} waiting: p50 ${p50} ms, p99 ${p99} ms`)
}

const folder = await mkdtemp(join(tmpdir(), 'bench-changes-'))
const catalog = async (databaseUrl: string, ...args: string[]) =>
  promisify(execFile)('./src/cli.ts', args, {
    env: gatewayEnv({ DATABASE_URL: databaseUrl, SAMPLE_DATA: 'false', CATALOG_API_KEY: key }),
  })
await catalog(url, 'export', 'towns', '--format', 'bundle', '--output', folder, '--force')
const copies: { imported: number[]; mirrored: number[] } = { imported: [], mirrored: [] }
for (let round = 0; round < 3; round += 1) {
  for (const kind of round % 2 === 0 ? (['imported', 'mirrored'] as const) : (['mirrored', 'imported'] as const)) {
    const copy = await createDatabase(server, `bench_changes_${kind}_${round}_${process.pid}`)
    await catalog(copy, 'migrate')
    const args = kind === 'imported' ? ['import', join(folder, 'manifest.json')] : ['mirror', gateway.url]
    copies[kind].push(await timeOf(() => catalog(copy, ...args)))
  }
}
const mirrorRatio = median(copies.imported) / median(copies.mirrored)
print(`a first mirror / the import of the same items, rate: ${mirrorRatio.toFixed(2)}`)
await rm(folder, { recursive: true })

const copyUrl = await createDatabase(server, `bench_changes_mirrored_0_${process.pid}`)
const copy = await openWorld(copyUrl)
const mirror = spawn('./src/cli.ts', ['mirror', gateway.url, '--follow', '--json'], {
  env: gatewayEnv({ DATABASE_URL: copyUrl, SAMPLE_DATA: 'false', CATALOG_API_KEY: key }),
  stdio: ['ignore', 'pipe', 'inherit'],
})
const committedMs: number[] = []
const lags: number[] = []
mirror.stdout.on('data', async () => {
  const nowMs = performance.now()
  const item = await copy.prisma.item.findFirst({ orderBy: { id: 'asc' } })
  const last = Number(item?.description)
  for (let n = lags.length; n <= last && n < committedMs.length; n += 1) lags.push(nowMs - (committedMs[n] ?? nowMs))
})
await once(mirror.stdout, 'data')
for (let n = 0; n < LAGGING_COMMITS; n += 1) {
  await commit(n)
  committedMs.push(performance.now())
  await sleep(100)
}
await sleep(2_000)
print(`lag of a mirror: p50 ${percentile(lags, 0.5).toFixed(0)} ms, p99 ${percentile(lags, 0.99).toFixed(0)} ms`)
mirror.kill()
await copy.close()
await gateway.stop()
await world.close()

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
