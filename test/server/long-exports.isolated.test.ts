import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { Cancellation, withCancellation } from '../../src/database/cancellation.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { startApp, type TestApp, useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import { createEmpty } from '../support/database.ts'
import { authorization, finish, open, recordsOf, statusOf } from '../support/exports.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { addLarge } from '../support/large.ts'
import { openDatabase } from '../support/open-database.ts'
import { startGateway } from '../support/process.ts'

/** Waits until no connection of the pool is in use. */
const untilIdle = (t: TestApp) => expect.poll(() => t.database.poolUse()).toMatchObject({ busy: 0, waiting: 0 })

/** Their descriptions are more than a socket holds even if they are compressed: 60 MB. */
const LARGE = 3_000
const CODINGS = ['identity', 'gzip', 'br'] as const
const DESCRIPTION = "(SELECT string_agg(md5(n || '/' || k), '') FROM generate_series(1, 625) AS k)"

describe('An export that is longer than the buffers of a connection', () => {
  const t = useApp({ limits: { maxExports: 2 } })
  beforeAll(async () => {
    await addLarge(t.database.prisma, 'large', LARGE, DESCRIPTION)
  })

  const PATH = '/exports/large.ndjson'
  const PARQUET = '/exports/large.parquet'
  const identity = { 'accept-encoding': 'identity' }

  const newKey = async () => (await createKey(t.database.prisma, { name: 'another' })).key

  /** Starts an export, lets `act` do something while most of it is not read, and reads the rest. */
  async function whileOpen(act: () => Promise<unknown>, key = t.key, path = PATH) {
    const response = await open(t, path, { ...identity, ...authorization(key) })
    expect(response.statusCode).toBe(200)
    await act()
    return finish(response)
  }

  test('it contains each item once, in order of id', async () => {
    const { text, isComplete } = await finish(await open(t, PATH, identity))
    expect(isComplete).toBe(true)
    const ids = recordsOf(text).map(({ id }) => id)
    expect(ids).toHaveLength(LARGE)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  test('a second one of the key is 503 with Retry-After while the first is read, but 304 and errors are as always', async () => {
    const etag =
      (await open(t, PATH, identity).then(async (response) => {
        await finish(response)
        return response.headers.etag
      })) ?? ''
    const { isComplete } = await whileOpen(async () => {
      const refused = await open(t, '/exports/seoul.csv')
      expect(refused.statusCode).toBe(503)
      expect(refused.headers['retry-after']).toBe('5')
      expect(refused.headers.etag).toBeUndefined()
      expect(JSON.parse((await finish(refused)).text).error.code).toBe('SERVICE_UNAVAILABLE')
      expect(await statusOf(t, PATH, { 'if-none-match': etag })).toBe(304)
      expect(await statusOf(t, '/exports/unknown.csv')).toBe(404)
      expect((await t.get('/v1/datasets')).status).toBe(200)
    })
    expect(isComplete).toBe(true)
    expect(await statusOf(t, '/exports/seoul.csv')).toBe(200)
  })

  test('another key may export while it is read, until all places are taken', async () => {
    const [second, third] = [await newKey(), await newKey()]
    const { isComplete } = await whileOpen(async () => {
      expect(await statusOf(t, '/exports/seoul.csv', authorization(second))).toBe(200)
      await whileOpen(async () => {
        expect(await statusOf(t, '/exports/seoul.csv', authorization(third))).toBe(503)
      }, second)
      expect(await statusOf(t, '/exports/seoul.csv', authorization(third))).toBe(200)
    })
    expect(isComplete).toBe(true)
  })

  test('it takes no connection of the pool while the reader pauses', async () => {
    await whileOpen(() => untilIdle(t))
    await whileOpen(() => untilIdle(t), t.key, PARQUET)
  })

  test('a reader that stops midway leaves no statement, no connection and no place taken', async () => {
    for (const [path, coding] of [...CODINGS.map((each) => [PATH, each] as const), [PARQUET, 'identity'] as const]) {
      const response = await open(t, path, { 'accept-encoding': coding })
      await once(response, 'data')
      response.destroy()
      await expect.poll(() => statusOf(t, '/exports/seoul.csv')).toBe(200)
      await untilIdle(t)
    }
  })

  test.each([...CODINGS.map((coding) => [coding, PATH] as const), ['GeoParquet', PARQUET] as const])(
    '%s: a change midway ends the response without its end',
    async (coding, path) => {
      const response = await open(t, path, { 'accept-encoding': coding })
      await t.database.prisma.item.updateMany({ where: { name: 'Place 1' }, data: { telephone: coding } })
      expect((await finish(response)).isComplete).toBe(false)
    },
  )

  test('a change to another dataset does not matter', async () => {
    const { isComplete } = await whileOpen(() =>
      t.database.prisma.item.update({ where: { id: ITEM.gate }, data: { telephone: '2' } }),
    )
    expect(isComplete).toBe(true)
  })

  test('it ends midway when its key is revoked', async () => {
    const { id, key } = await createKey(t.database.prisma, { name: 'revoked midway' })
    const { isComplete } = await whileOpen(async () => {
      await revokeKey(t.database.prisma, id)
      const status = async () => (await fetch(`${t.url}/v1/datasets`, { headers: authorization(key) })).status
      await expectWithinASecond(status, (found) => expect(found).toBe(401))
    }, key)
    expect(isComplete).toBe(false)
  })

  test('it ends midway when the database fails, and works again afterwards', async () => {
    const rename = (from: string, to: string) =>
      t.database.prisma.$executeRaw`${Prisma.raw(`ALTER TABLE ${from} RENAME TO ${to}`)}`
    const { text, isComplete } = await whileOpen(() => rename('images', 'gone'))
    await rename('gone', 'images')
    expect(isComplete).toBe(false)
    expect(text).not.toContain('relation')
    expect((await finish(await open(t, PATH, identity))).isComplete).toBe(true)
  })

  test('a client of HTTP/1.0 sees a failure as a reset connection', async () => {
    const { hostname, port } = new URL(t.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${PATH} HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${t.key}\r\n\r\n`)
    await once(socket, 'readable')
    await t.database.prisma.item.updateMany({ where: { name: 'Place 2' }, data: { telephone: '1.0' } })
    socket.resume()
    const [error] = await once(socket, 'close').catch((failure: Error) => [failure])
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  test('it ends midway when the dataset is removed', async () => {
    const { isComplete } = await whileOpen(() => t.database.prisma.dataset.delete({ where: { slug: 'large' } }))
    expect(isComplete).toBe(false)
    await expectWithinASecond(
      () => t.get(PATH),
      (response) => expect(response.status).toBe(404),
    )
  })
})

test('a reader that takes nothing for the time of the setting is cut off, its place is free again, and the log says why', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const t = await startApp({ limits: { maxExports: 1, responseStallTimeoutMs: 200 }, log })
  try {
    await addLarge(t.database.prisma, 'large', LARGE, DESCRIPTION)
    const response = await open(t, '/exports/large.ndjson', { 'accept-encoding': 'identity' })
    await expect.poll(() => statusOf(t, '/exports/seoul.csv')).toBe(200)
    expect((await finish(response)).isComplete).toBe(false)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        requestId: response.headers['x-request-id'],
        msg: 'The response was cut off: the client read nothing for 200 ms',
      }),
    ])
  } finally {
    await t.close()
  }
})

test('an export of a gateway that is killed with SIGKILL has no clean end', async () => {
  const { config, env, drop } = await createEmpty()
  const database = await openDatabase(config, { share: true })
  await addLarge(database.prisma, 'large', LARGE, DESCRIPTION)
  const { key } = await createKey(database.prisma, { name: 'reader' })
  await database.close()
  const { url, child } = await startGateway({ ...env, SAMPLE_DATA: 'false', WORKERS: '1' })
  try {
    const response = await open({ url, key }, '/exports/large.ndjson', { 'accept-encoding': 'identity' })
    child.kill('SIGKILL')
    const { text, isComplete } = await finish(response)
    expect(text).toContain('Place ')
    expect(isComplete).toBe(false)
  } finally {
    child.kill('SIGKILL')
    await drop()
  }
})

test('An export that has begun is never refused: its next part waits for a turn as long as it must', async () => {
  const t = await startApp()
  await addLarge(t.database.prisma, 'large', LARGE, DESCRIPTION)
  // A new request waits two seconds for its turn.
  const database = await openDatabase({ ...t.config, poolSize: 1, statementTimeoutMs: 2_000 }, { share: true })
  const slow = await startApp({ beside: { ...t, database } })
  const response = await open(slow, '/exports/large.ndjson', { 'accept-encoding': 'identity' })
  expect(response.statusCode).toBe(200)
  await untilIdle(slow)
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const busy = withCancellation(new Cancellation(['greedy']), () =>
    database.prisma.$transaction(
      async () => {
        begun.resolve()
        await end.promise
      },
      { timeout: 3_600_000, maxWait: 60_000 },
    ),
  )
  await begun.promise
  const finished = finish(response)
  await expect.poll(() => database.poolUse().waiting).toBe(1)
  // This request came later, and has waited too long.
  const refused = await slow.get('/v1/datasets/seoul/items')
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('Too many requests at once')])
  end.resolve()
  await busy
  expect(await finished).toMatchObject({ isComplete: true })
  await slow.close()
  await database.close()
  await t.close()
})
