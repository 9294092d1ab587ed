import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { seedCatalog } from '../support/catalog.ts'
import { ask } from '../support/connections.ts'
import { createEmpty } from '../support/database.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'
import type { EmptyDatabase } from '../support/template.ts'
import { times } from '../support/workers.ts'

/*
 * Workers over the embedded database, which runs in threads of the primary process.
 */

const BUSY_PRIMARY = fileURLToPath(new URL('../support/busy-primary.ts', import.meta.url))

describe.runIf(inject('template').kind === 'embedded')('Workers over the embedded database', () => {
  let empty: EmptyDatabase
  let gateway: Gateway
  let database: Database
  let key: string
  beforeAll(async () => {
    empty = await createEmpty()
    gateway = await startGateway({
      ...empty.env,
      WORKERS: '2',
      SAMPLE_DATA: 'false',
      NODE_OPTIONS: `--import=${BUSY_PRIMARY}`,
    })
    database = await openDatabase(empty.config, { share: true })
    await seedCatalog(database.prisma)
    ;({ key } = await createKey(database.prisma, { name: 'workers' }))
  })
  afterAll(async () => {
    await database.close()
    expect(await gateway.stop()).toBe(0)
    await empty.drop()
  })

  test('share its session, and all see a new key', async () => {
    const { stdout } = await runCatalog(empty.env, 'keys', 'create', '--json', '--name', 'x')
    const headers = { authorization: `Bearer ${JSON.parse(stdout).key}` }
    // Without an agent each request has a connection of its own, so that they reach both workers.
    const answers = await Promise.all(times(6, () => ask(`${gateway.url}/v1/datasets`, { headers })))
    expect(answers.map(({ status }) => status)).toEqual(times(6, () => 200))
  })

  test('show a change within a second, also while the primary process is busy', async () => {
    // One agent keeps its connections, because a busy primary accepts no new ones.
    const read = async () => {
      const response = await fetch(`${gateway.url}/v1/datasets/seoul`, { headers: { authorization: `Bearer ${key}` } })
      return (await response.json()).data.description
    }
    for (const description of ['Changed once', 'Changed twice']) {
      await expect.poll(read).not.toBe(description)
      for (let n = 0; n < 5; n += 1) await read()
      gateway.child.kill('SIGUSR2')
      await database.prisma.dataset.update({ where: { slug: 'seoul' }, data: { description } })
      await expectWithinASecond(read, (found) => expect(found).toBe(description))
    }
  })
})
