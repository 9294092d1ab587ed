import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { timeOf } from './measure.ts'
import { startEmbedded } from './processes.ts'

/*
 * How long readers of the embedded database wait while 85,253 airports are imported: into a new dataset, with a new name for every
 * item, and unchanged. The response cache is off.
 *   node test/bench/embedded-import.ts
 */

const MANIFEST = fileURLToPath(new URL('../import/manifests/ourairports_airports.json', import.meta.url))
const AIRPORTS = fileURLToPath(new URL('../../../shared/data/ourairports_airports.csv.gz', import.meta.url))
const PAUSE_MS = 100

const folder = await mkdtemp(join(tmpdir(), 'catalog-embedded-import-'))
const dataDir = join(folder, 'data')
const gateway = await startEmbedded(dataDir, { RESPONSE_CACHE_MB: '0' })
const catalog = (...args: string[]) => promisify(execFile)('./src/cli.ts', args, { env })
const env = { ...process.env, DATABASE_URL: undefined, DATA_DIR: dataDir }
while (!(await fetch(`${gateway.url}/readyz`)).ok) await sleep(100)
const created = await catalog('keys', 'create', '--name', 'bench', '--json')
const headers = { authorization: `Bearer ${JSON.parse(created.stdout).key}` }
const [item] = await json('/v1/datasets/world-airports/items')

async function json(path: string): Promise<{ id: string }[]> {
  const { data } = await (await fetch(gateway.url + path, { headers })).json()
  return data
}

const READS: Readonly<Record<string, () => Promise<Response>>> = {
  list: () => fetch(`${gateway.url}/v1/datasets/world-airports/items`, { headers }),
  item: () => fetch(`${gateway.url}/v1/dataset-items/${item?.id}`, { headers }),
  nearby: () => fetch(`${gateway.url}/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=50000`, { headers }),
  imported: () => fetch(`${gateway.url}/v1/datasets/airports/items`, { headers }),
  GraphQL: () =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        query: '{ datasets { nodes { slug items(limit: 5) { total nodes { name children { total } } } } } }',
      }),
    }),
}

for (const [name, read] of Object.entries(READS)) {
  const { status } = await read()
  if (status !== (name === 'imported' ? 404 : 200)) throw new Error(`${name} is ${status}`)
}

/** Sends one kind of request again and again until `done`. Returns the times in milliseconds, and the number of failures. */
async function readUntil(done: AbortSignal, read: () => Promise<Response>) {
  const times: number[] = []
  let failures = 0
  while (!done.aborted) {
    const ms = await timeOf(async () => {
      const response = await read()
      // The imported dataset does not exist at first.
      if (response.status !== 200 && response.status !== 404) failures += 1
      await response.arrayBuffer()
    })
    times.push(ms)
    await sleep(PAUSE_MS)
  }
  return { times: times.sort((a, b) => a - b), failures }
}

async function measure(name: string, manifest: string): Promise<void> {
  const done = new AbortController()
  const reading = Object.values(READS).map((read) => readUntil(done.signal, read))
  const before = await cpuSeconds()
  let printed = ''
  const ms = await timeOf(async () => {
    printed = (await catalog('import', manifest)).stdout
  })
  const cpu = (await cpuSeconds()) - before
  await sleep(500)
  done.abort()
  const results = await Promise.all(reading)
  process.stdout.write(`\n${name}: ${(ms / 1000).toFixed(1)} s, CPU of the gateway ${cpu.toFixed(1)} s, ${printed}`)
  process.stdout.write('request     reads   p50   p99   max ms   failed\n')
  for (const [index, { times, failures }] of results.entries()) {
    const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)
    const columns = [String(times.length).padStart(6), at(0.5).padStart(5), at(0.99).padStart(5), at(1).padStart(5)]
    process.stdout.write(
      `${Object.keys(READS)[index]?.padEnd(10)} ${columns.join(' ')} ${String(failures).padStart(8)}\n`,
    )
  }
}

/** The CPU time of the gateway. `proc_pid_stat(5)`: fields 14 and 15, in hundredths of a second. */
async function cpuSeconds(): Promise<number> {
  const fields = (await readFile(`/proc/${gateway.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Writes a manifest that gives every airport another name: the one of its place. */
async function changedManifest(): Promise<string> {
  const csv = join(folder, 'airports.csv')
  await pipeline(createReadStream(AIRPORTS), createGunzip(), createWriteStream(csv))
  const manifest = JSON.parse(await readFile(MANIFEST, 'utf8'))
  const [{ columns }] = manifest.items
  const items = [{ file: csv, columns: { ...columns, name: { template: '{name} ({ident})' } } }]
  const path = join(folder, 'changed.json')
  await writeFile(path, JSON.stringify({ dataset: manifest.dataset, items }))
  return path
}

try {
  await measure('new', MANIFEST)
  await measure('unchanged', MANIFEST)
  await measure('changed', await changedManifest())
} finally {
  await gateway.stop()
  await rm(folder, { recursive: true })
}
