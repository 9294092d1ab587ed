import { mkdir, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { newDataset, newPlace } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { csv, DATASET } from '../support/import.ts'
import { environment, listCommands, runCatalog, runProcess } from '../support/process.ts'

/* Names, tiers, cells and files that try to clear the screen, to add a line, or to turn the text around. */

const HOSTILE = 'x\x1b[2J\x9b31m\nFORGED\r\tFORGED\u202eend\u2028FORGED'
const ESCAPED = String.raw`x\u001b[2J\u009b31m\nFORGED\r\tFORGED\u202eend\u2028FORGED`
const QUOTED = `"${HOSTILE}"`

const db = useDatabase()
const inFolder = useFolder()
beforeAll(async () => {
  const { prisma } = db.database
  const fields = [
    'name',
    'description',
    'attribution',
    'accessTier',
    'license',
    'publisher',
    'contact',
    'updateFrequency',
  ]
  const texts = Object.fromEntries(fields.map((field) => [field, HOSTILE]))
  const dataset = newDataset({ slug: 'evil', visibility: 'paid', ...texts })
  await prisma.dataset.create({ data: dataset })
  const item = { datasetId: dataset.id, name: HOSTILE, categoryCode: HOSTILE, externalId: HOSTILE }
  await prisma.item.create({ data: newPlace(item) })
  const { id: keyId } = await createKey(prisma, { name: 'evil', accessTiers: ['evil'], datasets: ['evil'] })
  await prisma.apiKey.update({ where: { id: keyId }, data: { accessTiers: [HOSTILE] } })
  // A shell would take the second line of such a name as a word of its own.
  const { id: otherId } = await createKey(prisma, { name: 'other' })
  await prisma.apiKey.update({ where: { id: otherId }, data: { name: 'x\x1b[2J' } })

  const good = csv(`${QUOTED},${QUOTED},11,x,37.5,127`, 'b,B,11,x,37.6,127')
  await mkdir(inFolder(HOSTILE))
  await writeFile(inFolder(HOSTILE, 'good.csv'), good)
  await writeFile(inFolder(`${HOSTILE}.csv`), good)
  const bad = [`a,A,11,x,${QUOTED},127`, `${QUOTED},B,11,x,37.6,${QUOTED}`, 'c,C,11,x,1,2']
  await writeFile(inFolder('bad.csv'), csv(...bad))
  await writeFile(inFolder('header.csv'), `${QUOTED},${QUOTED}y\n1,2\n`)
  const places = { ...DATASET, name: HOSTILE }
  const manifest = (name: string, content: unknown) => writeFile(inFolder(`${name}.json`), JSON.stringify(content))
  await manifest('places', { dataset: places, items: `${HOSTILE}.csv` })
  await manifest('bad', { dataset: places, items: 'bad.csv' })
  await manifest('header', { dataset: places, items: 'header.csv' })
  await manifest('member', { dataset: { ...places, [HOSTILE]: HOSTILE, status: HOSTILE }, items: [{ file: HOSTILE }] })
  await writeFile(inFolder('broken.json'), `{ "${HOSTILE}`)
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
  ['datasets reset-changes', 'evil'],
  ['mirror', 'HOSTILE'],
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

const fill = (text: string) => text.replaceAll('FOLDER', inFolder()).replaceAll('HOSTILE', HOSTILE)

/** Line breaks are allowed. */
const CONTROL = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u

/** Expects that each line is one of ours, and that no character in it controls the terminal. */
function expectHarmless(printed: string): void {
  expect(printed).not.toMatch(CONTROL)
  expect(printed).not.toMatch(/^\s*FORGED/m)
}

describe('What others wrote stays harmless on the terminal of', () => {
  test.each(RUNS)('catalog %s', async (command, ...args) => {
    const { stdout, stderr } = await runCommand(db.env, ...command.split(' ').map(fill), ...args.map(fill))
    expect(stdout + stderr).not.toBe('')
    expectHarmless(stdout)
    expectHarmless(stderr)
  })

  test('every command', async () => {
    const commands = new Set(RUNS.map(([command]) => command))
    const missing = (await listCommands()).filter((name) => !commands.has(name))
    expect(missing, 'add a run to RUNS of test/cli/hostile-text.test.ts').toEqual(['serve'])
  })
})

test('What others wrote is shown, with its control characters escaped', async () => {
  const { stdout } = await runCommand(db.env, 'datasets', 'show', 'evil')
  expect(stdout.split('\n')[2]).toBe(`name          ${ESCAPED}`)
})

test('a command that names a hostile tier works in a shell as it is printed', async () => {
  const { id } = await createKey(db.database.prisma, { name: 'to allow' })
  const { stdout } = await runCommand(db.env, 'access', 'explain', id, 'evil')
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
