import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate } from '../../src/database/migrate.ts'
import { bearer } from './comparisons.ts'
import { percentile, timeOf } from './measure.ts'
import { startUncached } from './processes.ts'
import { realNames } from './real-names.ts'
import { createKeys, openWorld } from './world.ts'

/*
 * Imports of a CSV file of made-up places into PostgreSQL: new, the same file, the same rows, compared with the items, with 1 % changed, and
 * removed; the disk; and the milliseconds of readers of another dataset before and during the first import.
 * Beside them the floor in the same run: `COPY` of the same rows into a table without indexes, and then its indexes. All are processes:
 * `catalog import` and psql. Needs an empty database:
 *   node test/bench/million.ts postgresql://postgres@127.0.0.1/million [ROWS]
 */

const [url = '', given = '1000000'] = process.argv.slice(2)
const ROWS = Number(given)
const folder = await mkdtemp(join(tmpdir(), 'bench-million-'))
const database = await openWorld(url)
await database.withSession((session) => migrate(session))

const nameOf = await realNames()
const CENTRES = 2_000

/** A pseudo-random number from 0 to 1 that depends only on the arguments. */
function random(n: number, salt: number): number {
  let x = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32
}

/** Three quarters of the places lie in towns, of which a few are large. The others lie anywhere. */
function placeOf(n: number): [latitude: number, longitude: number] {
  if (random(n, 0) > 0.75) return [170 * random(n, 1) - 85, 360 * random(n, 2) - 180]
  const town = Math.floor(CENTRES * random(n, 3) ** 3)
  const [distance, angle] = [0.1 * random(n, 4) ** 2, 2 * Math.PI * random(n, 5)]
  return [
    120 * random(town, 6) - 55 + distance * Math.sin(angle),
    350 * random(town, 7) - 175 + distance * Math.cos(angle),
  ]
}

/** A row of the file. The version is in the names of 1 % of the places. */
function rowOf(n: number, version: number): string {
  const [latitude, longitude] = placeOf(n)
  const { name, keywords } = nameOf(n)
  const cells = [
    `p${n}`,
    `${name}${n % 100 === 0 ? ` ${version}` : ''}`,
    `a${n % 50}`,
    `c${n % 20}`,
    latitude.toFixed(6),
    longitude.toFixed(6),
    keywords.join(';'),
  ]
  return `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`
}

async function writeRows(version: number, count = ROWS): Promise<void> {
  const lines = function* () {
    yield 'externalId,name,administrativeAreaCode,categoryCode,latitude,longitude,keywords\n'
    for (let n = 0; n < count; n += 1) yield rowOf(n, version)
  }
  await pipeline(Readable.from(lines()), createWriteStream(join(folder, 'places.csv')))
}

const manifest = join(folder, 'million.json')
const writeManifest = (slug: string) =>
  writeFile(
    manifest,
    JSON.stringify({
      dataset: { slug, name: slug, status: 'active', visibility: 'public', attribution: 'Nobody' },
      items: 'places.csv',
    }),
  )

const run = promisify(execFile)
const psql = (sql: string) => run('psql', [url, '-qX', '-v', 'ON_ERROR_STOP=1', '-c', sql])
const importFile = () => run('./src/cli.ts', ['import', manifest], { env: { ...process.env, DATABASE_URL: url } })
const query = <Row extends object>(sql: string) =>
  database.withSession(async (session) => (await session.query<Row>(sql)).rows)
const print = (name: string, ms: number) =>
  process.stdout.write(`${name.padEnd(28)} ${(ms / 1000).toFixed(1)} s  ${((ROWS / ms) * 1000).toFixed(0)} rows/s\n`)

/** Reads a small dataset again and again until `work` ends, and prints the milliseconds of the responses. */
async function reading(name: string, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  const times: number[] = []
  for (let n = 0; !isDone; n += 1) {
    for (const path of [
      `/v1/datasets/few/items?limit=${20 + (n % 80)}`,
      `/v1/dataset-items/nearby?latitude=${n / 1e5}&longitude=20`,
    ]) {
      times.push(await timeOf(async () => (await fetch(gateway.url + path, { headers: bearer(key) })).arrayBuffer()))
    }
    await sleep(50)
  }
  const at = (share: number) => percentile(times, share).toFixed(1)
  process.stdout.write(`readers, ${name.padEnd(19)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms\n`)
}

await writeManifest('few')
await writeRows(1, 1_000)
await importFile()
const [key = ''] = await createKeys(database, 1)
const gateway = await startUncached(url)
await reading('alone', sleep(20_000))
await writeManifest('million')
await writeRows(1)
const importing = timeOf(importFile)
await reading('during the import', importing)
await gateway.stop()
print('new', await importing)
const relations = await query<{ name: string; megabytes: number }>(`
  SELECT relname AS name, round(pg_relation_size(oid) / 1e6)::integer AS megabytes
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 1e6 ORDER BY 2 DESC`)
print('the same file', await timeOf(importFile))
await query('DELETE FROM last_imports')
print('the same rows', await timeOf(importFile))
await writeRows(2)
print('1 % changed', await timeOf(importFile))

const file = join(folder, 'items.tsv')
await psql(`\\copy (SELECT * FROM items) TO '${file}'`)
await query('CREATE TABLE floor (LIKE items)')
print('floor: COPY', await timeOf(() => psql(`\\copy floor FROM '${file}'`)))
const indexes = await query<{ sql: string }>(
  `SELECT regexp_replace(indexdef, 'INDEX \\S+ ON public.items', 'INDEX ON floor') AS sql FROM pg_indexes WHERE tablename = 'items'`,
)
print(
  'floor: indexes',
  await timeOf(async () => {
    for (const { sql } of indexes) await query(sql)
  }),
)
print(
  'removed',
  await timeOf(() =>
    run('./src/cli.ts', ['datasets', 'remove', 'million', '--yes'], { env: { ...process.env, DATABASE_URL: url } }),
  ),
)
for (const { name, megabytes } of relations) process.stdout.write(`${String(megabytes).padStart(6)} MB  ${name}\n`)
await database.close()
await rm(folder, { recursive: true })
