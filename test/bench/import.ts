import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '../../src/database/migrate.ts'
import { median, timeOf } from './measure.ts'
import { openWorld } from './world.ts'

/*
 * Imports of 85,253 airports into PostgreSQL: new and unchanged, in turns with `COPY` of the same rows into the same table, with its
 * constraints, indexes and triggers. All are processes: `catalog import` and psql. Needs an empty database:
 *   node test/bench/import.ts postgresql://postgres@127.0.0.1/import [ROUNDS] [MANIFEST]
 */

const AIRPORTS = fileURLToPath(new URL('../import/manifests/ourairports_airports.json', import.meta.url))
const [url = '', rounds = '3', manifest = AIRPORTS] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-import-'))
const file = join(folder, 'items.tsv')
const database = await openWorld(url)
await database.withSession((session) => migrate(session))

/** The columns of `items` that are not generated. */
const columns = await database.withSession(async (session) => {
  const { rows } = await session.query<{ columns: string }>(
    `SELECT string_agg(column_name, ', ') AS columns FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = 'items' AND is_generated = 'NEVER'`,
  )
  return rows[0]?.columns ?? ''
})
const run = promisify(execFile)
const psql = (sql: string) => run('psql', [url, '-qX', '-v', 'ON_ERROR_STOP=1', '-c', sql])
const importFile = () => run('./src/cli.ts', ['import', manifest], { env: { ...process.env, DATABASE_URL: url } })
/** Removes the items, and writes the table anew, so that every load begins with an empty table. */
const empty = () => psql('TRUNCATE items CASCADE').then(() => psql('VACUUM'))

await empty()
await importFile()
const items = await database.prisma.item.count()
await psql(`\\copy (SELECT ${columns} FROM items) TO '${file}'`)

const times: Record<'copy' | 'import' | 'unchanged', number[]> = { copy: [], import: [], unchanged: [] }
for (let round = 0; round < Number(rounds); round += 1) {
  await empty()
  times.copy.push(await timeOf(() => psql(`\\copy items (${columns}) FROM '${file}'`)))
  await empty()
  times.import.push(await timeOf(importFile))
  times.unchanged.push(await timeOf(importFile))
}
await database.close()
await rm(folder, { recursive: true })
for (const [name, all] of Object.entries(times)) {
  const ms = median(all)
  const ratio = median(times.copy.map((copy, round) => copy / (all[round] ?? 0)))
  process.stdout.write(
    `${name.padEnd(10)} ${(ms / 1000).toFixed(1)} s  ${((items / ms) * 1000).toFixed(0)} items/s  ${ratio.toFixed(2)} of COPY\n`,
  )
}
