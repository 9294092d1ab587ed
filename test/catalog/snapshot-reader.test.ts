import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createKeyCache } from '../../src/auth/api-key.ts'
import { createKey } from '../../src/auth/keys.ts'
import type { Access } from '../../src/catalog/access.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Item } from '../../src/catalog/models.ts'
import { type CallerAccess, createSnapshotReader } from '../../src/catalog/snapshot-reader.ts'
import { CatalogPool } from '../../src/database/pool.ts'
import { Replica } from '../../src/database/replica.ts'
import { ServerWatch } from '../../src/database/server-watch.ts'
import type { SqlReader } from '../../src/database/sql-reader.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'
import { keyWith } from '../support/key.ts'
import { countLockWaits } from '../support/lock-waits.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const NOBODY: Access = { accessTiers: [], grants: [] }
const withGrant = (datasetId: string, expiresAt: Date | null = null): Access => ({
  accessTiers: [],
  grants: [{ datasetId, expiresAt }],
})
const callerWith = (access: Access, now = new Date()): CallerAccess => ({ key: keyWith(access), now })

/** A reader whose feed hears of no change, so what it has cached stays. */
let reader: ReturnType<typeof createSnapshotReader>
let written = 0
beforeEach(async () => {
  reader = createSnapshotReader(db.database, createFeed().feed)
  await write()
})

/** Writes the same text to a dataset and to an item in it, in one transaction. */
async function write(): Promise<string> {
  written += 1
  const description = `state ${written}`
  const { prisma } = db.database
  await prisma.$transaction([
    prisma.dataset.update({ where: { id: DATASET.seoul }, data: { description } }),
    prisma.item.update({ where: { id: ITEM.gate }, data: { description } }),
  ])
  return description
}

/** Reads both texts. `between` runs before the second one, with the number of the attempt. */
const readBoth = async (between: (attempt: number) => Promise<unknown>) => {
  const caller = callerWith(NOBODY)
  let attempt = 0
  const { result } = await reader(
    caller,
    async () => caller,
  )(async (catalog) => {
    attempt += 1
    const { description } = catalog.dataset('seoul')
    await between(attempt)
    return [description, (await catalog.item(ITEM.gate)).description]
  })
  return { attempt, result }
}

describe('A read', () => {
  test('without a change runs once', async () => {
    const text = `state ${written}`
    expect(await readBoth(async () => {})).toEqual({ attempt: 1, result: [text, text] })
  })

  test('during which the catalog changes runs again, and then starts with the present list of datasets', async () => {
    const { attempt, result } = await readBoth(async (n) => n === 1 && write())
    const text = `state ${written}`
    expect({ attempt, result }).toEqual({ attempt: 2, result: [text, text] })
  })

  test.runIf(inject('template').kind === 'postgres')(
    'that runs again sees one state, whatever changes meanwhile',
    async () => {
      const { attempt, result } = await readBoth(write)
      expect(attempt).toBe(2)
      expect(result).toEqual([`state ${written - 1}`, `state ${written - 1}`])
    },
  )
})

describe.runIf(inject('template').kind === 'postgres')('A read that runs again', () => {
  test('sees the items of its state, also if a TRUNCATE empties the table meanwhile', async () => {
    let truncating: Promise<unknown> | undefined
    let isDone = false
    const { result } = await readBoth(async (attempt) => {
      if (attempt === 1) return write()
      truncating = db.database
        .withSession((session) => session.query('TRUNCATE items CASCADE'))
        .finally(() => {
          isDone = true
        })
      await expect.poll(async () => isDone || (await countLockWaits(db.database)) > 0).toBe(true)
    })
    expect(result).toEqual([`state ${written}`, `state ${written}`])
    await truncating
    await db.database.prisma.dataset.deleteMany()
    await seedCatalog(db.database.prisma)
  })

  // On a busy machine PostgreSQL may choose the other side as the victim.
  test('is tried again if it is the victim of a deadlock', { retry: 5 }, async () => {
    await db.database.withSession(async (session) => {
      await session.query('BEGIN')
      const { attempt, result } = await readBoth(async (n) => {
        if (n > 1) return
        await write()
        await session.query('LOCK TABLE tile_counts IN ACCESS EXCLUSIVE MODE')
        void expect
          .poll(() => countLockWaits(db.database))
          .toBeGreaterThan(0)
          .then(() => session.query('LOCK TABLE items IN ACCESS EXCLUSIVE MODE'))
          .then(() => session.query('COMMIT'))
          .catch(() => session.query('ROLLBACK'))
      })
      expect({ attempt, result }).toEqual({ attempt: 2, result: [`state ${written}`, `state ${written}`] })
    })
  })
})

