import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { seedCatalog } from '../support/catalog.ts'
import { createDatabase, createEmpty, type TestDatabase } from '../support/database.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { openDatabase } from '../support/open-database.ts'
import { CHECKOUT, environment, startProcess } from '../support/process.ts'
import { type ProxiedGateway, startProxiedGateway } from '../support/proxied-gateway.ts'
import { openProxy } from '../support/proxy.ts'

/*
 * The database becomes unavailable in several ways. The gateway reports it, and recovers by itself. A proxy between the two cuts
 * the connections.
 */

/** As a library does that Node warns of. */
const WARN_AT_SIGUSR2 =
  "--import=data:text/javascript,process.on('SIGUSR2',()=>process.emitWarning('an%20old%20call','DeprecationWarning'))"

const NEARBY = '/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=50000'

describe.runIf(inject('template').kind === 'postgres')('A database', () => {
  let db: TestDatabase
  let gateway: ProxiedGateway
  /** Its statements time out soon, so on a busy machine any request may get 503. */
  let impatient: ProxiedGateway
  let key: string

  beforeAll(async () => {
    db = await createDatabase()
    await seedCatalog(db.database.prisma)
    ;({ key } = await createKey(db.database.prisma, { name: 'x' }))
    gateway = await startProxiedGateway(db, { poolSize: 2 })
    impatient = await startProxiedGateway(db, { poolSize: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 300 })
  })
  afterAll(async () => {
    await gateway.close()
    await impatient.close()
    await db.close()
  })

  const get = (path: string, { url } = gateway) => fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
  const statusOf = async (path: string, from = gateway) => (await get(path, from)).status
  const expectUnavailable = async (path: string, from = gateway) => {
    const response = await get(path, from)
    const text = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(text).toContain('SERVICE_UNAVAILABLE')
    // The timeouts of the settings end it, before the request has used up its time.
    expect(text).not.toContain('took longer than')
  }
  const expectRecovery = async (from = gateway) => {
    for (const path of ['/readyz', NEARBY, '/v1/datasets/seoul']) {
      await expect.poll(() => statusOf(path, from)).toBe(200)
    }
  }

  test('that is cut off gives 503 with Retry-After, also to requests in flight, and 200 once it is back', async () => {
    expect(await statusOf(NEARBY)).toBe(200)
    await db.database.withSession(async (session) => {
      await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      const inFlight = get(`${NEARBY}&page=2`)
      await expect.poll(() => countLockWaits(db.database)).toBe(1)
      await gateway.proxy.cut()
      expect((await inFlight).status).toBe(503)
      await session.query('COMMIT')
    })
    await expectUnavailable(`${NEARBY}&page=3`)
    await expectUnavailable('/readyz')
    expect(await statusOf('/healthz')).toBe(200)
    await gateway.proxy.restore()
    await expectRecovery()
  })

  test('that is silent ends the use of cached responses, and gives 200 once it is back', async () => {
    // The gateway waits two seconds longer than its statement timeout for a database that is silent.
    const { proxy } = impatient
    const dataset = async () => (await get('/v1/datasets/seoul', impatient)).text()
    await expect.poll(dataset).toContain('"Seoul"')
    proxy.silence()
    await db.database.prisma.dataset.update({ where: { slug: 'seoul' }, data: { name: 'Seoul, changed' } })
    await expect.poll(dataset).not.toContain('"Seoul"')
    await proxy.cut()
    await proxy.restore()
    await expect.poll(dataset).toContain('Seoul, changed')
  })

  test('that is too slow gives 503 after the statement timeout', async () => {
    await db.database.withSession(async (session) => {
      await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      await expectUnavailable(`${NEARBY}&page=4`, impatient)
      await session.query('COMMIT')
    })
    await expectRecovery(impatient)
  })

  test('whose migration waits for another gateway does not delay SIGTERM', async () => {
    await db.database.withSession(async (session) => {
      // The lock of src/database/migrate.ts.
      await session.query('SELECT pg_advisory_lock(72707369)')
      const child = startProcess(process.execPath, [`${CHECKOUT}src/cli.ts`, 'serve'], {
        env: environment({ ...db.env, PORT: '0', WORKERS: '1' }),
        stdio: 'ignore',
      })
      await expect.poll(() => countLockWaits(db.database)).toBe(1)
      child.kill('SIGTERM')
      // The other gateway holds the lock until the test has seen this.
      expect(await once(child, 'exit')).toEqual([0, null])
    })
  })

  test('that has no free connection gives 503, and 200 once it has one', async () => {
    await db.database.withSession(async (session) => {
      const name = new URL(gateway.proxy.url).pathname.slice(1)
      await session.query(`CREATE ROLE ${name} LOGIN CONNECTION LIMIT 0; GRANT pg_read_all_data TO ${name}`)
      const limited = await openDatabase(
        {
          kind: 'postgres',
          url: Object.assign(new URL(gateway.proxy.url), { username: name }).href,
          poolSize: 2,
          connectTimeoutMs: 5_000,
          statementTimeoutMs: 300,
        },
        { share: false },
      )
      const { responseCacheBytes, limits } = readConfig({})
      const app = await createApp({ database: limited, corsOrigins: [], responseCacheBytes, limits })
      const ask = async () =>
        (await app.inject({ url: NEARBY, headers: { authorization: `Bearer ${key}` } })).statusCode
      expect(await ask()).toBe(503)
      await session.query(`ALTER ROLE ${name} CONNECTION LIMIT -1`)
      await expect.poll(ask).toBe(200)
      await app.close()
      await limited.close()
      await session.query(`REVOKE pg_read_all_data FROM ${name}; DROP ROLE ${name}`)
    })
  })
})

test.runIf(inject('template').kind === 'postgres')(
  'A gateway whose database is unreachable at start says so, is not ready, and serves once it is reachable',
  async () => {
    const { env, drop } = await createEmpty()
    const proxy = await openProxy(env.DATABASE_URL ?? '', { isOpen: false })
    const child = startProcess(process.execPath, ['src/cli.ts', 'serve'], {
      cwd: CHECKOUT,
      env: {
        PATH: process.env.PATH,
        ...env,
        DATABASE_URL: proxy.url,
        PORT: '0',
        HOST: '127.0.0.1',
        NODE_OPTIONS: WARN_AT_SIGUSR2,
      },
    })
    let printed = ''
    let warned = ''
    child.stdout?.on('data', (data) => {
      printed += data
    })
    child.stderr?.on('data', (data) => {
      warned += data
    })
    await expect
      .poll(() => warned)
      .toMatch(/^\{"level":"warn",.*"msg":"The database can't be reached: .*; waiting for it"}\n$/)
    expect(printed).toBe('')
    child.kill('SIGUSR2')
    await expect.poll(() => warned).toContain('an old call')
    await proxy.restore()
    await expect.poll(() => printed).toContain('Dataset Catalog at http')
    const url = /Dataset Catalog at (\S+)/.exec(printed)?.[1] ?? ''
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    await proxy.close()
    await drop()
    const lines = warned
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).msg)
    expect(lines).toEqual([expect.stringContaining('waiting for it'), 'DeprecationWarning: an old call'])
  },
)
