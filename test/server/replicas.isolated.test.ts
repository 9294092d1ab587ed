import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { type Cluster, hasPostgres, type PostgresServer, startCluster } from '../support/cluster.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'

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
  const logs = new Map<Gateway, string>()

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
    // One caches responses. Two do not, so that each request reads the database. One has workers.
    gateways = await Promise.all([
      startGateway(env),
      startGateway({ ...env, RESPONSE_CACHE_MB: '0' }),
      startGateway({ ...env, RESPONSE_CACHE_MB: '0', WORKERS: '2' }),
    ])
    for (const gateway of gateways) {
      gateway.child.stderr?.on('data', (data) => logs.set(gateway, (logs.get(gateway) ?? '') + data))
    }
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

  /** Whether each replica is usable, in the metrics. */
  const usableOf = async ({ printed }: Gateway) => {
    const metrics = await (await fetch(/Metrics at (\S+)/.exec(printed)?.[1] ?? '')).text()
    return [...metrics.matchAll(/^database_server_usable\{role="replica",server="127.0.0.1:(\d+)"\} (.*)$/gm)].map(
      ([, port, value]) => [Number(port), Number(value)],
    )
  }
  const portOf = (replica: PostgresServer | undefined) => Number(new URL(replica?.url ?? '').port)
  const examine = async (replicaUrls: readonly string[]) => {
    const env = { ...TIMEOUTS, DATABASE_URL: cluster.primary.url, DATABASE_REPLICA_URLS: replicaUrls.join(',') }
    const { stdout } = await runCatalog(env, 'doctor', '--json')
    expect(stdout).not.toContain('geheim')
    const findings: { check: string; isOk: boolean; found: string; advice?: string; sql?: string }[] =
      JSON.parse(stdout)
    return findings.filter(({ check }) => check === 'replica')
  }

  test('doctor says of each replica whether it can be read, and why not', async () => {
    const [replica] = replicas
    if (!replica) throw new Error('There is no replica')
    const wrong = (change: Partial<URL>) => Object.assign(new URL(replica.url), change).href
    await askReplica(cluster.primary, `CREATE ROLE reader LOGIN PASSWORD 'geheim'`)
    const found = await examine([
      ...replicas.map(({ url }) => url),
      wrong({ username: 'nobody', password: 'geheim' }),
      wrong({ port: '1', password: 'geheim' }),
      wrong({ pathname: '/template1' }),
      wrong({ pathname: '/none' }),
      wrong({ username: 'reader', password: 'geheim' }),
      cluster.primary.url,
    ])
    const at = (server: PostgresServer | undefined, text: string) =>
      expect.stringMatching(`^127.0.0.1:${portOf(server)} ${text}`)
    expect(found.map(({ isOk, found, advice }) => [isOk, found, advice])).toEqual([
      ...replicas.map((one) => [true, at(one, 'has replayed what the primary had'), undefined]),
      [false, at(replica, `can't be used: role "nobody" does not exist`), expect.stringContaining('pg_hba.conf')],
      [false, expect.stringMatching(/^127.0.0.1:1 can't be used: .*ECONNREFUSED/), expect.stringContaining('the port')],
      [
        false,
        at(replica, `can't be used: relation "primary_mark" does not exist`),
        expect.stringContaining('the database'),
      ],
      [false, at(replica, `can't be used: database "none" does not exist`), expect.stringContaining('the database')],
      [false, at(replica, 'reader may not read .*items'), 'run this on the primary'],
      [true, at(replica, 'is in use; a wrong server'), expect.stringContaining('GRANT pg_read_all_stats TO reader')],
      [true, at(cluster.primary, 'is the primary now'), expect.stringContaining('leave its URL')],
    ])
  })

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
    const [paused] = await examine([lagging.url])
    expect(paused).toMatchObject({ isOk: false, found: expect.stringMatching(/ is paused: it lags by \d+ bytes/) })
    expect(paused?.sql).toBe('SELECT pg_wal_replay_resume();')
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

  test('say in one line that a replica is back, and in one that it is lost, and show it in the metrics', async () => {
    const [replica] = replicas
    const linesOf = (gateway: Gateway) =>
      (logs.get(gateway) ?? '').match(new RegExp(`The replica 127.0.0.1:${portOf(replica)} .*`, 'g')) ?? []
    const seconds = { timeout: 60_000 }
    const usable = (value: number) => [
      [portOf(replica), value],
      [portOf(replicas[1]), 0],
    ]
    const before = new Map<Gateway, number>()
    for (const gateway of gateways) {
      await expect.poll(() => linesOf(gateway).at(-1), seconds).toContain('is not used: ')
      await expect.poll(() => usableOf(gateway), seconds).toEqual(usable(0))
      before.set(gateway, linesOf(gateway).length)
    }
    const newLines = (gateway: Gateway) => linesOf(gateway).slice(before.get(gateway))
    await replica?.demote()
    const back = expect.stringMatching(/ is back after \d+ seconds/)
    for (const gateway of gateways) {
      await expect.poll(() => usableOf(gateway), seconds).toEqual(usable(1))
      await expect.poll(() => newLines(gateway), seconds).toEqual([back])
    }
    await replica?.stop('immediate')
    const lost = expect.stringContaining(' is not used: connect ECONNREFUSED')
    for (const gateway of gateways) {
      await expect.poll(() => newLines(gateway), seconds).toEqual([back, lost])
      await expect.poll(() => usableOf(gateway), seconds).toEqual(usable(0))
    }
  })
})
