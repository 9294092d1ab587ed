import { once } from 'node:events'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { seedCatalog } from '../support/catalog.ts'
import { ask } from '../support/connections.ts'
import { useDatabase } from '../support/database.ts'
import { CHECKOUT, environment, startGateway, startProcess } from '../support/process.ts'
import { openSocket } from '../support/raw.ts'
import { requestText } from '../support/unread.ts'
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
  let key: string
  beforeAll(async () => {
    await seedCatalog(db.database.prisma)
    ;({ key } = await createKey(db.database.prisma, { name: 'workers' }))
  })

  test('finish their requests after SIGTERM, while /readyz says 503; then all processes end', async () => {
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
    for (const { text } of requests) expect(text()).toContain('{"data":{"datasets":{"total":2}}}')
    expect(workers.filter(isRunning)).toEqual([])
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
