import { once } from 'node:events'
import { describe, expect, inject, test } from 'vitest'
import { Cancellation, withCancellation, withSharedCancellation } from '../../src/database/cancellation.ts'
import { cancelByRequest } from '../../src/database/canceller.ts'
import { openDatabase } from '../../src/database/database.ts'
import { CatalogPool } from '../../src/database/pool.ts'
import { createPrisma, createSqlReader } from '../../src/database/sql-reader.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { catalogErrorOf } from '../../src/graphql/errors.ts'
import { useDatabase } from '../support/database.ts'
import { openProxy } from '../support/proxy.ts'

const db = useDatabase()

function connection() {
  const { config, database } = db
  if (config.kind === 'postgres') return { connectionString: config.url }
  return { connectionString: database.embeddedUrl }
}

test('after a cancel request that fails, the connection is closed: the request may arrive later, in another statement', async () => {
  const pool = new CatalogPool({
    ...connection(),
    max: 1,
    places: 1,
    turnTimeoutMs: 60_000,
    canceller: cancelByRequest({ path: '/nowhere/.s.PGSQL.5432' }),
  })
  const request = new Cancellation(['key'])
  const acquired = once(pool, 'acquire')
  const running = withCancellation(request, () =>
    pool.query('SELECT count(*)::integer AS n FROM generate_series(1, 300000)'),
  )
  await acquired
  setImmediate(() => request.cancel())
  expect((await running).rows).toEqual([{ n: 300_000 }])
  expect(pool.totalCount).toBe(0)
  // The turn of the key has ended, too.
  const next = withCancellation(new Cancellation(['key']), () => pool.query('SELECT 1 AS one'))
  expect((await next).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('a statement that requests share is not sent if all of them were cancelled before, and is sent if one was not', async () => {
  const pool = new CatalogPool({
    ...connection(),
    places: 1,
    turnTimeoutMs: 60_000,
    canceller: cancelByRequest({ path: '/nowhere' }),
  })
  const [first, second] = [new Cancellation(['a']), new Cancellation(['b'])]
  const send = () => withSharedCancellation([first, second], () => pool.query('SELECT 1 AS one'))
  first.cancel()
  expect((await send()).rows).toEqual([{ one: 1 }])
  second.cancel()
  await expect(send()).rejects.toThrow('The statement was cancelled with its request')
  await pool.end()
})

test.each(['Prisma', 'SqlReader'])(
  'a statement of %s that does not get its turn is no fault of the server, so it is not logged',
  async (client) => {
    const pool = new CatalogPool({ ...connection(), places: 1, turnTimeoutMs: 20 })
    const create = client === 'Prisma' ? createPrisma : createSqlReader
    const reader = create(pool, { nameOf: () => '' })
    await withCancellation(new Cancellation(['key']), async () => {
      const lent = await pool.connect()
      const error = await reader.$queryRaw`SELECT 1`.catch(catalogErrorOf)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1, cause: undefined })
      lent.release()
    })
    await pool.end()
  },
)

describe.runIf(inject('template').kind === 'postgres')('A server that does not answer any more', () => {
  test('does not keep the connections of the clients that disconnect', async () => {
    if (db.config.kind !== 'postgres') return
    const proxy = await openProxy(db.config.url)
    const database = await openDatabase(
      { ...db.config, url: proxy.url, poolSize: 2, statementTimeoutMs: 500, connectTimeoutMs: 1_000 },
      { share: true },
    )
    const read = (request: Cancellation) =>
      withCancellation(request, () =>
        database.sql.$queryRaw<unknown[]>(Prisma.sql`SELECT 1 AS one FROM pg_advisory_xact_lock_shared(1)`),
      )
    const readTwice = async () => {
      const requests = [new Cancellation(['one']), new Cancellation(['two'])]
      const ended = Promise.allSettled(requests.map(read))
      await expect.poll(() => database.poolUse().busy).toBe(2)
      return { requests, ended }
    }
    // The connections are open.
    const opened = await db.database.withSession(async (session) => {
      await session.query('BEGIN; SELECT pg_advisory_xact_lock(1)')
      const reads = await readTwice()
      await session.query('COMMIT')
      return reads
    })
    await opened.ended
    proxy.silence()
    const { requests, ended } = await readTwice()
    for (const request of requests) request.cancel()
    await ended
    await proxy.restore()
    // On a busy machine a statement may take longer than its timeout.
    const again = () => read(new Cancellation(['one'])).catch(String)
    await expect.poll(again).toEqual([{ one: 1 }])
    await database.close()
    await proxy.close()
  })
})
