import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { readReplicaPosition } from '../../src/database/log-position.ts'
import { migrate } from '../../src/database/migrate.ts'
import { ITEM, seedCatalog } from '../support/catalog.ts'
import { type Cluster, hasPostgres, type PostgresServer, startCluster } from '../support/cluster.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { type Gateway, startGateway } from '../support/process.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { LIMITS_ENV } from '../support/template.ts'

/*
 * A failover to a replica that has not replayed everything, while another one has. The address of the primary moves.
 */

describe.skipIf(!process.env.TEST_DATABASE_URL || !hasPostgres)('After a failover', () => {
  let cluster: Cluster
  let ahead: PostgresServer
  let behind: PostgresServer
  let proxy: DatabaseProxy
  let gateway: Gateway
  let key: string
  let log = ''

  beforeAll(async () => {
    cluster = await startCluster()
    const { url } = cluster.primary
    const database = await openDatabase(readConfig({ DATABASE_URL: url, ...LIMITS_ENV }).database, { share: false })
    await database.withSession((session) => migrate(session))
    await seedCatalog(database.prisma)
    ;({ key } = await createKey(database.prisma, { name: 'failover' }))
    await database.close()
    ahead = await cluster.addReplica()
    behind = await cluster.addReplica()
    proxy = await openProxy(url)
    gateway = await startGateway({
      ...LIMITS_ENV,
      DATABASE_URL: proxy.url,
      DATABASE_REPLICA_URLS: `${ahead.url},${behind.url}`,
      METRICS_PORT: '0',
      RESPONSE_CACHE_MB: '0',
    })
    gateway.child.stderr?.on('data', (data) => {
      log += data
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await proxy.close()
    await cluster.close()
  })

  const run = async ({ url }: PostgresServer, sql: string) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  const rename = (name: string) => `UPDATE items SET name = '${name}' WHERE id = '${ITEM.gate}'`
  const nameIn = async (server: PostgresServer) =>
    (await run(server, `SELECT name FROM items WHERE id = '${ITEM.gate}'`))[0]?.name
  const shown = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${gateway.url}/v1/dataset-items/${ITEM.gate}`, { headers })
    return response.status === 200 ? (await response.json()).data.name : response.status
  }
  const readsFromReplicas = async () => {
    const metrics = await (await fetch(/Metrics at (\S+)/.exec(gateway.printed)?.[1] ?? '')).text()
    return Number(/reads_total\{server="replica"\} (\d+)/.exec(metrics)?.[1])
  }
  /** Whether the next read comes from a replica. */
  const usesReplicas = async () => {
    const before = await readsFromReplicas()
    await shown()
    return (await readsFromReplicas()) > before
  }

  test('no read shows what the new primary does not have', async () => {
    await expect.poll(usesReplicas).toBe(true)
    await run(behind, `ALTER SYSTEM SET primary_conninfo = ''`)
    await run(behind, 'SELECT pg_reload_conf()')
    await expect.poll(() => run(behind, 'SELECT FROM pg_stat_wal_receiver')).toEqual([])
    await run(cluster.primary, rename('lost'))
    // Much of the log, so that the new primary's log stays shorter.
    await run(
      cluster.primary,
      'CREATE TABLE more AS SELECT repeat(md5(n::text), 8) FROM generate_series(1, 50000) AS n',
    )
    await expect.poll(() => run(ahead, 'SELECT FROM more LIMIT 1').catch(() => [])).toHaveLength(1)
    expect([await nameIn(ahead), await nameIn(behind)]).toEqual(['lost', 'Gwanghwamun'])

    await cluster.primary.stop('immediate')
    await run(behind, 'SELECT pg_promote()')
    proxy.moveTo(behind.url)
    await run(behind, rename('kept'))
    await expect.poll(shown).toBe('kept')
    const before = await readsFromReplicas()
    for (let n = 0; n < 100; n += 1) expect(await shown()).toBe('kept')
    expect(await readsFromReplicas()).toBe(before)
  })

  test('a replica that was built from the new primary is read', async () => {
    await ahead.stop('immediate')
    ahead = await cluster.addReplica({ of: behind, at: ahead })
    await expect.poll(usesReplicas).toBe(true)
    for (const name of ['changed', 'changed again']) {
      await run(behind, rename(name))
      await expectWithinASecond(shown, (found) => expect(found).toBe(name))
    }
  })

  test('a replica that was promoted by mistake and stopped again is not read', async () => {
    const positionOf = async ({ url }: PostgresServer) => {
      const client = new pg.Client(url)
      await client.connect()
      try {
        return await readReplicaPosition(client)
      } finally {
        await client.end()
      }
    }
    const { mark } = (await run(behind, 'SELECT mark FROM primary_mark'))[0]
    expect(await positionOf(ahead)).toMatchObject({ mark })
    await run(ahead, 'SELECT pg_promote()')
    expect(await positionOf(ahead)).toEqual({ fault: expect.stringContaining('not in recovery') })
    await run(ahead, rename('by mistake'))
    await ahead.demote()
    expect(await run(ahead, 'SELECT mark, pg_is_in_recovery() AS recovers FROM primary_mark')).toEqual([
      { mark, recovers: true },
    ])
    expect(await positionOf(ahead)).toEqual({ fault: expect.stringContaining('another timeline') })
    for (let n = 0; n < 20; n += 1) expect(await shown()).toBe('changed again')
  })

  test('one line says that the primary is away, and one that it is back', async () => {
    const lines = () => log.match(/The primary [^"]*/g) ?? []
    const before = lines().length
    await proxy.cut()
    await expect.poll(() => lines().slice(before)).toHaveLength(1)
    expect(lines().at(-1)).toMatch(/^The primary 127.0.0.1:\d+ is away: connect ECONNREFUSED/)
    await proxy.restore()
    await expect.poll(shown).toBe('changed again')
    await expect.poll(() => lines().slice(before + 1)).toEqual([expect.stringMatching(/ is back after \d+ seconds$/)])
  })
})
