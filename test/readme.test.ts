import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmpty } from './support/database.ts'
import { CHECKOUT, type Gateway, runProcess, runShell, startGateway } from './support/process.ts'

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

const key = () => /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? ''
const here = (script: string) =>
  script
    .replaceAll('dck_...', key())
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')

test('the README has the blocks of commands that are run here', () => {
  expect(blocks).toHaveLength(5)
})

const onOneServer = blocks.filter((block) => !block.includes('DATABASE_URL'))
test.each(onOneServer.map((block) => [block.split('\n')[0], block]))('%s …', async (_first, block) => {
  const { code, stdout, stderr } = await runShell({ ...env, KEY: key() }, here(block ?? ''))
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  expect(stdout).not.toBe('')
  expect(stdout).not.toContain('"error')
})

const programsIn = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, program = '']) => program)
const run = (program: string, ...args: string[]) => runProcess(program, args, { ...process.env, KEY: key() })

test.each(programsIn('ts').map((program, n) => [n, program]))(
  'the TypeScript program %i compiles, and runs',
  async (n, program) => {
    // Where it finds the packages, and the types of the document.
    const file = `${CHECKOUT}test/clients/readme-${n}.ts`
    await writeFile(file, here(String(program)))
    try {
      const options = '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node'
      const compiled = await run('tsc', ...options.split(' '), '--allowImportingTsExtensions', file)
      expect([compiled.code, compiled.stdout]).toEqual([0, ''])
      const { code, stdout, stderr } = await run('node', '--disable-warning=ExperimentalWarning', file)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/Gyeongbokgung|"name":/)
    } finally {
      await rm(file)
    }
  },
)

const hasPython = spawnSync('python3', ['--version']).status === 0
test.skipIf(!hasPython)('the Python program reads every page', async () => {
  const [program = ''] = programsIn('python')
  const { code, stdout, stderr } = await run('python3', '-c', here(program))
  expect([code, stderr]).toEqual([0, ''])
  const list = await fetch(`${gateway.url}/v1/datasets/seoul-landmarks/items`, {
    headers: { authorization: `Bearer ${key()}` },
  })
  expect(stdout.trim().split('\n')).toHaveLength((await list.json()).meta.total)
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
  const ownKey = /dck_[\w-]+/.exec(printed)?.[0]
  const url = /Dataset Catalog at (\S+)/.exec(printed)?.[1]
  expect((await fetch(`${url}/v1/datasets`, { headers: { authorization: `Bearer ${ownKey}` } })).status).toBe(200)
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
