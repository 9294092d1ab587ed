import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useDatabase } from '../support/database.ts'
import { csv } from '../support/import.ts'
import { CHECKOUT, environment, listCommands, runCatalog, runProcess } from '../support/process.ts'

/* Names, tiers, cells and files that try to clear the screen, to add a line, or to turn the text around. */

const HOSTILE = 'x\x1b[2J\x9b31m\nFORGED\r\tFORGED\u202eend\u2028FORGED'
const ESCAPED = String.raw`x\u001b[2J\u009b31m\nFORGED\r\tFORGED\u202eend\u2028FORGED`
/** A terminal for a program that has none (util-linux). */
const SCRIPT = '/usr/bin/script'
const QUOTED = `"${HOSTILE}"`

const db = useDatabase()
let folder: string
beforeAll(async () => {
  const { prisma } = db.database
  const texts = [
    'name',
    'description',
    'attribution',
    'accessTier',
    'license',
    'publisher',
    'contact',
    'updateFrequency',
  ]
  const now = new Date()
  const dataset = {
    id: randomUUID(),
    slug: 'evil',
    status: 'active',
    visibility: 'paid',
    createdAt: now,
    updatedAt: now,
  } as const
  const { id } = await prisma.dataset.create({
    data: { ...dataset, name: '', attribution: '', ...Object.fromEntries(texts.map((field) => [field, HOSTILE])) },
  })
  const place = { name: HOSTILE, administrativeAreaCode: '11', categoryCode: HOSTILE, latitude: 37, longitude: 127 }
  await prisma.item.create({
    data: { ...place, id: randomUUID(), datasetId: id, externalId: HOSTILE, createdAt: now, updatedAt: now },
  })
  const { id: keyId } = await createKey(prisma, { name: 'evil', accessTiers: ['evil'], datasets: ['evil'] })
  await prisma.apiKey.update({ where: { id: keyId }, data: { accessTiers: [HOSTILE] } })
  // A shell would take the second line of such a name as a word of its own.
  const { id: otherId } = await createKey(prisma, { name: 'other' })
  await prisma.apiKey.update({ where: { id: otherId }, data: { name: 'x\x1b[2J' } })

  folder = await mkdtemp(join(tmpdir(), 'catalog-hostile-'))
  const good = csv(`${QUOTED},${QUOTED},11,x,37.5,127`, 'b,B,11,x,37.6,127')
  await mkdir(join(folder, HOSTILE))
  await writeFile(join(folder, HOSTILE, 'good.csv'), good)
  await writeFile(join(folder, `${HOSTILE}.csv`), good)
  await writeFile(
    join(folder, 'bad.csv'),
    csv(`a,A,11,x,${QUOTED},127`, `${QUOTED},B,11,x,37.6,${QUOTED}`, 'c,C,11,x,1,2'),
  )
  await writeFile(join(folder, 'header.csv'), `${QUOTED},${QUOTED}y\n1,2\n`)
  const places = { slug: 'places', name: HOSTILE, status: 'active', visibility: 'public', attribution: 'Us' }
  const manifest = (name: string, content: unknown) => writeFile(join(folder, `${name}.json`), JSON.stringify(content))
  await manifest('places', { dataset: places, items: `${HOSTILE}.csv` })
  await manifest('bad', { dataset: places, items: 'bad.csv' })
  await manifest('header', { dataset: places, items: 'header.csv' })
  await manifest('member', { dataset: { ...places, [HOSTILE]: HOSTILE, status: HOSTILE }, items: [{ file: HOSTILE }] })
  await writeFile(join(folder, 'broken.json'), `{ "${HOSTILE}`)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** Runs of the commands, in this order. `FOLDER` is the folder of the files, `HOSTILE` the text. */
const RUNS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['migrate'],
  ['import init', 'FOLDER/HOSTILE.csv', '--output', 'FOLDER/made.json'],
  ['import init', 'FOLDER/HOSTILE/good.csv'],
  ['import init', 'FOLDER/header.csv', '--output', 'FOLDER/made2.json'],
  ['import init', 'FOLDER/HOSTILE'],
  ['import', '--dry-run', 'FOLDER/places.json'],
  ['import', 'FOLDER/places.json'],
  ['import', 'FOLDER/bad.json'],
  ['import', '--skip-invalid', '--keep-missing', 'FOLDER/bad.json'],
  ['import', 'FOLDER/header.json'],
  ['import', 'FOLDER/member.json'],
  ['import', 'FOLDER/broken.json'],
  ['import', 'FOLDER/HOSTILE.json'],
  ['datasets list'],
  ['datasets list', '--json'],
  ['datasets show', 'evil'],
  ['datasets show', 'HOSTILE'],
  ['datasets update', 'places', '--name', 'a HOSTILE b'],
  ['datasets update', 'places', '--status', 'HOSTILE'],
  ['history', 'places'],
  ['history show', '2'],
  ['history show', 'HOSTILE'],
  ['undo', 'places'],
  ['undo', 'HOSTILE'],
  ['keys create', '--name', 'HOSTILE', '--tier', 'HOSTILE'],
  ['keys create', '--name', 'new', '--tier', 'none', '--expires', 'HOSTILE'],
  ['keys create', '--name', 'new', '--tier', 'none'],
  ['keys list'],
  ['keys list', '--json'],
  ['keys show', 'evil'],
  ['keys show', 'HOSTILE'],
  ['keys usage'],
  ['keys update', 'evil', '--expires', '90d'],
  ['keys grant', 'evil', '--dataset', 'HOSTILE'],
  ['keys grant', 'evil', '--dataset', 'evil'],
  ['keys ungrant', 'evil', '--dataset', 'evil'],
  ['access explain', 'evil', 'evil'],
  ['access explain', 'new', 'evil'],
  ['access explain', 'evil', 'evil', 'HOSTILE'],
  ['access explain', 'evil', 'evil', 'HOSTILE HOSTILE'],
  ['access list', 'evil'],
  ['keys rotate', 'evil'],
  ['keys revoke', 'new'],
  ['export', 'evil', '--format', 'csv', '--output', 'FOLDER/HOSTILE.out'],
  ['export', 'evil', '--format', 'csv', '--output', 'FOLDER/none/HOSTILE'],
  ['export', 'evil', '--format', 'bundle', '--output', 'FOLDER/bundle'],
  ['export', '--all', 'FOLDER/HOSTILE/all', '--with-keys'],
  ['import', 'FOLDER/HOSTILE/all'],
  ['datasets remove', 'places'],
  ['datasets remove', 'places', '--yes'],
  ['datasets restore', 'places'],
  ['backup', 'FOLDER/HOSTILE'],
  ['restore', 'FOLDER/HOSTILE'],
  ['doctor'],
  ['completion', 'HOSTILE'],
  ['HOSTILE'],
  ['keys HOSTILE'],
  ['datasets list', '--HOSTILE'],
]

const fill = (text: string) => text.replaceAll('FOLDER', folder).replaceAll('HOSTILE', HOSTILE)

/** Line breaks are allowed. */
const CONTROL = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u

/** Expects that each line is one of ours, and that no character in it controls the terminal. */
function expectHarmless(printed: string): void {
  expect(printed).not.toMatch(CONTROL)
  expect(printed).not.toMatch(/^\s*FORGED/m)
}

describe('What others wrote stays harmless on the terminal of', () => {
  test.each(RUNS)('catalog %s', async (command, ...args) => {
    const { stdout, stderr } = await runCatalog(db.env, ...command.split(' ').map(fill), ...args.map(fill))
    expect(stdout + stderr).not.toBe('')
    expectHarmless(stdout)
    expectHarmless(stderr)
  })

  test('every command', async () => {
    const commands = new Set(RUNS.map(([command]) => command))
    const missing = (await listCommands()).filter((name) => !commands.has(name))
    expect(missing, 'add a run to RUNS of test/cli/hostile-text.isolated.test.ts').toEqual(['serve'])
  })
})

test('What others wrote is shown, with its control characters escaped', async () => {
  const { stdout } = await runCatalog(db.env, 'datasets', 'show', 'evil')
  expect(stdout.split('\n')[2]).toBe(`name          ${ESCAPED}`)
})

test.skipIf(!existsSync(SCRIPT))('a terminal shows exports and progress without control characters', async () => {
  const onTerminal = async (command: string) => {
    const args = ['-qec', `${CHECKOUT}src/cli.ts ${command}`, '/dev/null']
    const { stdout } = await runProcess(SCRIPT, args, environment({ ...db.env, COLUMNS: '500' }))
    const shown = stdout.replaceAll('\r\n', '\n').replaceAll('\r\x1b[2K', '')
    expect(shown).not.toMatch(CONTROL)
    return shown
  }
  expect(await onTerminal('export evil --format csv')).toContain(String.raw`"x\u001b[2J\u009b31m`)
  expect(await onTerminal('export evil --format ndjson')).toContain(String.raw`x\u001b[2J\u009b31m\nFORGED`)
  // A question would wait for an answer.
  expect(await onTerminal(`import --allow-removals ${join(folder, 'places.json')}`)).toContain(` s left, ${ESCAPED}`)
})

test('a command that names a hostile tier works in a shell as it is printed', async () => {
  const { id } = await createKey(db.database.prisma, { name: 'to allow' })
  const { stdout } = await runCatalog(db.env, 'access', 'explain', id, 'evil')
  const tier = / --tier (\$'.*')$/m.exec(stdout)?.[1]
  const shell = await runProcess('bash', ['-c', `printf %s ${tier}`], environment({ LC_ALL: 'C.UTF-8' }))
  expect(shell.stdout).toBe(HOSTILE)
})

describe('Completion offers', () => {
  const complete = async (...words: string[]) => {
    const { stdout } = await runCatalog(db.env, 'complete', '--', ...words)
    expectHarmless(stdout.replaceAll('\t', ' '))
    return stdout.split('\n').filter((line) => line.includes('\t'))
  }

  test('a dataset with its hostile name as a description, in one line', async () => {
    expect(await complete('datasets', 'show', 'ev')).toEqual([`evil\t${ESCAPED}`])
  })

  test('a key with a hostile name by its id', async () => {
    const { id } = await db.database.prisma.apiKey.findFirstOrThrow({ where: { name: 'x\x1b[2J' } })
    expect(await complete('keys', 'show', id.slice(0, 8))).toEqual([String.raw`${id}${'\t'}x\u001b[2J`])
    expect(await complete('keys', 'show', 'x')).toEqual([])
  })
})
