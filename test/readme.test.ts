import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmpty } from './support/database.ts'
import { CHECKOUT, type Gateway, runShell, startGateway } from './support/process.ts'

/*
 * Runs the README's commands as they stand, in their order, but for what differs from machine to machine: the key, the port,
 * the folder /tmp and the address of one's own PostgreSQL.
 */

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script = '']) => script)

let env: Record<string, string>
let drop: () => Promise<void>
let gateway: Gateway
let folder: string
beforeAll(async () => {
  ;({ env, drop } = await createEmpty())
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'catalog-readme-'))
})
afterAll(async () => {
  await gateway.stop()
  await drop()
  await rm(folder, { recursive: true })
})

const here = (script: string) =>
  script
    .replaceAll('dck_...', /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? '')
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')

test('the README has the blocks of commands that are run here', () => {
  expect(blocks).toHaveLength(4)
})

const onOneServer = blocks.filter((block) => !block.includes('DATABASE_URL'))
test.each(onOneServer.map((block) => [block.split('\n')[0], block]))('%s …', async (_first, block) => {
  const { code, stdout, stderr } = await runShell(env, here(block ?? ''))
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  expect(stdout).not.toBe('')
  expect(stdout).not.toContain('"error')
})

const { TEST_DATABASE_URL } = process.env
test.skipIf(!TEST_DATABASE_URL)('the block on one’s own PostgreSQL', async () => {
  const own = await createEmpty()
  const block = blocks.find((each) => each.includes('DATABASE_URL')) ?? ''
  const script = block.replace('postgresql://catalog@localhost:5432/catalog', own.env.DATABASE_URL ?? '')
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('bash', ['-euc', script], {
    cwd: CHECKOUT,
    env: { PATH: `${CHECKOUT}node_modules/.bin:${PATH}`, HOME, PORT: '0' },
    detached: true,
  })
  let printed = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      printed += data
      if (printed.includes('Dataset Catalog at')) resolve()
    })
  })
  const key = /dck_[\w-]+/.exec(printed)?.[0]
  const url = /Dataset Catalog at (\S+)/.exec(printed)?.[1]
  expect((await fetch(`${url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  const exited = once(child, 'exit')
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await exited
  await own.drop()
})

test('the two commands are those of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(readme).toContain('npm ci && npm start')
  expect(readme).toContain('npm ci && npm test')
  expect(scripts).toMatchObject({
    start: expect.any(String),
    test: expect.any(String),
    schema: expect.any(String),
    fix: expect.any(String),
  })
})

test('the table of settings has every setting', () => {
  const config = readFileSync(new URL('../src/config.ts', import.meta.url), 'utf8')
  for (const [, name] of config.matchAll(/^ {4}([A-Z_]+):/gm)) expect(readme).toContain(`\`${name}\``)
})
