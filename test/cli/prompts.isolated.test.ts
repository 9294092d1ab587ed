import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { CHECKOUT, environment, startProcess } from '../support/process.ts'

/* What commands ask and show on a terminal. `script` (util-linux) gives them a pseudo-terminal. */

const db = useDatabase()
let importer: Importer
let folder: string
beforeAll(async () => {
  importer = await createImporter(db.database)
  folder = await mkdtemp(join(tmpdir(), 'catalog-prompts-'))
  await writeFile(join(folder, 'few.ndjson'), ndjson(row({ externalId: 'item 0' })))
  const dataset = { slug: 'places', name: 'Places', status: 'active', visibility: 'public', attribution: 'Us' }
  await writeFile(join(folder, 'few.json'), JSON.stringify({ dataset, items: 'few.ndjson' }))
})
afterAll(async () => {
  await importer.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  await importer.run({ 'a.ndjson': ndjson(...Array.from({ length: 20 }, (_, n) => row({ externalId: `item ${n}` }))) })
})

/**
 * Runs a command on a terminal, where a person types the answer after the question. Everything that the terminal shows is in
 * `stdout`. `script` drops the end of an input that the command does not read within two seconds, so nothing is typed before.
 */
async function runOnTerminal(answer: string, command: string): Promise<{ code: number | null; stdout: string }> {
  const args = ['--quiet', '--return', '--command', `${CHECKOUT}src/cli.ts ${command}`, '/dev/null']
  const child = startProcess('script', args, { env: environment({ ...db.env, COLUMNS: '120' }), cwd: CHECKOUT })
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

test.each(QUESTIONS)('catalog %s asks, and removes after yes', async (command, question) => {
  const { code, stdout } = await runOnTerminal('y\n', command.replace('FOLDER', folder))
  expect(stdout).toContain(question)
  expect(code).toBe(0)
  expect(await db.database.prisma.item.count()).toBe(command.startsWith('import') ? 1 : 0)
})

test.each(QUESTIONS)('catalog %s changes nothing after another answer or the end of the input', async (...asked) => {
  const [command, question, refusal] = asked
  for (const answer of ['maybe\n', '\x04']) {
    const { code, stdout } = await runOnTerminal(answer, command.replace('FOLDER', folder))
    expect(stdout).toContain(question)
    expect(stdout).toContain(refusal)
    expect(code).toBe(1)
  }
  expect(await db.database.prisma.item.count()).toBe(20)
})

test('catalog export shows its progress, and then the file', async () => {
  const path = join(folder, 'places.csv')
  const { code, stdout } = await runOnTerminal('', `export places --format csv --output ${path}`)
  expect(stdout).toContain('100 %, 20 of 20 items, ')
  expect(stdout.split('\x1b[2K').at(-1)).toBe(`places: exported to ${path}\r\n`)
  expect(code).toBe(0)
})