/** A replica that says itself whether it is up to date. */
class SomeReplica extends Replica {
  isUpToDate = () => true
  override hasReplayed(): boolean {
    return this.isUpToDate()
  }
}

describe.runIf(inject('template').kind === 'postgres')('A read from a replica', () => {
  let replica: SomeReplica
  let isLost = false
  beforeAll(() => {
    const url = db.config.kind === 'postgres' ? db.config.url : ''
    const pool = new CatalogPool({ connectionString: url, places: 2, turnTimeoutMs: 1_000 })
    const failIfLost = () => {
      if (isLost) throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    }
    const prisma = new Proxy(db.database.prisma, {
      get: (client, name) => {
        if (name === 'dataset') failIfLost()
        return Reflect.get(client, name)
      },
    })
    const sql: SqlReader = {
      $queryRaw: async (statement, ...values) => {
        failIfLost()
        return db.database.sql.$queryRaw(statement, ...values)
      },
    }
    const watch = new ServerWatch({ role: 'replica', address: '', patienceMs: 0, report: () => {} })
    replica = new SomeReplica({ prisma, sql, pool, createClient: () => new pg.Client(url), watch })
  })
  afterAll(() => replica.close())
  beforeEach(() => {
    replica.isUpToDate = () => true
    isLost = false
    reader = createSnapshotReader({ ...db.database, replicas: [replica] }, createFeed().feed)
  })
  const describeSeoul = async () => {
    const caller = callerWith(NOBODY)
    return (await reader(caller, async () => caller)((catalog) => catalog.dataset('seoul').description)).result
  }

  test('that falls behind after the read began is not remembered', async () => {
    const before = `state ${written}`
    let asked = 0
    replica.isUpToDate = () => {
      asked += 1
      return asked === 1
    }
    expect(await describeSeoul()).toBe(before)
    replica.isUpToDate = () => true
    const text = await write()
    expect(await describeSeoul()).toBe(text)
    expect(reader.reads).toEqual({ primary: 0, replica: 2 })
  })

  test.each([
    ['throws the error of a statement', (item: Promise<Item>) => item],
    ['returns the error of a statement, as GraphQL does', (item: Promise<Item>) => item.catch((error: Error) => error)],
  ])('is repeated on the primary if it %s', async (_, settle) => {
    const caller = callerWith(NOBODY)
    await describeSeoul()
    isLost = true
    const read = reader(caller, async () => caller)
    expect(await read((catalog) => settle(catalog.item(ITEM.gate)))).toMatchObject({ result: { id: ITEM.gate } })
    expect(reader.reads).toEqual({ primary: 1, replica: 1 })
  })

  test('is repeated on the primary if the list of datasets can not be read', async () => {
    isLost = true
    expect(await describeSeoul()).toBe(`state ${written}`)
    expect(reader.reads).toEqual({ primary: 1, replica: 0 })
  })
})

