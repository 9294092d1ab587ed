import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import pg from 'pg'
import { percentile } from './measure.ts'
import { type PlainDoor, plainDoors } from './plain-requests.ts'
import { cpuMs, gatewayEnv, type Server, startGateway } from './processes.ts'
import { seed } from './seed.ts'
import { createDatabase } from './world.ts'
import { ask, load } from './wrk.ts'

/*
 * Compares the processor time of a request in this checkout with that in others, for example before a change. The gateways take turns.
 * Processor time depends less on the other work of the machine than a rate does. Checkouts with other migrations have a database each,
 * with the same rows; it stays for the next run.
 *
 *   node test/bench/checkouts.ts postgresql://superuser@host/any-database FOLDER-OF-ANOTHER-CHECKOUT... [--rounds 5] [--doors 'item|list']
 */

const ITEMS = 20_000
const SECONDS = 1
/** V8 compiles during the first thousands of requests. */
const WARM_SECONDS = 6
const CONNECTIONS = 8

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, doors: { type: 'string', default: '' } },
})
const [server, ...others] = positionals
if (!server || others.length === 0) throw new Error('Give the URL of a database, and the folders of other checkouts')

/** A checkout, with its gateways without and with a response cache, and the requests with a key of its database. */
interface Checkout {
  name: string
  uncached: Server
  cached: Server
  doors: PlainDoor[]
}

const checkouts: Checkout[] = []
for (const folder of [new URL('../..', import.meta.url).pathname, ...others]) checkouts.push(await open(folder))
print(['processor time of a request, µs', 'this', ...others.map((folder) => `${basename(folder)} | ratio`)])
print(['---', '---', ...others.map(() => '--- | ---')])
try {
  for (const kind of ['uncached', 'cached'] as const) {
    for (const [n, { name, isCached }] of (checkouts[0]?.doors ?? []).entries()) {
      if (!new RegExp(values.doors).test(name) || (kind === 'cached' && !isCached)) continue
      const [ours = Number.NaN, ...theirs] = await compare((checkout) => [
        checkout[kind],
        checkout.doors[n]?.requests ?? [],
      ])
      const figures = theirs.map((time) => `${time.toFixed(0)} | ${(ours / time).toFixed(2)}`)
      print([kind === 'cached' ? `${name}, cached` : name, ours.toFixed(0), ...figures])
    }
  }
} finally {
  for (const { uncached, cached } of checkouts) await Promise.all([uncached.stop(), cached.stop()])
}

type Load = [Server, PlainDoor['requests']]

/**
 * Microseconds of processor time for each request, in each checkout: the tenth percentile of the rounds, which other work of the machine
 * disturbs least. The checkouts take turns, and every other round in the opposite order: the first of two equal checkouts takes up to
 * 1.1 times as long.
 */
async function compare(loadOf: (checkout: Checkout) => Load): Promise<number[]> {
  const loads = checkouts.map(loadOf)
  for (const [{ url }, requests] of loads) await load(url, requests, WARM_SECONDS, { connections: CONNECTIONS })
  const times: number[][] = loads.map(() => [])
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const turns = [...loads.entries()]
    for (const [n, one] of round % 2 === 0 ? turns : turns.reverse()) times[n]?.push(await timeOf(one))
  }
  return times.map((each) => percentile(each, 0.1))
}

async function timeOf([{ url, pid }, requests]: Load): Promise<number> {
  const before = await cpuMs(pid)
  const rate = await load(url, requests, SECONDS, { connections: CONNECTIONS })
  return (1_000 * ((await cpuMs(pid)) - before)) / (rate * SECONDS)
}

/** Fills the database of a checkout, and starts its gateways. The checkout itself migrates it and creates the key. */
async function open(folder: string): Promise<Checkout> {
  const migrations = await readdir(join(folder, 'prisma/migrations'))
  const url = await createDatabase(server ?? '', `checkout_${hash('sha256', migrations.join()).slice(0, 12)}`)
  await catalog(folder, url, ['migrate'])
  const session = new pg.Client(url)
  await session.connect()
  await seed(session, { slug: 'towns', items: ITEMS, related: true })
  await seed(session, { slug: 'korea', items: 1_000, related: false, isKorean: true })
  const { rows } = await session.query<{ id: string }>('SELECT id FROM items ORDER BY id LIMIT 1000')
  await session.end()
  const created = await catalog(folder, url, ['keys', 'create', '--name', 'bench', '--json'])
  const { key }: { key: string } = JSON.parse(created)
  const start = (megabytes: string) => startGateway(url, { RESPONSE_CACHE_MB: megabytes }, resolve(folder))
  const [uncached, cached] = await Promise.all([start('0'), start('256')])
  const doors = plainDoors(
    key,
    rows.map(({ id }) => id),
  )
  for (const { requests } of doors) if (requests[0]) await ask(uncached.url, requests[0])
  return { name: basename(folder), uncached, cached, doors }
}

async function catalog(folder: string, url: string, args: readonly string[]): Promise<string> {
  const options = { cwd: folder, env: gatewayEnv({ DATABASE_URL: url, SAMPLE_DATA: 'false' }) }
  const { stdout } = await promisify(execFile)('./src/cli.ts', args, options)
  return stdout
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
