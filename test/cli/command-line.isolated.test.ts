import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHECKOUT, runCatalog, runProcess } from '../support/process.ts'
import { LIMITS_ENV } from '../support/template.ts'

/*
 * Commands that use no database, or create the embedded one.
 */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-cli-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

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
    const { code, stdout, stderr } = await runCatalog({}, ...command, '--help')
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
    [['migrate'], { DATA_DIR: '/dev/null/x' }, /^catalog: DATA_DIR \/dev\/null\/x can't be used: .*\n$/],
  ])('catalog %j with %j fails with one line for each mistake', async (command, env, stderr) => {
    const result = await runCatalog(env, ...command)
    expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) })
  })

  test('npx finds the command in the checkout without a network, and generates no files again', async () => {
    const generated = join(CHECKOUT, 'src/generated/pothos.ts')
    const before = statSync(generated).mtimeMs
    const env = { ...process.env, npm_config_cache: join(folder, 'npm'), npm_config_offline: 'true' }
    const { code, stdout } = await runProcess('npx', ['catalog', 'keys', '--help'], env)
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: catalog keys')
    expect(statSync(generated).mtimeMs).toBe(before)
  })
})

test('catalog --version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8'))
  expect(await runCatalog({}, '--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('a command creates the embedded database in a new folder', async () => {
  const result = await runCatalog({ DATA_DIR: join(folder, 'first'), ...LIMITS_ENV }, 'datasets')
  expect(result).toEqual({
    code: 0,
    stdout: 'There are no datasets. Import one: npx catalog import MANIFEST\n',
    stderr: '',
  })
})

test('catalog migrate makes a new embedded database, which has all migrations from the start', async () => {
  const env = { DATA_DIR: join(folder, 'fresh'), ...LIMITS_ENV }
  const first = await runCatalog(env, 'migrate', '--json')
  expect(first).toEqual({ code: 0, stdout: '{"applied":[]}\n', stderr: '' })
  expect(await runCatalog(env, 'datasets', 'list', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
})
