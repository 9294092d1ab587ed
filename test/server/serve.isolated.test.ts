import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmpty } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { CHECKOUT, environment, type Gateway, runCatalog, runShell, startGateway } from '../support/process.ts'
import { openSocket } from '../support/raw.ts'
import { requestText } from '../support/unread.ts'

const path = useFolder()
let env: Record<string, string>
let drop: () => Promise<void>
let gateway: Gateway
beforeAll(async () => {
  ;({ env, drop } = await createEmpty())
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'true' })
})
afterAll(async () => {
  await gateway.stop()
  await drop()
})

test('a first start prints the address, GraphiQL, a sample key and three curl lines that work as printed', async () => {
  expect(gateway.printed).toContain(`GraphiQL at ${gateway.url}/graphql`)
  expect(gateway.printed).toMatch(/\nSample key, shown this once: dck_[\w-]{43}\n$/)
  const lines = gateway.printed.split('\n').filter((line) => line.startsWith('  curl '))
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    const { code, stdout } = await runShell({}, `${line} --silent --show-error --fail-with-body`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveProperty('data')
  }
})

test('a first start says what it does, and links to the explorer with the key where no server sees it', async () => {
  const key = /dck_[\w-]+/.exec(gateway.printed)?.[0]
  expect(gateway.printed).toContain('Loading the sample datasets ...\n')
  expect(gateway.printed).toContain(`Explore the sample: ${gateway.url}/#key=${key}\n`)
  expect(gateway.printed).toContain('Visitors need a key, unless PUBLIC_KEY names one')
  expect(gateway.printed).toContain('With streets: BASE_MAP=openfreemap npx catalog serve')
  const third = gateway.printed.split('\n').filter((line) => line.startsWith('  curl '))[2] ?? ''
  const { item } = JSON.parse((await runShell({}, `${third} --silent`)).stdout).data
  expect(item.parent.name).toBe('Gyeongbokgung Palace')
  const picture = await fetch(item.images[0].originalUrl)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

test('npm start passes SIGTERM on, and ends with the gateway', async () => {
  const { env: own, drop: dropOwn } = await createEmpty()
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: CHECKOUT,
    env: environment({ ...own, SAMPLE_DATA: 'false', PORT: '0' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  for await (const text of npm.stdout.setEncoding('utf8')) {
    printed += text
    if (printed.includes('keys create')) break
  }
  const [, url = ''] = /Dataset Catalog at (\S+)/.exec(printed) ?? []
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const ended = once(npm, 'exit')
  npm.kill('SIGTERM')
  await ended
  const responds = () =>
    fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    )
  await expect.poll(responds).toBe(false)
  await dropOwn()
})

test('the sample data has every visibility, and the sample key may not access the draft', async () => {
  const key = /dck_[\w-]+/.exec(gateway.printed)?.[0] ?? ''
  const get = (path: string) => fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  const { data } = await (await get('/v1/datasets')).json()
  expect(data.map((dataset: { slug: string; visibility: string }) => [dataset.slug, dataset.visibility])).toEqual([
    ['seoul-landmarks', 'public'],
    ['seoul-markets', 'paid'],
    ['world-airports', 'public'],
  ])
  expect((await get('/v1/datasets/korea-heritage')).status).toBe(403)
  expect((await get('/v1/datasets/seoul-parks-draft')).status).toBe(403)
  expect(
    (await (await get('/v1/dataset-items/nearby?latitude=-16.69&longitude=179.99&radius=50000')).json()).data[0].name,
  ).toBe('Matei Airport')
})

/** Makes a process believe that it has a terminal. */
const TERMINAL = '--import=data:text/javascript,process.stdin.isTTY=process.stderr.isTTY=true'

test('the first start at a terminal prints a link that opens the sample, and its pages have no key', async () => {
  const first = await startGateway({ DATA_DIR: path('new'), NODE_OPTIONS: TERMINAL })
  let logged = ''
  first.child.stderr?.on('data', (data) => {
    logged += data
  })
  const link = /Explore the sample: (\S+)/.exec(first.printed)?.[1] ?? ''
  expect(link).toMatch(new RegExp(`^${first.url}/#key=dck_`))
  for (const page of ['/', '/ogc/collections']) {
    const body = await (await fetch(first.url + page, { headers: { accept: 'text/html' } })).text()
    expect(body).toContain('page-data')
    expect(body).not.toContain('publicKey')
  }
  const headers = { authorization: `Bearer ${link.split('#key=')[1]}` }
  expect((await fetch(`${first.url}/v1/datasets/seoul-landmarks`, { headers })).status).toBe(200)
  const terminal = { DATA_DIR: path('new'), NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' }
  const created = await runCatalog(terminal, 'keys', 'create', '--name', 'new')
  expect(created.stdout).toMatch(`Explore with the new key: ${first.url}/#key=dck_`)
  expect(await first.stop()).toBe(0)
  expect(logged).toBe('')
  const stopped = await runCatalog(terminal, 'keys', 'create', '--name', 'newer')
  expect(stopped.stdout).toMatch('Explore with the new key: https://GATEWAY/#key=dck_')
})

test('at a terminal the line of a request is short, and elsewhere JSON', async () => {
  const lines: string[] = []
  for (const NODE_OPTIONS of [TERMINAL, '']) {
    const running = await startGateway({ DATA_DIR: path('new'), NODE_OPTIONS, LOG_LEVEL: 'info' })
    running.child.stderr?.on('data', (data) => lines.push(...String(data).trim().split('\n')))
    await (await fetch(`${running.url}/v1/datasets`)).text()
    expect(await running.stop()).toBe(0)
  }
  const [short = '', long = ''] = lines.filter((line) => line.includes('/v1/datasets'))
  expect(stripVTControlCharacters(short)).toMatch(
    /^\[[\d:.]+\] INFO: GET \/v1\/datasets 401 in [\d.]+ ms( \{"requestId":"[^"]+"\})?$/,
  )
  expect(JSON.parse(long)).toMatchObject({ level: 'info', route: '/v1/datasets', status: 401, msg: 'request' })
})

test('a second start loads nothing and prints no key', async () => {
  const other = env.DATA_DIR === undefined ? gateway : undefined
  if (!other) expect(await gateway.stop()).toBe(0)
  const second = await startGateway({ ...env, SAMPLE_DATA: 'true' })
  expect(second.printed).not.toContain('dck_')
  expect(second.printed).toContain('npx catalog keys create')
  expect(await second.stop()).toBe(0)
})

test('a port that is in use gives one line, with another port', async () => {
  const { env: own, drop: dropOwn } = await createEmpty()
  const first = await startGateway({ ...own, SAMPLE_DATA: 'false' })
  const { env: others, drop: dropOthers } = await createEmpty()
  const port = Number(new URL(first.url).port)
  const { code, stderr } = await runCatalog({ ...others, PORT: String(port) }, 'serve')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^catalog: PORT \d+ is in use by another program; [^\n]*\n$/)
  expect(stderr).toContain(`; choose another port, for example PORT=${port < 65_535 ? port + 1 : 4_000}\n`)
  await first.stop()
  await dropOwn()
  await dropOthers()
})

test('variables of psql without DATABASE_URL leave a line in the log', async () => {
  const { stderr } = await runCatalog({ DATA_DIR: '/dev/null/x', PGHOST: 'db' }, 'serve')
  expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: 'Without DATABASE_URL the embedded database is used, whatever PGHOST may say',
  })
})

/** Stops a gateway before it has received the body of a request. `bodyAfterMs` is the time from the stop to the body. */
async function stopBeforeBody() {
  const { env: own, drop: dropOwn } = await createEmpty()
  // The body of the request may arrive late on a busy machine.
  const running = await startGateway({ ...own, SAMPLE_DATA: 'false', RECEIVE_TIMEOUT_MS: '600000' })
  const { stdout } = await runCatalog(own, 'keys', 'create', '--json', '--name', 'x')
  const body = JSON.stringify({ query: '{ datasets { total } }' })
  const socket = await openSocket(running.url)
  const head = requestText(JSON.parse(stdout).key, '/graphql', body).slice(0, -body.length - 2)
  socket.write(`${head}Expect: 100-continue\r\n\r\n`)
  let response = ''
  socket.on('data', (data) => {
    response += data
  })
  const closed = once(socket, 'close')
  // The request is in flight when the server asks for its body.
  await expect.poll(() => response).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n$/)
  response = ''
  const stopped = running.stop()
  const stoppedAt = performance.now()
  const isReady = async () => (await fetch(`${running.url}/readyz`).catch(() => undefined))?.ok ?? false
  await expect.poll(isReady).toBe(false)
  const bodyAfterMs = performance.now() - stoppedAt
  socket.write(body)
  const code = await stopped
  // The last bytes may arrive after the process has ended.
  await closed
  await dropOwn()
  return { code, response, bodyAfterMs }
}

test('SIGTERM finishes the request in flight, and the process exits with 0', async () => {
  let stopped = await stopBeforeBody()
  // The gateway waits ten seconds for the body. On a busy machine, this process may send it too late.
  while (stopped.bodyAfterMs > 5_000) stopped = await stopBeforeBody()
  expect(stopped.code).toBe(0)
  expect(stopped.response).toMatch(/^HTTP\/1.1 200 OK/)
  expect(stopped.response).toContain('{"data":{"datasets":{"total":0}}}')
})
