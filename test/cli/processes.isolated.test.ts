import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { createImporter, csv, DATASET, type Importer, ndjson, row } from '../support/import.ts'
import { CHECKOUT, environment, runCatalog, runCatalogWith, runProcess, startProcess } from '../support/process.ts'
import { LIMITS_ENV } from '../support/template.ts'

/* What takes a process: terminals, signals, streams that fail, and the start of the program. The other files run commands in their own. */

const db = useDatabase()
const inFolder = useFolder()
const items = (count: number) => Array.from({ length: count }, (_, n) => row({ externalId: `item ${n}` }))
let importer: Importer
beforeAll(async () => {
  importer = await createImporter(db.database)
  await createKey(db.database.prisma, { name: 'one' })
  await createKey(db.database.prisma, { name: 'two' })
  await writeFile(inFolder('few.ndjson'), ndjson(...items(1)))
  await writeFile(inFolder('few.json'), JSON.stringify({ dataset: DATASET, items: 'few.ndjson' }))
})
afterAll(() => importer.close())
beforeEach(async () => {
  await importer.run({ 'a.ndjson': ndjson(...items(20)) })
})

test('npx finds the command in the checkout without a network, and generates no files again', async () => {
  const generated = `${CHECKOUT}src/generated/pothos.ts`
  const before = statSync(generated).mtimeMs
  const env = { ...process.env, npm_config_cache: inFolder('npm'), npm_config_offline: 'true' }
  const { code, stdout } = await runProcess('npx', ['catalog', 'keys', '--help'], env)
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: catalog keys')])
  expect(statSync(generated).mtimeMs).toBe(before)
})

test('an import creates the embedded database in a new folder and says so, and the next commands find what it stored', async () => {
  const env = { DATA_DIR: inFolder('first'), ...LIMITS_ENV }
  const stderr = `Creating the database in ${env.DATA_DIR} ...\n`
  expect(await runCatalog(env, 'import', inFolder('few.json'))).toMatchObject({ code: 0, stderr })
  // It has all migrations from the start.
  expect(await runCatalog(env, 'migrate', '--json')).toEqual({ code: 0, stdout: '{"applied":[]}\n', stderr: '' })
  const created = await runCatalog(env, 'keys', 'create', '--name', 'alone', '--dataset', 'places', '--json')
  expect((await runCatalog(env, 'keys', 'list')).stdout).toContain(JSON.parse(created.stdout).id)
})

describe('A reader that stops early', () => {
  test('does not stop the work of a command', async () => {
    const finished = await runCatalogWith(
      { readsOutput: false },
      db.env,
      'import',
      '--allow-removals',
      inFolder('few.json'),
    )
    expect(finished).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await db.database.prisma.item.count()).toBe(1)
  })

  test('is no failure of an export', async () => {
    const args = ['export', 'places', '--format', 'ndjson']
    const { code, stderr } = await runCatalogWith({ readsOutput: false }, db.env, ...args)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('catalog:')])
  })
})

test.skipIf(!existsSync('/dev/full'))('a full disk is one line', async () => {
  const shell = `${process.execPath} src/cli.ts export places --format csv > /dev/full`
  const { code, stderr } = await runProcess('bash', ['-c', shell], environment(db.env))
  const lines = stderr.split('\n').filter((line) => line.startsWith('catalog:'))
  expect([code, lines]).toEqual([1, [expect.stringContaining('ENOSPC')]])
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s leaves no unfinished file of an export, and says so', async (signal) => {
  const path = inFolder(signal, 'a.csv')
  await mkdir(inFolder(signal))
  await importer.run({ 'a.ndjson': ndjson(...items(300)) })
  // Interrupts itself at the second batch of items. The first one is being written then.
  const script = `
    import { NDJSON } from './src/catalog/export-formats.ts'
    import { exportFile } from './src/cli/export-files.ts'
    import { readConfig } from './src/config/config.ts'
    import { openDatabase } from './src/database/database.ts'
    const { prisma } = await openDatabase(readConfig(process.env).database, { share: true })
    const { id } = await prisma.dataset.findUniqueOrThrow({ where: { slug: 'places' } })
    let batches = 0
    const onItems = () => { if (++batches === 2) process.kill(process.pid, '${signal}') }
    await exportFile({ prisma, id, onItems }, { format: NDJSON, path: ${JSON.stringify(path)}, force: false })
    process.exit()`
  const args = ['--input-type=module-typescript', '--eval', script]
  expect(await runProcess(process.execPath, args, environment(db.env))).toEqual({
    ...{ code: null, stdout: '' },
    stderr: `catalog: stopped; ${path} was not written\n`,
  })
  expect(await readdir(inFolder(signal))).toEqual([])
})

/** A terminal for a program that has none (util-linux). */
const SCRIPT = '/usr/bin/script'

