import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { useFolder } from '../support/folder.ts'
import { CHECKOUT, runCatalog } from '../support/process.ts'

/* What the program prints without a database. */

const inFolder = useFolder()

describe('The command line', () => {
  test.each([
    [],
    ['serve'],
    ['migrate'],
    ['import'],
    ['export'],
    ['import', 'init'],
    ['datasets'],
    ['datasets', 'list'],
    ['datasets', 'show'],
    ['datasets', 'update'],
    ['datasets', 'remove'],
    ['datasets', 'restore'],
    ['history'],
    ['history', 'show'],
    ['undo'],
    ['backup'],
    ['restore'],
    ['access'],
    ['access', 'explain'],
    ['access', 'list'],
    ['doctor'],
    ['keys'],
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'show'],
    ['keys', 'update'],
    ['keys', 'usage'],
    ['keys', 'rotate'],
    ['keys', 'revoke'],
    ['keys', 'grant'],
    ['keys', 'ungrant'],
  ])('catalog %s %s --help shows the usage with an example', async (...command) => {
    const { code, stdout, stderr } = await runCommand({}, ...command, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: ${['catalog', ...command].join(' ')}`)
    expect(stdout).toMatch(/\nExample:\n {2}.*npx catalog \w+.*\n/)
  })

  test.each<[string[], Record<string, string>, RegExp]>([
    [['serf'], {}, /^catalog: unknown command 'serf'.*\n$/],
    [['xyzzy'], {}, /^catalog: unknown command 'xyzzy'\n$/],
    [['imprt'], {}, /^catalog: unknown command 'imprt' \(Did you mean import\?\)\n$/],
    [['datasets', 'shwo'], {}, /^catalog: unknown command 'shwo'; the commands are list, show, .*\n$/],
    [
      ['datasets', 'x'],
      {},
      /^catalog: unknown command 'x'; the commands are list, show, update, remove, restore, reset-changes\n$/,
    ],
    [['keys', 'x'], {}, /^catalog: unknown command 'x'\n$/],
    [['--verbose'], {}, /^catalog: unknown option '--verbose'\n$/],
    [['import'], {}, /^catalog: missing required argument 'manifest'\n$/],
    [['serve'], { PORT: 'abc' }, /^catalog: PORT must be a whole number from 0 to 65535\n$/],
    [['keys', 'list'], { DATABASE_URL: 'mysql://host/db' }, /^catalog: DATABASE_URL must be .*\n$/],
    [['migrate'], { PORT: 'abc', SAMPLE_DATA: 'maybe' }, /^catalog: PORT must .*\nSAMPLE_DATA must .*\n$/],
    [['migrate'], { DATABASE_URL: 'postgresql://u@127.0.0.1:1/x' }, /^catalog: The database can't be reached: .*\n$/],
    [
      ['migrate'],
      { DATA_DIR: '/dev/null/x', PGHOST: 'db' },
      /^Without DATABASE_URL the embedded database is used, whatever PGHOST may say\ncatalog: DATA_DIR .*\n$/,
    ],
    [['migrate'], { DATA_DIR: '/dev/null/x' }, /^catalog: DATA_DIR \/dev\/null\/x can't be used: .*\n$/],
  ])('catalog %j with %j fails with one line for each mistake', async (command, env, stderr) => {
    const result = await runCommand(env, ...command)
    expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) })
  })
})

test('no command but serve, migrate and import creates a database', async () => {
  const DATA_DIR = inFolder('none')
  const stderr = `catalog: There is no database in ${DATA_DIR}. If the gateway has another folder, set DATA_DIR to it; npx catalog serve creates a database\n`
  for (const command of [
    'datasets',
    'datasets show x',
    'datasets update x --name y',
    'datasets remove --samples',
    'datasets restore x',
    'history',
    'history show 1',
    'undo x',
    'keys list',
    'keys show x',
    'keys usage',
    'keys create --name x',
    'keys update x --name y',
    'keys rotate x',
    'keys revoke x',
    'keys grant x --dataset y',
    'keys ungrant x --dataset y',
    'access list x',
    'access explain x y',
    'export x --format csv',
    `export --all ${inFolder('exported')}`,
    `backup ${inFolder('backup')}`,
  ]) {
    const { code, stderr: printed } = await runCommand({ DATA_DIR }, ...command.split(' '))
    expect([command, code, printed]).toEqual([command, 1, stderr])
  }
  const doctor = await runCommand({ DATA_DIR }, 'doctor')
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('does not exist yet')])
  expect(existsSync(DATA_DIR)).toBe(false)
})

test('catalog --version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8'))
  expect(await runCommand({}, '--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

describe('catalog completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await runCatalog({}, 'completion', shell)
    expect([code, stdout]).toEqual([0, expect.stringContaining('catalog')])
  })

  // The last one has no database, so it offers no names, and no error.
  test.each([
    [['keys', 'gr'], ['grant']],
    [['keys', 'create', '--d'], ['--dataset']],
    [['d'], ['datasets', 'doctor']],
    [['keys', 'show', 'a'], []],
  ])('completes %o', async (words, completions) => {
    const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/x' }
    const { code, stdout, stderr } = await runCatalog(env, 'complete', '--', ...words)
    const offered = stdout.split('\n').filter((line) => line.includes('\t'))
    expect([code, stderr, offered.map((line) => line.split('\t')[0])]).toEqual([0, '', completions])
  })
})
