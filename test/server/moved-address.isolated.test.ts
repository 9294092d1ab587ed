import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { ITEM, seedCatalog } from '../support/catalog.ts'
import { type Cluster, hasPostgres, type PostgresServer, startCluster } from '../support/cluster.ts'
import { ask, oneConnection } from '../support/connections.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { startGateway } from '../support/process.ts'
import { openProxy } from '../support/proxy.ts'
import { LIMITS_ENV } from '../support/template.ts'
import { times } from '../support/workers.ts'

/*
 * The address of the database moves to a promoted replica, while the old primary and its connections live on (split brain).
 */

describe.skipIf(!process.env.TEST_DATABASE_URL || !hasPostgres)('When the address of a living primary moves', () => {
  let cluster: Cluster
  let replica: PostgresServer
  let key: string
  const open = ({ url }: PostgresServer): Promise<Database> =>
    openDatabase(readConfig({ DATABASE_URL: url, ...LIMITS_ENV }).database, { share: false })

  beforeAll(async () => {
    cluster = await startCluster()
    const database = await open(cluster.primary)
    await database.withSession((session) => migrate(session))
    await seedCatalog(database.prisma)
    ;({ key } = await createKey(database.prisma, { name: 'moved' }))
    await database.close()
  })
  afterAll(() => cluster.close())

  test.each(['1', '2'])('the gateway follows it, with WORKERS=%s', async (workers) => {
    replica = await cluster.addReplica()
    const proxy = await openProxy(cluster.primary.url)
    const env = { ...LIMITS_ENV, DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: '8' }
    const gateway = await startGateway({ ...env, WORKERS: workers })
    const agents = times(6, oneConnection)
    const headers = { authorization: `Bearer ${key}` }
    const names = () =>
      Promise.all(
        agents.map(
          async (agent) => (await ask(`${gateway.url}/v1/dataset-items/${ITEM.gate}`, { headers, agent })).body,
        ),
      )
    const promoted = await open(replica)
    const rename = (name: string) => promoted.prisma.item.update({ where: { id: ITEM.gate }, data: { name } })

    await names()
    await promoted.prisma.$executeRaw`SELECT pg_promote()`
    proxy.moveTo(replica.url)
    await rename('on the new server')
    await expect.poll(async () => (await names()).every((body) => body.includes('on the new server'))).toBe(true)
    for (const name of ['changed', 'changed again']) {
      await rename(name)
      await expectWithinASecond(names, (bodies) => expect(bodies.every((body) => body.includes(name))).toBe(true))
      for (const body of await names()) expect(body).toContain(name)
    }
    for (const agent of agents) agent.destroy()
    await gateway.stop()
    await promoted.close()
    await proxy.close()
    await replica.stop('immediate')
  })
})
