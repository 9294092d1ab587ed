import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { median, timeOf } from './measure.ts'

/*
 * What the history costs an import: of 85,253 airports, new, with another name each, and unchanged, in turns with UNDO_DAYS=0, which
 * stores no rows. Also an undo of all names. Each is a process `catalog`. With a URL on an empty PostgreSQL database, else embedded:
 *   node test/bench/history.ts FILE.csv.gz ROUNDS [postgresql://postgres@127.0.0.1/history]
 */

const [file = '', rounds = '3', url] = process.argv.slice(2)
const MANIFEST = fileURLToPath(new URL('../import/manifests/ourairports_airports.json', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'bench-history-'))
const { dataset, items } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
const text = gunzipSync(readFileSync(file)).toString()
/** Every line with a name has a quoted name in its fourth column. */
const renamed = text.replace(/^([^,]*,[^,]*,[^,]*,")/gm, '$1* ')
for (const [name, content] of [
  ['old', text],
  ['new', renamed],
] as const) {
  await writeFile(join(folder, `${name}.csv`), content)
  const manifest = { dataset, items: [{ file: `${name}.csv`, columns: items[0].columns }] }
  await writeFile(join(folder, `${name}.json`), JSON.stringify(manifest))
}

const run = promisify(execFile)
const catalog = (undoDays: number, ...words: string[]) =>
  run('./src/cli.ts', words, {
    env: {
      ...process.env,
      ...(url ? { DATABASE_URL: url } : { DATA_DIR: join(folder, 'data') }),
      UNDO_DAYS: String(undoDays),
    },
  })
const load = (undoDays: number, name: string) =>
  catalog(undoDays, 'import', '--allow-removals', join(folder, `${name}.json`))

const times = new Map<string, number[]>()
const measure = async (name: string, work: () => Promise<unknown>) => {
  times.set(name, [...(times.get(name) ?? []), await timeOf(work)])
}

await catalog(30, 'migrate')
for (let round = 0; round < Number(rounds); round += 1) {
  for (const undoDays of round % 2 === 0 ? [0, 30] : [30, 0]) {
    const label = undoDays === 0 ? 'without' : 'with'
    await measure(`created ${label}`, () => load(undoDays, 'old'))
    await measure(`changed ${label}`, () => load(undoDays, 'new'))
    if (undoDays > 0) await measure('undo', () => catalog(undoDays, 'undo', 'airports'))
    await measure(`unchanged ${label}`, () => load(undoDays, undoDays > 0 ? 'old' : 'new'))
    await catalog(0, 'datasets', 'remove', 'airports', '--yes')
  }
}
await rm(folder, { recursive: true })
for (const [name, all] of times) process.stdout.write(`${name.padEnd(20)} ${(median(all) / 1000).toFixed(1)} s\n`)
