import { createServer, Socket } from 'node:net'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { addGraphQLRoute } from '../../src/api/graphql/graphql.ts'
import { RequestUse } from '../../src/auth/key-usage.ts'
import { readConfig } from '../../src/config/config.ts'
import { ConnectionError, DatabaseClient } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createHttp } from '../../src/gateway/http.ts'
import { ResponseCache } from '../../src/gateway/response-cache.ts'
import { createApp } from '../../src/server/app.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { keyWith } from '../support/key.ts'

const { responseCacheBytes, limits } = readConfig({})
const settings = { responseCacheBytes, limits }

const open = (url: string) =>
  openDatabase(
    { kind: 'postgres', url, poolSize: 1, connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 },
    { share: true },
  )
const database = await open('postgresql://nobody@127.0.0.1:1/nowhere')
afterAll(() => database.close())

describe('A database that is unreachable', () => {
  test('gives the operator one clear line', async () => {
    await expect(database.withSession((session) => migrate(session))).rejects.toThrow(
      /^The database can't be reached: .*ECONNREFUSED/,
    )
  })

  test('gives 503 with Retry-After in REST, GraphQL and /readyz; the process continues', async () => {
    const app = await createApp({ database, corsOrigins: [], ...settings })
    const headers = { authorization: `Bearer dck_${'A'.repeat(43)}` }
    for (const url of ['/v1/datasets', '/graphql?query={datasets{total}}', '/readyz']) {
      const response = await app.inject({ url, headers })
      expect(response.statusCode).toBe(503)
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
      expect(response.body).toContain('SERVICE_UNAVAILABLE')
      expect(response.body).not.toContain('ECONNREFUSED')
    }
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    await app.close()
  })

  test('in the middle of a GraphQL request gives 503 too', async () => {
    const app = createHttp({ corsOrigins: [], limits })
    const use = new RequestUse({ id: 'x', name: 'x' }, new Date(), { usage: undefined, countItems: () => {} })
    const readCatalog = () => Promise.reject(new ConnectionError('gone'))
    const admit = async () => ({
      key: keyWith(),
      now: new Date(),
      use,
      readCatalog,
      readForStream: readCatalog,
    })
    addGraphQLRoute(
      app,
      { admit, responses: new ResponseCache(silentChangeFeed, 0) },
      { trusted: undefined, registered: undefined, federation: false, sendGraphiql: () => {} },
    )
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const response = await app.inject({ url: '/graphql?query={datasets{total}}', headers: { accept } })
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
      expect(response.headers['content-type']).toBe(`${accept}; charset=utf-8`)
      expect(response.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    }
    await app.close()
  })

  test('that does not answer gives an error after a timeout', async () => {
    await using server = await listenSilently(() => {})
    const silent = await open(`postgresql://x@127.0.0.1:${server.port}/x`)
    const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const app = await createApp({ database: silent, corsOrigins: [], ...settings })
    expect((await app.inject('/readyz')).statusCode).toBe(503)
    // A firewall that forgets idle connections sees a packet every minute.
    expect(setKeepAlive).toHaveBeenCalledWith(true, 60_000)
    setKeepAlive.mockRestore()
    await app.close()
    await silent.close()
  })

  test('that accepts a login and answers nothing afterwards gives one too', async () => {
    await using server = await listenSilently(acceptLogin)
    const silent = await open(`postgresql://x@127.0.0.1:${server.port}/x`)
    await expect(silent.withSession(migrate)).rejects.toThrow(/^The database can't be reached: /)
    await silent.close()
  })

  test('that no longer answers ends the connection at the first timeout: the statements that wait fail at once', async () => {
    await using server = await listenSilently(acceptLogin)
    const client = new DatabaseClient({ host: '127.0.0.1', port: server.port, user: 'x', query_timeout: 300 })
    await client.connect()
    const statements = [1, 2, 3].map(() => client.query('SELECT 1'))
    const results = await Promise.allSettled([...statements, client.query('ROLLBACK')])
    const messages = results.map((result) => result.status === 'rejected' && String(result.reason.message))
    expect(messages[0]).toBe('Query read timeout')
    expect(messages.slice(1).filter((message) => message === 'Query read timeout')).toEqual([])
  })
})

/** Accepts the login of PostgreSQL's protocol: AuthenticationOk, ReadyForQuery. */
function acceptLogin(socket: Socket): void {
  socket.once('data', () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])))
}

/** Listens on a free port, and answers nothing but what `onConnection` writes. */
async function listenSilently(onConnection: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
