import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { seedCatalog } from '../support/catalog.ts'
import { ask, oneConnection } from '../support/connections.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { type Gateway, startGateway } from '../support/process.ts'
import { openSocket, readAll } from '../support/raw.ts'
import { times, WORKERS, workersEnv, workersOf } from '../support/workers.ts'

/*
 * Several worker processes serve one port, and together they keep what one process promises. The requests come over connections of
 * their own, so that they reach all workers.
 */

/** How often a worker is killed under load. */
const KILLS = Number(process.env.KILLS ?? 3)
/** A worker takes some seconds to start on a busy machine. */
const KILL_TIMEOUT = 60_000 * (10 + KILLS)

interface LogLine {
  pid: number
  requestId?: string
}

/** The lines of JSON that a gateway logs, as they arrive. */
function logOf({ child }: Gateway): LogLine[] {
  const lines: LogLine[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part.startsWith('{')) lines.push(JSON.parse(part))
  })
  return lines
}

const countOf = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length

describe.runIf(inject('template').kind === 'postgres')('Several workers', () => {
  let db: TestDatabase
  let gateway: Gateway
  let logged: LogLine[]
  let key: string
  const settings = (more: Record<string, string>) => ({
    ...workersEnv(db),
    // Names the gateway's connections in pg_stat_activity.
    DATABASE_URL: `${db.env.DATABASE_URL}?application_name=gateway-with-workers`,
    LOG_LEVEL: 'info',
    ...more,
  })
  const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
  const datasets = async (secret = key, url = gateway.url) => (await ask(`${url}/v1/datasets`, bearer(secret))).status
  /** The workers that have served a request, oldest first. */
  const serving = async () => {
    await Promise.all(times(2 * WORKERS, () => datasets()))
    const pids = new Set(logged.map(({ pid }) => pid))
    return workersOf(gateway).filter((pid) => pids.has(pid))
  }
  /** Waits until each worker, also a new one, serves requests. */
  const allServe = () => expect.poll(serving).toHaveLength(WORKERS)
  const isServed = (url: string) => expect.poll(() => datasets(key, url)).toBe(200)

  beforeAll(async () => {
    db = await createDatabase()
    await seedCatalog(db.database.prisma)
    ;({ key } = await createKey(db.database.prisma, { name: 'workers' }))
    gateway = await startGateway(settings({ METRICS_PORT: '0', MAX_REFUSALS_PER_MINUTE: '5' }))
    logged = logOf(gateway)
  })
  afterAll(async () => {
    await gateway.stop()
    await db.close()
  })

  test('share the connections, the log names the process, and one start-up banner is printed', async () => {
    await allServe()
    for (const line of [/Dataset Catalog at/g, /Metrics at/g]) expect(gateway.printed.match(line)).toHaveLength(1)
  })

  test('count the requests of a key together, exactly', async () => {
    const { key: limited } = await createKey(db.database.prisma, { name: 'limited', requestsPerMinute: 10 })
    const statuses = await Promise.all(times(30, () => datasets(limited)))
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([10, 20])
  })

  test('count the refusals of an address together, exactly', async () => {
    const statuses = await Promise.all(times(15, () => datasets('dck_unknown')))
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([5, 10])
  })

  test('know a document that a client registered with one of them', async () => {
    const query = '{ datasets { total nodes { slug } } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } }
    const send = (params: object) => ask(`${gateway.url}/graphql`, { ...bearer(key), body: JSON.stringify(params) })
    expect((await send({ query, extensions })).body).toContain('"total":2')
    const answers = await Promise.all(times(2 * WORKERS, () => send({ extensions })))
    expect(answers.map(({ status, body }) => [status, body.includes('"total":2')])).toEqual(
      times(2 * WORKERS, () => [200, true]),
    )
  })

  test('show a change within a second, each of them', async () => {
    const read = () => ask(`${gateway.url}/v1/datasets/seoul`, bearer(key))
    await Promise.all(times(2 * WORKERS, read))
    for (const description of ['Changed once', 'Changed twice']) {
      await db.database.prisma.dataset.update({ where: { slug: 'seoul' }, data: { description } })
      await expectWithinASecond(
        () => Promise.all(times(2 * WORKERS, read)),
        (answers) => expect(answers.every(({ body }) => body.includes(description))).toBe(true),
      )
    }
  })

  test('open no more connections to PostgreSQL for requests than one process', async () => {
    const point = (n: number) => `latitude=${n}&longitude=1&radius=50000`
    await Promise.all(times(60, (n) => ask(`${gateway.url}/v1/dataset-items/nearby?${point(n)}`, bearer(key))))
    const [row] = await db.database.prisma.$queryRaw<{ n: number }[]>`
      SELECT count(*)::integer AS n FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'gateway-with-workers'`
    // The pool of six, one in each worker for what takes no turn, the change feed, and the connection that has migrated the database.
    expect(row?.n).toBeLessThanOrEqual(6 + WORKERS + 2)
  })

  test('add up their metrics, and keep the counts of a worker that has ended', async () => {
    const metricsUrl = /Metrics at (\S+)/.exec(gateway.printed)?.[1] ?? ''
    const counted = async () => {
      const { body } = await ask(metricsUrl)
      return Number(
        /_count\{method="GET",route="\/v1\/datasets\/\{datasetId\}\/items",status="200"\} (\d+)/.exec(body)?.[1],
      )
    }
    await Promise.all(times(12, () => ask(`${gateway.url}/v1/datasets/seoul/items`, bearer(key))))
    await expect.poll(counted).toBe(12)
    const [worker = 0] = workersOf(gateway)
    process.kill(worker, 'SIGKILL')
    await expect.poll(() => workersOf(gateway).includes(worker)).toBe(false)
    expect(await counted()).toBe(12)
  })

  test('send their metrics to OpenTelemetry as one gateway, also the last ones', async () => {
    const bodies: Buffer[] = []
    const collector = createServer((request, response) => {
      void request.toArray().then((chunks) => {
        bodies.push(Buffer.concat(chunks))
        response.end()
      })
    })
    collector.listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const { port } = collector.address() as AddressInfo
    const endpoint = `http://127.0.0.1:${port}`
    const sending = await startGateway(settings({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }))
    await isServed(sending.url)
    expect(await sending.stop()).toBe(0)
    collector.close()
    expect(bodies).toHaveLength(1)
    for (const name of ['http_request_duration_seconds', '/v1/datasets']) expect(bodies[0]?.includes(name)).toBe(true)
  })

  test('share one bound on connections', async () => {
    // The connections send nothing, and must stay open on a busy machine too.
    const bounded = await startGateway(settings({ MAX_CONNECTIONS_PER_ADDRESS: '10', RECEIVE_TIMEOUT_MS: '600000' }))
    const sockets: Socket[] = []
    const closed = new Set<Socket>()
    for (let n = 0; n < 25; n += 1) {
      const socket = await openSocket(bounded.url)
      sockets.push(socket.resume().on('close', () => closed.add(socket)))
    }
    await expect.poll(() => sockets.length - closed.size).toBe(10)
    for (const socket of sockets) socket.destroy()
    await isServed(bounded.url)
    expect(await bounded.stop()).toBe(0)
  })

  test('share one bound on requests in flight and on exports', async () => {
    const bounded = await startGateway(settings({ MAX_REQUESTS_IN_FLIGHT: '3', MAX_EXPORTS: '1' }))
    await db.database.withSession(async (session) => {
      await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      const statuses: number[] = []
      const send = (path: string) =>
        ask(bounded.url + path, bearer(key)).then(({ status }) => {
          statuses.push(status)
          return status
        })
      const nearby = times(9, (n) => send(`/v1/dataset-items/nearby?latitude=1&longitude=1&radius=${n + 1}`))
      await expect.poll(() => countOf(statuses, 503)).toBe(6)
      await session.query('COMMIT')
      expect(countOf(await Promise.all(nearby), 200)).toBe(3)

      statuses.length = 0
      await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      const exports: Promise<number>[] = []
      for (let n = 0; n < WORKERS; n += 1) {
        exports.push(send('/exports/seoul.ndjson'))
        await expect.poll(() => countOf(statuses, 503)).toBe(n)
      }
      await session.query('COMMIT')
      expect(countOf(await Promise.all(exports), 200)).toBe(1)
    })
    expect(await bounded.stop()).toBe(0)
  })

  test('share one bound on requests that wait for changes, tell each of a commit, and end those that wait at a stop', async () => {
    const bounded = await startGateway(settings({ MAX_WAITING_REQUESTS: '3' }))
    const [, since = ''] = /"cursor":"(.*?)"/.exec((await ask(`${bounded.url}/changes/seoul`, bearer(key))).body) ?? []
    const wait = () =>
      ask(`${bounded.url}/changes/seoul?since=${since}`, { headers: { ...bearer(key).headers, prefer: 'wait=60' } })
    const first = times(5, wait)
    const statuses: number[] = []
    for (const waiting of first) void waiting.then(({ status }) => statuses.push(status))
    await expect.poll(() => countOf(statuses, 503)).toBe(2)
    await db.database.prisma.$executeRaw`UPDATE items SET telephone = 'told' WHERE category_code = 'palace'`
    const answers = (await Promise.all(first)).filter(({ status }) => status === 200)
    expect(answers.map(({ body }) => body.includes('"telephone":"told"'))).toEqual([true, true, true])

    const [, later = ''] = /"cursor":"(.*?)"/.exec(answers[0]?.body ?? '') ?? []
    const last = ask(`${bounded.url}/changes/seoul?since=${later}`, {
      headers: { ...bearer(key).headers, prefer: 'wait=60' },
    })
    await sleep(500)
    expect(await bounded.stop()).toBe(0)
    expect((await last).status).toBe(200)
  })

  test(`lose only the requests of a worker that is killed under load (${KILLS} times)`, {
    timeout: KILL_TIMEOUT,
  }, async () => {
    let isOver = false
    let answered = 0
    const failed: string[] = []
    const clients = times(12, async (client) => {
      for (let n = 0; !isOver; ) {
        const agent = oneConnection()
        try {
          while (!isOver) {
            n += 1
            const headers = { authorization: `Bearer ${key}`, 'x-request-id': `killed-${client}-${n}` }
            const page = 1 + (n % 5)
            const { status } = await ask(`${gateway.url}/v1/datasets/seoul/items?page=${page}&limit=2`, {
              headers,
              agent,
            })
            expect(status).toBe(200)
            answered += 1
          }
        } catch (error) {
          // The connection was reset. The next requests take a new one.
          if (!(error instanceof Error) || !('code' in error)) throw error
          failed.push(`killed-${client}-${n}`)
        }
        agent.destroy()
      }
    })
    const killed = new Set<number>()
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = answered
      await expect.poll(() => answered).toBeGreaterThan(before + 50)
      let oldest: number | undefined
      await expect.poll(async () => ([oldest] = await serving())).not.toEqual([])
      if (oldest === undefined) throw new Error('No worker serves')
      killed.add(oldest)
      process.kill(oldest, 'SIGKILL')
      // Until the primary has noticed its end, it counts as one of the workers.
      await expect.poll(() => workersOf(gateway)).not.toContain(oldest)
    }
    await allServe()
    isOver = true
    await Promise.all(clients)
    // Each client has one request at a time, so a kill ends at most one request of each.
    expect(failed.length).toBeLessThan(12 * KILLS)
    // No worker that was not killed has lost a request: it would have logged it.
    const survivors = logged.filter(({ pid }) => !killed.has(pid))
    expect(survivors.filter(({ requestId = '' }) => failed.includes(requestId))).toEqual([])
    expect(workersOf(gateway)).toHaveLength(WORKERS)
    process.stdout.write(`${KILLS} kills: ${answered} requests answered, ${failed.length} lost\n`)
  })

  test('hand over the connections that a killed worker has not accepted', async () => {
    await allServe()
    const [stopped = 0] = workersOf(gateway)
    process.kill(stopped, 'SIGSTOP')
    let answered = 0
    // They stay open. So the worker that does not run gets some, also if it has not yet said that earlier ones are closed.
    const agents = times(12 * WORKERS, oneConnection)
    const answers = agents.map(async (agent) => {
      const { status } = await ask(`${gateway.url}/v1/datasets`, { ...bearer(key), agent })
      answered += 1
      return status
    })
    // The other workers answer meanwhile. The other requests wait for the worker that does not run.
    await expect.poll(() => answered).toBeGreaterThanOrEqual(2 * WORKERS)
    expect(answered).toBeLessThan(agents.length)
    process.kill(stopped, 'SIGKILL')
    expect(await Promise.all(answers)).toEqual(agents.map(() => 200))
    for (const agent of agents) agent.destroy()
  })

  test('cut off slow requests as one process does', async () => {
    const slow = await startGateway(settings({ RECEIVE_TIMEOUT_MS: '500' }))
    const socket = await openSocket(slow.url)
    const answer = readAll(socket)
    socket.write('GET /v1/datasets HTTP/1.1\r\nHost: x\r\nX-A: ')
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
    expect(await slow.stop()).toBe(0)
  })
})
