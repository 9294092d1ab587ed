import { once } from 'node:events'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { seedCatalog } from '../support/catalog.ts'
import { ask } from '../support/connections.ts'
import { useDatabase } from '../support/database.ts'
import { addLarge } from '../support/large.ts'
import { CHECKOUT, environment, startGateway, startProcess } from '../support/process.ts'
import { openProxy } from '../support/proxy.ts'
import { openSocket } from '../support/raw.ts'
import { requestText, sendUnread } from '../support/unread.ts'
import { isRunning, times, WORKERS, workersEnv, workersOf } from '../support/workers.ts'

/** Kills a process that may already have ended. */
const killRunning = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

describe.runIf(inject('template').kind === 'postgres')('Several workers', () => {
  const db = useDatabase()
  const newKey = async () => (await createKey(db.database.prisma, { name: 'workers' })).key
  let key: string
  beforeAll(async () => {
    await seedCatalog(db.database.prisma)
    key = await newKey()
    await addLarge(
      db.database.prisma,
      'large',
      3_000,
      "(SELECT string_agg(md5(n || '/' || k), '') FROM generate_series(1, 625) AS k)",
    )
  })

  test.concurrent('finish their requests after SIGTERM, while /readyz says 503; then all processes end', async ({
    expect,
  }) => {
    // On a busy machine, a process may stop for ten seconds.
    const stopping = await startGateway({ ...workersEnv(db), SHUTDOWN_DELAY_MS: '12000', RECEIVE_TIMEOUT_MS: '60000' })
    const workers = workersOf(stopping)
    const body = JSON.stringify({ query: '{ datasets { total } }' })
    const requests = await Promise.all(
      times(2 * WORKERS, async () => {
        const socket = await openSocket(stopping.url)
        let text = ''
        socket.on('data', (data) => {
          text += data
        })
        const head = requestText(key, '/graphql', body).slice(0, -body.length - 2)
        socket.write(`${head}Expect: 100-continue\r\n\r\n`)
        // The worker has begun the request once it asks for the body.
        await expect.poll(() => text).toContain('100 Continue')
        return { socket, text: () => text, closed: once(socket, 'close') }
      }),
    )
    const ended = stopping.stop()
    await expect.poll(async () => (await ask(`${stopping.url}/readyz`)).status).toBe(503)
    for (const { socket } of requests) socket.write(body)
    expect(await ended).toBe(0)
    await Promise.all(requests.map(({ closed }) => closed))
    for (const { text } of requests) expect(text()).toContain('{"data":{"datasets":{"total":3}}}')
    expect(workers.filter(isRunning)).toEqual([])
  })

  test.concurrent('cut off slow readers of an export, and end by themselves without a line in the log', async () => {
    const stopping = await startGateway({ ...workersEnv(db), WORKERS: '2' })
    let log = ''
    stopping.child.stderr?.on('data', (text) => {
      log += text
    })
    const readers = await Promise.all(
      times(2, async () => {
        const reader = await sendUnread({ url: stopping.url, key: await newKey() }, '/exports/large.ndjson')
        await once(reader, 'readable')
        return reader
      }),
    )
    expect([await stopping.stop(), log]).toEqual([0, ''])
    for (const reader of readers) reader.destroy()
  })

  // Sockets to a silent server never close by themselves.
  test.concurrent('a gateway without workers whose database is silent ends by itself too', async () => {
    const proxy = await openProxy(db.env.DATABASE_URL ?? '')
    const stopping = await startGateway({ ...workersEnv(db), DATABASE_URL: proxy.url, WORKERS: '1' })
    expect((await ask(`${stopping.url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
    proxy.silence()
    expect(await stopping.stop()).toBe(0)
    await proxy.close()
  })

  test('end when their primary process is killed', async () => {
    const killed = await startGateway(workersEnv(db))
    const workers = workersOf(killed)
    expect(workers).toHaveLength(WORKERS)
    killed.child.kill('SIGKILL')
    await expect.poll(() => workers.filter(isRunning)).toEqual([])
  })

  test('that end again and again before they are ready end the gateway with one line', async () => {
    const child = startProcess(process.execPath, [`${CHECKOUT}src/cli.ts`, 'serve'], {
      env: environment({ ...workersEnv(db), PORT: '0', NODE_NO_WARNINGS: '1', LOG_LEVEL: 'error' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    // After 'exit', the last lines may still arrive.
    const ended = once(child, 'close')
    const killing = setInterval(() => {
      for (const pid of workersOf({ child })) if (isRunning(pid)) killRunning(pid)
    }, 10)
    const [code] = await ended
    clearInterval(killing)
    expect([code, errors]).toEqual([1, 'catalog: 5 workers in a row ended before they were ready (SIGKILL)\n'])
  })
})
