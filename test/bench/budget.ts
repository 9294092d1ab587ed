import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type PlainDoor, plainDoors } from './plain-requests.ts'
import { cpuMs, startGateway } from './processes.ts'
import { attachProfiler, inspectorPort, type Profiler, type Sample } from './profile.ts'
import { createKeys, fillWorld, openWorld } from './world.ts'
import { load } from './wrk.ts'

/*
 * What a plain request costs the gateway at each door: microseconds of processor time, by the room of docs/architecture.md in which they
 * are spent, and kilobytes that it allocates. It writes the first columns into test/README.md.
 *
 *   node test/bench/budget.ts postgresql://superuser@host/a-database-of-its-own [--seconds 3] [--doors item]
 */

const CONNECTIONS = 8
const PAGE = new URL('../README.md', import.meta.url)
const [BEGIN, END] = ['<!-- node test/bench/budget.ts writes this table -->\n', '<!-- end of the table -->']

/** The columns of the table: each with the beginning of the scripts that count for it. The first that fits counts. */
const ROOMS: readonly (readonly [name: string, script: RegExp])[] = [
  ['gateway', /\/src\/gateway\//],
  ['api', /\/src\/api\//],
  ['graphql', /\/src\/graphql\//],
  ['auth', /\/src\/auth\//],
  ['catalog', /\/src\/catalog\//],
  ['database', /\/src\/database\//],
  ['graphql-js', /node_modules\/graphql\//],
  ['pg', /node_modules\/pg/],
  ['fastify', /node_modules\/(fastify|find-my-way|avvio|@fastify)/],
  ['other packages', /node_modules\/|\/src\//],
  ['Node', /^node:/],
  ['garbage', /garbage collector/],
  ['system, V8', /^/],
]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3' }, doors: { type: 'string', default: '' } },
})
const [databaseUrl] = positionals
if (!databaseUrl) throw new Error('Give the URL of a database that is empty or was filled by a benchmark')
const seconds = Number(values.seconds)

const database = await openWorld(databaseUrl)
await fillWorld(database, [{ slug: 'towns', items: 20_000, related: true }])
const [key = ''] = await createKeys(database, 1)
const items = await database.prisma.item.findMany({ take: 1_000, select: { id: true } })
await database.close()
const doors = plainDoors(
  key,
  items.map(({ id }) => id),
).filter(({ name }) => name.includes(values.doors))

const lines = [
  ['door', 'µs', 'kB', ...ROOMS.map(([name]) => name)],
  ['---', '---', '---', ...ROOMS.map(() => '---')],
]
for (const megabytes of ['0', '256']) {
  const { port, env } = await inspectorPort()
  const gateway = await startGateway(databaseUrl, { RESPONSE_CACHE_MB: megabytes, ...env })
  const profiler = await attachProfiler(port)
  for (const { name, requests, isCached } of doors) {
    if (megabytes !== '0' && !isCached) continue
    const row = await measure(requests, gateway, profiler)
    lines.push([megabytes === '0' ? name : `${name}, cached`, ...row])
  }
  profiler.close()
  await gateway.stop()
}
process.stdout.write(tableOf(lines))
if (values.doors === '') writeTable(tableOf(lines.map((cells) => cells.slice(0, 3))))

/** The processor time of a request in µs, the kilobytes that it allocates, and the µs in each room. */
async function measure(
  requests: PlainDoor['requests'],
  { url, pid }: { url: string; pid: number },
  profiler: Profiler,
): Promise<string[]> {
  const send = async () => seconds * (await load(url, requests, seconds, { connections: CONNECTIONS }))
  await send()
  const before = await cpuMs(pid)
  const count = await send()
  const time = (1_000 * ((await cpuMs(pid)) - before)) / count
  let profiled = 0
  const times = await profiler.time(async () => {
    profiled = await send()
  })
  let allocated = 0
  const bytes = await profiler.bytes(async () => {
    allocated = await send()
  })
  const kilobytes = bytes.reduce((sum, { value }) => sum + value, 0) / allocated / 1_024
  const byRoom = ROOMS.map(([name]) => sumOf(times, name) / profiled)
  const profiledTime = byRoom.reduce((sum, each) => sum + each, 0)
  // The profiler itself takes time, so only the parts are its own.
  return [time.toFixed(0), kilobytes.toFixed(0), ...byRoom.map((part) => ((part / profiledTime) * time).toFixed(0))]
}

function sumOf(samples: readonly Sample[], room: string): number {
  const own = samples.filter(({ url, functionName }) => roomOf(url || functionName) === room)
  return own.reduce((sum, { value }) => sum + value, 0)
}

function roomOf(script: string): string | undefined {
  return ROOMS.find(([, scripts]) => scripts.test(script))?.[0]
}

function tableOf(rows: readonly string[][]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function writeTable(table: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [start, rest = ''] = page.split(BEGIN)
  if (!rest.includes(END)) throw new Error(`${PAGE.pathname} has no place for the table`)
  writeFileSync(PAGE, `${start}${BEGIN}\n${table}\n${rest.slice(rest.indexOf(END))}`)
}