describe('The key of a read', () => {
  const slugs = (catalog: Catalog) => catalog.datasets().map(({ slug }) => slug)

  test('is asked for again at the end, and if it has other rights, the read runs again with them', async () => {
    let calls = 0
    const identify = async () => {
      calls += 1
      if (calls > 5) throw new Error('asked too often')
      return callerWith(withGrant(DATASET.draft))
    }
    const { result, readLog } = await reader(callerWith(withGrant(DATASET.restricted)), identify)(slugs)
    expect([result, calls]).toEqual([['archived', 'draft', 'seoul'], 2])
    const allowed = readLog.dependencies.decisions.filter(({ isAllowed }) => isAllowed)
    expect(allowed.map(({ dataset }) => dataset.id)).toContain(DATASET.draft)
  })

  test('is read in the snapshot if it is not the same as before: equal rights may have been others between', async () => {
    const key = withGrant(DATASET.draft)
    const asked: boolean[] = []
    const identify = async (snapshot?: SqlReader) => {
      asked.push(snapshot !== undefined)
      return callerWith(snapshot ? NOBODY : { ...key })
    }
    const { result } = await reader(callerWith(key), identify)(slugs)
    expect([result, asked]).toEqual([
      ['archived', 'seoul'],
      [false, true],
    ])
  })

  test('is read in the snapshot while the change feed may miss changes', async () => {
    const silent = createSnapshotReader(db.database, silentChangeFeed)
    const caller = callerWith(withGrant(DATASET.draft))
    const { result } = await silent(caller, async (snapshot) => (snapshot ? callerWith(NOBODY) : caller))(slugs)
    expect(result).toEqual(['archived', 'seoul'])
  })

  describe('that loses its right and regains it, where the name of the dataset is another one between,', () => {
    const change = async (keyId: string, name: string, isGranted: boolean) => {
      const grant = { apiKeyId: keyId, datasetId: DATASET.restricted }
      const { prisma } = db.database
      await prisma.$transaction([
        prisma.dataset.update({ where: { id: DATASET.restricted }, data: { name } }),
        isGranted
          ? prisma.grant.create({ data: { ...grant, createdAt: new Date() } })
          : prisma.grant.deleteMany({ where: grant }),
      ])
    }
    const prepare = async () => {
      const { prisma, sql } = db.database
      const { id, key } = await createKey(prisma, { name: 'loses and regains', datasets: ['restricted'] })
      const pending: string[] = []
      const { feed, notify } = createFeed(async () => pending.splice(0).forEach(notify))
      const announceLater = () => pending.push(`dataset ${DATASET.restricted}`, `key ${id}`)
      const findKey = createKeyCache(sql, feed)
      const identify = async (snapshot?: SqlReader): Promise<CallerAccess> => {
        const found = await findKey(key, snapshot)
        if (!found) throw new Error('no such key')
        return { key: found, now: new Date() }
      }
      const read = createSnapshotReader(db.database, feed)
      const names = async (caller: CallerAccess) =>
        (await read(caller, identify)((catalog) => catalog.datasets().map(({ name }) => name))).result
      return { id, notify, announceLater, identify, names }
    }

    test('is not the key of a list that is newer than the announcements', async () => {
      const { id, notify, announceLater, identify, names } = await prepare()
      expect(await names(await identify())).toContain('Restricted')
      notify(`dataset ${DATASET.seoul}`)
      const caller = await identify()
      await change(id, 'Secret', false)
      announceLater()
      expect(await names(caller)).not.toContain('Secret')
      await change(id, 'Restricted', true)
    })

    test('is not read before what it regained with it is announced', async () => {
      const { id, notify, announceLater, identify, names } = await prepare()
      await change(id, 'Secret', false)
      expect(await names(await identify())).not.toContain('Secret')
      await change(id, 'Restricted', true)
      // The key is read anew for another reason.
      notify(`key ${id}`)
      announceLater()
      expect(await names(await identify())).toContain('Restricted')
    })

    test('has the response of a transaction when all that it shows is announced', async () => {
      const { id, announceLater, identify, names } = await prepare()
      const caller = await identify()
      await names(caller)
      await change(id, 'Secret', false)
      announceLater()
      await names({ ...caller, key: { ...caller.key } })
      expect((await identify()).key).not.toBe(caller.key)
      await change(id, 'Restricted', true)
    })
  })

  test('loses what expires during the read', async () => {
    const now = new Date()
    const key = withGrant(DATASET.draft, new Date(now.getTime() + 1_000))
    const caller = callerWith(key, now)
    const later = async () => ({ ...caller, now: new Date(now.getTime() + 1_000) })
    expect((await reader(caller, later)(slugs)).result).toEqual(['archived', 'seoul'])
    expect((await reader(caller, async () => caller)(slugs)).result).toContain('draft')
  })

  test('ends the read if it does not work any more', async () => {
    const identify = () => Promise.reject(new Error('revoked'))
    await expect(reader(callerWith(NOBODY), identify)(slugs)).rejects.toThrow('revoked')
  })

  test('gets the error of the read if there is one', async () => {
    const caller = callerWith(NOBODY)
    await expect(reader(caller, async () => caller)((catalog) => catalog.dataset('draft'))).rejects.toMatchObject({
      code: 'DATASET_ACCESS_DENIED',
    })
  })
})