/**
 * Runs a command on a terminal, where a person types the answer after the question. Everything that the terminal shows is in
 * `stdout`. `script` drops the end of an input that the command does not read within two seconds, so nothing is typed before.
 */
async function runOnTerminal(command: string, answer = ''): Promise<{ code: number | null; stdout: string }> {
  const args = ['--quiet', '--return', '--command', `${CHECKOUT}src/cli.ts ${command}`, '/dev/null']
  const env = environment({ ...db.env, COLUMNS: '500', TERM: 'xterm' })
  const child = startProcess(SCRIPT, args, { env, cwd: CHECKOUT })
  let stdout = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (stdout.includes('[y/N] ')) child.stdin?.end(answer)
  })
  const [code] = await once(child, 'close')
  return { code, stdout }
}

const QUESTIONS: readonly [command: string, question: string, refusal: string][] = [
  [
    'datasets remove places',
    'Remove the dataset places with 20 items and 0 grants? [y/N] ',
    'catalog: Nothing was removed',
  ],
  [
    'import FOLDER/few.json',
    'The files lack 19 of the 20 items of the dataset places. Remove them? [y/N] ',
    'catalog: This import would remove 19 of 20 items of the dataset places; nothing was changed',
  ],
]

describe.skipIf(!existsSync(SCRIPT))('On a terminal', () => {
  const run = (command: string, answer?: string) => runOnTerminal(command.replace('FOLDER', inFolder()), answer)

  test.each(QUESTIONS)('catalog %s asks, and removes after yes', async (command, question) => {
    const { code, stdout } = await run(command, 'y\n')
    expect([code, stdout]).toEqual([0, expect.stringContaining(question)])
    expect(await db.database.prisma.item.count()).toBe(command.startsWith('import') ? 1 : 0)
  })

  test.each(QUESTIONS)(
    'catalog %s changes nothing after another answer, the end of the input or Ctrl-C',
    async (...asked) => {
      const [command, question, refusal] = asked
      for (const [answer, exitCode, said] of [
        ['maybe\n', 1, refusal],
        ['\x04', 1, refusal],
        ['\x03', 130, 'catalog: stopped; nothing was changed'],
      ] as const) {
        const { code, stdout } = await run(command, answer)
        expect(stdout).toContain(question)
        expect([code, stdout]).toEqual([exitCode, expect.stringContaining(said)])
      }
      expect(await db.database.prisma.item.count()).toBe(20)
    },
  )

  test('an export shows its progress, and then the file', async () => {
    const { code, stdout } = await run('export places --format csv --output FOLDER/places.csv')
    expect(stdout).toContain('100 %, 20 of 20 items, ')
    expect(stdout.split('\x1b[2K').at(-1)).toBe(`places: exported to ${inFolder('places.csv')}\r\n`)
    expect(code).toBe(0)
  })

  test('the doctor shows colour, and an import its progress and who may read it', async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `${n},Place ${n},11,x,37.5,127`)
    await writeFile(inFolder('many.csv'), csv(...lines))
    const dataset = { ...DATASET, slug: 'many' }
    await writeFile(inFolder('many.json'), JSON.stringify({ dataset, items: 'many.csv' }))
    const { stdout } = await run('import FOLDER/many.json')
    expect(stdout.split('\r\x1b[2K')[1]).toMatch(/^\d+ %, \d+ rows, \d+ rows\/s, many/)
    expect(stdout).toMatch(/many: 5000 created, 0 updated/)
    expect(stdout).toContain('merging the rows into the dataset')
    expect(stdout).toMatch(/2 keys may read it; to let another: npx catalog keys create .* --dataset many/)
    expect((await run('doctor')).stdout).toContain('\x1b[32mok  \x1b[39m')
  })

  test('exports and progress show no control characters of others', async () => {
    const name = 'x\x1b[2J\x9b31m\nFORGED'
    const dataset = { ...DATASET, slug: 'hostile' }
    const rows = Array.from({ length: 5000 }, (_, n) => row({ name, externalId: `${n}` }))
    await writeFile(inFolder(`${name}.ndjson`), ndjson(...rows))
    await writeFile(inFolder('hostile.json'), JSON.stringify({ dataset, items: `${name}.ndjson` }))
    const show = async (command: string) => {
      const shown = (await run(command)).stdout.replaceAll('\r\n', '\n').replaceAll('\r\x1b[2K', '')
      expect(shown).not.toMatch(/[^\P{Cc}\n]/u)
      return shown
    }
    expect(await show('import FOLDER/hostile.json')).toContain(String.raw` rows/s, x\u001b[2J\u009b31m\nFORGED`)
    expect(await show('export hostile --format csv')).toContain(String.raw`"x\u001b[2J\u009b31m`)
    expect(await show('export hostile --format ndjson')).toContain(String.raw`x\u001b[2J\u009b31m\nFORGED`)
  })
})
