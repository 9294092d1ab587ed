import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Cancellation, withCancellation } from '../../src/database/cancellation.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { cancelRequest } from '../../src/embedded/protocol.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { copyEmbedded } from '../support/template.ts'

/** It would run for hours, and reads nothing. */
const ENDLESS = Prisma.sql`SELECT count(*) FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b`
const NOW = Prisma.sql`SELECT 1 AS one`

let folder: string
let database: Database
beforeAll(async () => {
  folder = await copyEmbedded()
  const times = { connectTimeoutMs: 60_000, statementTimeoutMs: 1_000 }
  database = await openDatabase({ kind: 'embedded', dataDir: folder, poolSize: 4, ...times }, { share: false })
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const read = (cancellation: Cancellation, statement: Prisma.Sql) =>
  withCancellation(cancellation, () => database.sql.$queryRaw<unknown[]>(statement))

test('a statement ends at its timeout, and the next one gets its own answer', async () => {
  await expect(read(new Cancellation(['a']), ENDLESS)).rejects.toMatchObject({ code: '57014' })
  expect(await read(new Cancellation(['a']), NOW)).toEqual([{ one: 1 }])
})

test('the statement of a client that disconnects is cancelled', async () => {
  const request = new Cancellation(['a'])
  const running = read(request, ENDLESS)
  setTimeout(() => request.cancel(), 200)
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('a cancel request without the secret of the session cancels nothing', async () => {
  const path = `${new URL(database.embeddedUrl ?? '').searchParams.get('host')}/.s.PGSQL.5432`
  const session = new pg.Client(database.embeddedUrl ?? '')
  await session.connect()
  const running = session.query('SELECT count(*)::integer AS n FROM generate_series(1, 300000)')
  const request = Buffer.alloc(16)
  ;[16, 80877102, Number(Reflect.get(session, 'processID')), 1].forEach((value, n) => {
    request.writeInt32BE(value, 4 * n)
  })
  const socket = connect(path).end(request)
  await once(socket, 'close')
  expect((await running).rows).toEqual([{ n: 300_000 }])
  await session.end()
})

test('a statement that is cancelled when it begins ends, and its session goes on', async () => {
  const path = `${new URL(database.embeddedUrl ?? '').searchParams.get('host')}/.s.PGSQL.5432`
  const session = new pg.Client(database.embeddedUrl ?? '')
  await session.connect()
  const keyPart = (name: string) => Number(Reflect.get(session, name))
  const request = cancelRequest({ processId: keyPart('processID'), secretKey: keyPart('secretKey') })
  for (let n = 0; n < 20; n += 1) {
    const socket = connect(path).resume()
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    const running = session.query(ENDLESS.sql)
    socket.write(request)
    await expect(running).rejects.toMatchObject({ code: '57014' })
    await closed
  }
  await session.end()
})
