import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { readConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { findKnownDataset } from '../../src/history/entries.ts'
import { importManifest } from '../../src/import/import.ts'
import { undoLastEntry } from '../../src/import/undo/undo.ts'
import { timeOf } from './measure.ts'

/*
 * The share of the history in the time of an import: of airports, new, with another name each, and unchanged. It adds the times of the
 * statements that name its tables, so other load on the machine does not matter. Then an undo of all names. With a URL of an empty
 * PostgreSQL database, else embedded:
 *   node test/bench/history.ts ourairports_airports.csv.gz 85253 [postgresql://postgres@127.0.0.1/history]
 */

const [file = '', rows = '85253', url = ''] = process.argv.slice(2)
const MANIFEST = fileURLToPath(new URL('../import/manifests/ourairports_airports.json', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'bench-history-'))
const { dataset, items } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
const lines = gunzipSync(readFileSync(file)).toString().split('\n')
const text = lines.slice(0, Number(rows) + 1).join('\n')
/** The fourth column of each line is the name, which may be quoted. */
const renamed = text.replace(/^([^,]*,[^,]*,[^,]*,"?)(?!name)/gm, '$1* ')
for (const [name, content] of Object.entries({ old: text, new: renamed })) {
  await writeFile(join(folder, `${name}.csv`), content)
  const manifest = { dataset, items: [{ file: `${name}.csv`, columns: items[0].columns }] }
  await writeFile(join(folder, `${name}.json`), JSON.stringify(manifest))
}

const { database: config } = readConfig(url === '' ? { DATA_DIR: join(folder, 'data') } : { DATABASE_URL: url })
const database = await openDatabase(config, { share: true })
await database.withSession((session) => migrate(session))

let historyMs = 0
/** The database, whose sessions measure the statements of the history. */
const measured: Database = {
  ...database,
  withSession: (use) =>
    database.withSession((session) =>
      use(
        new Proxy(session, {
          get: (target, name) => {
            const value = Reflect.get(target, name)
            if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
            return async (...query: unknown[]) => {
              const start = performance.now()
              const result = await Reflect.apply(value, target, query)
              if (String(query[0]).includes('history_')) historyMs += performance.now() - start
              return result
            }
          },
        }),
      ),
    ),
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  historyMs = 0
  const ms = await timeOf(work)
  const share = (100 * historyMs) / (ms - historyMs)
  process.stdout.write(`${name.padEnd(10)} ${(ms / 1000).toFixed(1)} s, history ${share.toFixed(1)} %\n`)
}

const load = (name: string) =>
  importManifest(measured, join(folder, `${name}.json`), { keepMissing: false, skipInvalid: false })
await measure('created', () => load('old'))
await measure('changed', () => load('new'))
await measure('unchanged', () => load('new'))
const airports = await measured.withSession((session) => findKnownDataset(session, 'airports'))
if (!airports) throw new Error('There are no airports')
await measure('undo', () =>
  measured.withSession((session) => undoLastEntry(session, airports, { command: '', undoDays: 30, overwrite: false })),
)
const sizes = await database.prisma.$queryRaw<{ kind: string; stored: bigint; text: bigint }[]>`
  SELECT kind, sum(pg_column_size(content)) AS stored, sum(length(content)) AS text FROM history_parts GROUP BY kind`
for (const { kind, stored, text } of sizes)
  process.stdout.write(`${kind.padEnd(10)} ${Number(stored) / 1e6} MB stored of ${Number(text) / 1e6} MB\n`)
await database.close()
await rm(folder, { recursive: true })
