import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createKey } from '../../src/auth/keys.ts'
import { EXPORT_MEMBERS } from '../../src/catalog/sql/export-lines.ts'
import { readConfig } from '../../src/config.ts'
import { createApp } from '../../src/server/app.ts'
import { timeOf } from './measure.ts'
import { fillWorld, openWorld } from './world.ts'

/*
 * Exports of 1,000,000 items over HTTP: the time, the rate, and the resident memory of the gateway before and at most during each.
 * `COPY (the same rows as JSON) TO STDOUT` through psql is the reference. The clients are processes: curl and psql.
 * Needs BENCH_DATABASE_URL, an empty PostgreSQL database or one that this has filled before: node test/bench/exports.ts
 */

const { BENCH_DATABASE_URL: url } = process.env
const slug = 'million'
const ITEMS = 1_000_000
const ROUNDS = 2
const SAMPLE_INTERVAL_MS = 20

if (!url) throw new Error('BENCH_DATABASE_URL must be the URL of a PostgreSQL database')
const database = await openWorld(url)
await fillWorld(database, [{ slug, items: ITEMS, related: false }])
const { id } = await database.prisma.dataset.findUniqueOrThrow({ where: { slug } })
const { key } = await createKey(database.prisma, { name: 'exports', datasets: [slug] })
const { limits } = readConfig({})
const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })

/**
 * Runs a program and counts the bytes of its output.
 * @throws Error if the program fails
 */
async function bytesOf(program: string, ...args: string[]): Promise<number> {
  const counting = spawn('bash', ['-o', 'pipefail', '-c', '"$@" | wc -c', 'bash', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output: Buffer[] = []
  counting.stdout.on('data', (data) => output.push(data))
  const [code] = await once(counting, 'close')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return Number(Buffer.concat(output).toString())
}

async function measure(name: string, read: () => Promise<number>): Promise<void> {
  const before = process.memoryUsage.rss()
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, SAMPLE_INTERVAL_MS)
  let bytes = 0
  const ms = await timeOf(async () => {
    bytes = await read()
  })
  clearInterval(sampling)
  const [mb, memory, peak] = [bytes, before, most].map((count) => (count / 1e6).toFixed(0))
  const seconds = ms / 1000
  process.stdout.write(
    `${name.padEnd(14)} ${seconds.toFixed(1)} s  ${mb} MB  ${(bytes / 1e6 / seconds).toFixed(1)} MB/s  memory ${memory} to ${peak} MB\n`,
  )
}

const COPY = `COPY (SELECT row_to_json(item) FROM (
  SELECT ${EXPORT_MEMBERS.sql} FROM items i WHERE i.dataset_id = '${id}' ORDER BY i.id) AS item) TO STDOUT`

const read = (format: string, coding: string) => () =>
  bytesOf(
    ...(['curl', '-sSf', '-H', `Authorization: Bearer ${key}`, '-H', `Accept-Encoding: ${coding}`] as const),
    `${origin}/exports/${slug}.${format}`,
  )

for (let round = 0; round < ROUNDS; round += 1) {
  await measure('COPY', () => bytesOf('psql', url, '-qAt', '-c', 'SET jit = off', '-c', COPY))
  for (const format of ['ndjson', 'csv', 'geojson']) await measure(format, read(format, 'identity'))
  for (const coding of ['gzip', 'br']) await measure(`ndjson ${coding}`, read('ndjson', coding))
}
await database.prisma.apiKey.deleteMany({ where: { name: 'exports' } })
await app.close()
await database.close()
