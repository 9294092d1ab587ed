import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { CHECKOUT, runCatalog } from '../support/process.ts'

/* What the program prints without a database. */

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
    [['datasets', 'x'], {}, /^catalog: unknown command 'x'; the commands are list, show, update, remove, restore\n$/],
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
