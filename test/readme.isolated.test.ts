import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, WIDE } from './support/browser.ts'
import { createEmpty } from './support/database.ts'
import { blocksIn, comparable } from './support/documentation.ts'
import { useFolder } from './support/folder.ts'
import { CHECKOUT, environment, type Gateway, runProcess, runShell, startGateway } from './support/process.ts'

/*
 * Runs the commands and programs of the README and of docs/ as they stand, page by page, against one gateway. Only what differs
 * from machine to machine is replaced: the key, the port, the folder /tmp and the address of PostgreSQL. A block of shell
 * commands has the language `sh`; a block that can't run here (Docker, an editor) has the language `console`.
 */

const blocks = blocksIn('sh')
const onPostgres = blocks.filter(({ block }) => block.includes('DATABASE_URL'))
const onGateway = blocks.filter(({ block }) => !block.includes('DATABASE_URL'))

let env: Record<string, string>
let drop: () => Promise<void>
let gateway: Gateway
const inFolder = useFolder()
beforeAll(async () => {
  ;({ env, drop } = await createEmpty())
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'true' })
})
afterAll(async () => {
  await gateway.stop()
  await drop()
})

const key = () => /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? ''
const localise = (script: string) =>
  script
    .replaceAll('dck_...', key())
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('/tmp/', `${inFolder()}/`)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')
    // As npx runs it, but without the second that npx takes to find it.
    .replaceAll('npx dataset-catalog ', './src/cli.ts ')

const { TEST_DATABASE_URL } = process.env
describe.skipIf(TEST_DATABASE_URL)('on the embedded database', () => {
  test.each(onGateway)('$page: $title …', async ({ block, output }) => {
    const { code, stdout, stderr } = await runShell({ ...env, KEY: key() }, localise(block))
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
    expect(stdout).not.toContain('"error')
    if (output !== undefined) expect(comparable(stdout)).toEqual(comparable(output))
  })

  test.skipIf(!hasBrowser)(
    "the README's link shows the imported dataset in a tab that has the sample key",
    async () => {
      const [link = ''] =
        /http:\/\/127\.0\.0\.1:4000\/\?dataset=busan#key=dck_\.\.\./.exec(
          readFileSync(`${CHECKOUT}README.md`, 'utf8'),
        ) ?? []
      const command = './src/cli.ts keys create --name browser --dataset busan --json'
      const created = JSON.parse((await runShell(env, command)).stdout)
      const { browser, page } = await openBrowser(gateway.url, WIDE)
      await page.goto(`${gateway.url}/#key=${key()}`)
      const card = (name: string) => page.locator('.card').filter({ hasText: name })
      await card('Seoul Markets').waitFor()
      expect(await card('Busan').count()).toBe(0)
      await page.goto(link.replace('dck_...', created.key).replace('http://127.0.0.1:4000', gateway.url))
      await page.getByRole('heading', { name: 'Busan', level: 1 }).waitFor()
      expect(await page.locator('#total').textContent()).toContain('2 places')
      expect(await page.locator('.places li').count()).toBe(2)
      await browser.close()
    },
  )

  test('npx finds the command', async () => {
    const { code, stdout } = await runShell(env, 'npx dataset-catalog --help')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: catalog')])
  })

  const run = (program: string, ...args: string[]) => runProcess(program, args, { ...process.env, KEY: key() })

  /** `npm run client` writes it, and CI runs that. Without it, programs that need it are skipped. */
  const hasClientTypes = process.env.CI !== undefined || existsSync(`${CHECKOUT}test/clients/openapi.d.ts`)
  const programs = blocksIn('ts').filter(({ block }) => hasClientTypes || !block.includes('openapi.d.ts'))
  test.each(programs.map(({ page, block }, n) => [page, n, block]))(
    '%s: the TypeScript program %i compiles and runs',
    async (_, n, program) => {
      // Beside the packages and the types of the OpenAPI document.
      const file = `${CHECKOUT}test/clients/readme-${n}.ts`
      await writeFile(file, localise(String(program)))
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
  test.skipIf(!hasPython).each(blocksIn('python'))('$page: the Python program reads every page', async ({ block }) => {
    const { code, stdout, stderr } = await run('python3', '-c', localise(block))
    expect([code, stderr]).toEqual([0, ''])
    const list = await fetch(`${gateway.url}/v1/datasets/seoul-landmarks/items`, {
      headers: { authorization: `Bearer ${key()}` },
    })
    expect(stdout.trim().split('\n')).toHaveLength((await list.json()).meta.total)
  })
})

describe.skipIf(!TEST_DATABASE_URL)('on your own PostgreSQL', () => {
  let own: Awaited<ReturnType<typeof createEmpty>>
  beforeAll(async () => {
    own = await createEmpty()
  })
  afterAll(() => own.drop())

  test('the gateway starts and serves', async () => {
    const { block = '' } = onPostgres.find((each) => each.block.includes('npm start')) ?? {}
    const script = block.replace('postgresql://catalog@localhost:5432/catalog', own.env.DATABASE_URL ?? '')
    const child = spawn('bash', ['-euc', script], {
      cwd: CHECKOUT,
      env: environment({ PORT: '0' }),
      detached: true,
    })
    let printed = ''
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)))
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
  })

  const others = onPostgres.filter(({ block }) => !block.includes('npm start'))
  test.each(others)('$page: $title …', async ({ block }) => {
    const { code, stdout, stderr } = await runShell(own.env, localise(block))
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain('FAIL')
  })
})
