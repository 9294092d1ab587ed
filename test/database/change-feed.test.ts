import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { DatabaseClient } from '../../src/database/client.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'

/* The change feed of a server that accepts connections and answers no statement, as behind a pooler that is paused. */

/** AuthenticationOk and ReadyForQuery. https://www.postgresql.org/docs/current/protocol-message-formats.html */
const LOGIN_ACCEPTED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

let server: Server
let database: Database | undefined
const received: string[] = []

async function openSilentServer(): Promise<string> {
  server = createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.write(LOGIN_ACCEPTED))
    socket.on('data', (data) => received.push(data.toString('latin1')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `postgresql://x@127.0.0.1:${port}/x`
}

async function openSilentDatabase(): Promise<Database> {
  const url = await openSilentServer()
  const config = { kind: 'postgres', url, poolSize: 1, connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 } as const
  return openDatabase(config, { share: false })
}
/** The number of connections of the feed that have sent their first statement. */
const connections = () => received.filter((data) => data.includes('pg_postmaster_start_time')).length

afterEach(async () => {
  received.length = 0
  await database?.close()
  database = undefined
  server.close()
})

test('closes while the server does not answer', async () => {
  database = await openSilentDatabase()
  const feed = database.followChanges()
  await expect.poll(connections).toBeGreaterThan(0)
  await feed.close()
})

test('connects again if the server does not answer', async () => {
  database = await openSilentDatabase()
  const feed = database.followChanges()
  await expect.poll(connections).toBeGreaterThan(1)
  await feed.close()
})

test('a client gives a statement to pg when the one before has ended, because pg 9 refuses it earlier', async () => {
  const client = new DatabaseClient({ connectionString: await openSilentServer(), query_timeout: 50 })
  await client.connect()
  const send = vi.spyOn(pg.Client.prototype, 'query')
  const statements = Promise.allSettled(['SELECT 1', 'SELECT 2', 'SELECT 3'].map((text) => client.query(text)))
  expect(send).toHaveBeenCalledTimes(1)
  await statements
  expect(send).toHaveBeenCalledTimes(3)
  send.mockRestore()
  void client.end()
})
