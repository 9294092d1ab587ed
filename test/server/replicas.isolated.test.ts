import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { type Cluster, hasPostgres, type PostgresServer, startCluster } from '../support/cluster.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { type Gateway, startGateway } from '../support/process.ts'

/*
 * Three gateways over a primary and its streaming replicas, one of which lags and one of which dies.
 */

/** On a busy machine, a process may stop for ten seconds. */
const TIMEOUTS = { CONNECT_TIMEOUT_MS: '60000', STATEMENT_TIMEOUT_MS: '60000' }

describe.skipIf(!process.env.TEST_DATABASE_URL || !hasPostgres)('Gateways over streaming replication', () => {
  let cluster: Cluster
  let replicas: PostgresServer[]
  let gateways: Gateway[]
  let database: Database
  let key: string

  beforeAll(async () => {
    cluster = await startCluster()
    const { url } = cluster.primary
    database = await openDatabase(readConfig({ DATABASE_URL: url, ...TIMEOUTS }).database, { share: false })
    await database.withSession((session) => migrate(session))
    await seedCatalog(database.prisma)
    ;({ key } = await createKey(database.prisma, { name: 'replicas' }))
    replicas = [await cluster.addReplica(), await cluster.addReplica()]
    const env = {
      ...TIMEOUTS,
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replicas.map((replica) => replica.url).join(', '),
      METRICS_PORT: '0',
    }
    // One caches responses. Two do not, so that each request reads the database.
    gateways = await Promise.all([
      startGateway(env),
      startGateway({ ...env, RESPONSE_CACHE_MB: '0' }),
      startGateway({ ...env, RESPONSE_CACHE_MB: '0' }),
    ])
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await database.close()
    await cluster.close()
  })

  const PAGE = '/v1/datasets/seoul/items?limit=100'
  const get = (gateway: Gateway, path: string) =>
    fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  const nameOfGate = async (gateway: Gateway): Promise<string> => {
    const { data } = await (await get(gateway, PAGE)).json()
    return data.find(({ id }: { id: string }) => id === ITEM.gate)?.name
  }
  /**
   * Six reads in turn show the name. Until the gateway hears of the change, one replica may show it and the next one not yet, so
   * one read does not suffice.
   */
  const expectNameWithinASecond = (gateway: Gateway, name: string) =>
    expectWithinASecond(
      async () => {
        const names: string[] = []
        while (names.length < 6) names.push(await nameOfGate(gateway))
        return names
      },
      (names) => expect(names).toEqual(Array(6).fill(name)),
    )
  const rename = (name: string) => database.prisma.item.update({ where: { id: ITEM.gate }, data: { name } })
  /** The number of reads of each server. */
  const readsOf = async ({ printed }: Gateway) => {
    const metrics = await (await fetch(/Metrics at (\S+)/.exec(printed)?.[1] ?? '')).text()
    const read = (server: string) => Number(new RegExp(`reads_total\\{server="${server}"\\} (\\d+)`).exec(metrics)?.[1])
    return { primary: read('primary'), replica: read('replica') }
  }
  const askReplica = async ({ url }: PostgresServer, sql: string) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  const settled = async (gateway: Gateway) => {
    const { replica } = await readsOf(gateway)
    await expect
      .poll(async () => (await get(gateway, PAGE)).ok && (await readsOf(gateway)).replica)
      .toBeGreaterThan(replica)
  }

  test('read from replicas that are up to date, in REST and GraphQL', async () => {
    for (const gateway of gateways.slice(1)) {
      const statuses = new Set<number>()
      const countReads = async () => {
        const before = await readsOf(gateway)
        for (let n = 0; n < 20; n += 1) statuses.add((await get(gateway, PAGE)).status)
        const { status } = await fetch(`${gateway.url}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query: '{ datasets { total } }' }),
        })
        statuses.add(status)
        const after = await readsOf(gateway)
        return [after.primary - before.primary, after.replica - before.replica]
      }
      // On a busy machine, a replica may report its position late. The gateway then reads from the primary.
      await expect.poll(countReads).toEqual([0, 21])
      expect(statuses).toEqual(new Set([200]))
    }
  })

  test('show each change within a second, and always after that', async () => {
    for (let generation = 1; generation <= 20; generation += 1) {
      const name = `generation ${String(generation).padStart(3, '0')}`
      await rename(name)
      await Promise.all(
        gateways.map(async (gateway) => {
          await expectNameWithinASecond(gateway, name)
          for (let n = 0; n < 5; n += 1) expect(await nameOfGate(gateway)).toBe(name)
        }),
      )
    }
  })

  test('skip a replica that lags, and show nothing of its old state', async () => {
    const [lagging] = replicas
    if (!lagging) throw new Error('There is no replica')
    await askReplica(lagging, 'SELECT pg_wal_replay_pause()')
    await rename('while one lags')
    for (const gateway of gateways) {
      await expectNameWithinASecond(gateway, 'while one lags')
      await settled(gateway === gateways[0] ? (gateways[1] ?? gateway) : gateway)
      for (let n = 0; n < 20; n += 1) expect(await nameOfGate(gateway)).toBe('while one lags')
    }
  })

  test('read from the primary while all replicas lag, and from the replicas once they have caught up', async () => {
    const [, uncached] = gateways
    if (!uncached) throw new Error('There is no gateway')
    for (const replica of replicas) await askReplica(replica, 'SELECT pg_wal_replay_pause()')
    await rename('while all lag')
    await expectWithinASecond(
      () => nameOfGate(uncached),
      (name) => expect(name).toBe('while all lag'),
    )
    const before = await readsOf(uncached)
    for (let n = 0; n < 10; n += 1) expect(await nameOfGate(uncached)).toBe('while all lag')
    const during = await readsOf(uncached)
    expect([during.primary - before.primary, during.replica - before.replica]).toEqual([10, 0])
    for (const replica of replicas) await askReplica(replica, 'SELECT pg_wal_replay_resume()')
    await settled(uncached)
    expect(await nameOfGate(uncached)).toBe('while all lag')
  })

  test('answer every request while a replica dies, and while all replicas are dead', async () => {
    const statuses: number[] = []
    let isOver = false
    const clients = gateways.map(async (gateway) => {
      while (!isOver) {
        const response = await get(gateway, `/v1/datasets/${DATASET.seoul}/items?page=${1 + (statuses.length % 3)}`)
        statuses.push(response.status)
        await response.text()
      }
    })
    const moreAnswers = async () => {
      const enough = statuses.length + 50
      await expect.poll(() => statuses.length).toBeGreaterThan(enough)
    }
    for (const replica of replicas) {
      await moreAnswers()
      await replica.stop('immediate')
    }
    await moreAnswers()
    isOver = true
    await Promise.all(clients)
    expect(statuses.length).toBeGreaterThan(100)
    expect(new Set(statuses)).toEqual(new Set([200]))
    await rename('without replicas')
    for (const gateway of gateways) {
      await expectWithinASecond(
        () => nameOfGate(gateway),
        (name) => expect(name).toBe('without replicas'),
      )
    }
  })
})
