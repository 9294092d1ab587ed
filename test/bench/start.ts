import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { median } from './measure.ts'
import { cpuMs } from './processes.ts'

/*
 * Processor time of starts of an installed package and of its commands, in turns, and their ratio to a Node that does nothing. Cold is
 * without what an earlier start has written into the package: compiled modules and the used part of PostGIS.
 *
 *   npm pack && mkdir /tmp/app && cd /tmp/app && npm install ../path/dataset-catalog-1.0.0-rc.1.tgz
 *   node test/bench/start.ts /tmp/app postgresql://a-migrated-database [--rounds 5]
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
})
const [app = '', DATABASE_URL = ''] = positionals
if (DATABASE_URL === '') throw new Error('Give the folder of an installed package, and the URL of a migrated database')
const installed = resolve(app, 'node_modules/dataset-catalog')
const catalog = join(installed, 'package/catalog.js')
const DATA_DIR = resolve(app, 'bench-data')
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`

/** Opens the folder that the gateway made, as the documentation of PGlite says. */
const PGLITE = `
  const { PGlite } = await import('@electric-sql/pglite')
  const { postgis } = await import('@electric-sql/pglite-postgis')
  const pglite = await PGlite.create({ dataDir: '${DATA_DIR}/postgres', extensions: { postgis } })
  await pglite.query('SELECT ST_Distance(ST_Point(0, 0)::geography, ST_Point(1, 1)::geography)')
  process.exit()`

type Measure = () => Promise<number>

/** Each measure gives milliseconds of processor time. The second start and PGlite open what the first start made. */
const MEASURES: readonly (readonly [name: string, measure: Measure])[] = [
  ['`node -e 0`', () => run(process.execPath, '-e', '0')],
  ['`catalog --help`', () => run(catalog, '--help')],
  ['`catalog keys list` on PostgreSQL', () => run(catalog, 'keys', 'list')],
  ['first start', () => rm(DATA_DIR, { recursive: true, force: true }).then(start)],
  ['second start', start],
  ['PGlite with PostGIS opens that folder', () => run(process.execPath, '--input-type=module', '-e', PGLITE)],
]

const times: { cold: number[]; warm: number[] }[] = MEASURES.map(() => ({ cold: [], warm: [] }))
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [n, [, measure]] of MEASURES.entries()) {
    await makeCold()
    times[n]?.cold.push(await measure())
  }
  for (const [n, [, measure]] of MEASURES.entries()) times[n]?.warm.push(await measure())
}
await rm(DATA_DIR, { recursive: true })

const medians = times.map(({ cold, warm }) => [median(cold), median(warm)] as const)
const [, node = 0] = medians[0] ?? []
process.stdout.write(`| | cold | warm | warm, times \`node -e 0\` |\n|---|---|---|---|\n`)
for (const [n, [name]] of MEASURES.entries()) {
  const [cold = 0, warm = 0] = medians[n] ?? []
  process.stdout.write(`| ${name} | ${cold.toFixed(0)} | ${warm.toFixed(0)} | ${(warm / node).toFixed(1)} |\n`)
}

async function makeCold(): Promise<void> {
  await rm(join(installed, 'node_modules/.cache'), { recursive: true, force: true })
  await rm(join(installed, 'dist/generated/postgis.tar.gz'), { force: true })
}

/** The time of a program that ends, as bash measures it. */
async function run(...command: string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1'
  const child = spawn('bash', ['-c', script, 'bash', ...command], {
    cwd: app,
    env: { PATH, DATABASE_URL },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [printed, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`)
  return printed
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + 1_000 * Number(seconds), 0)
}

/** The time until the gateway is ready, with one process and the embedded database. */
async function start(): Promise<number> {
  const env = { PATH, DATA_DIR, PORT: '0', WORKERS: '1' }
  const child = spawn(catalog, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    // The last line: a request with the sample key, or how to create a key.
    if (/\/graphql'\n|keys create .*\n/.test(printed)) break
  }
  const milliseconds = await cpuMs(child.pid ?? 0)
  child.kill('SIGTERM')
  await exited
  return milliseconds
}
