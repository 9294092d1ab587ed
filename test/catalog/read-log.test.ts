import { beforeAll, describe, expect, test } from 'vitest'
import { DatasetList, readDatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import { decidesAlike, ReadLog, Statements } from '../../src/catalog/snapshot/read-log.ts'
import { createBatchers } from '../../src/catalog/sql/statement-batcher.ts'
import { StatementCancelled } from '../../src/database/cancellation.ts'
import { TurnTimeout } from '../../src/database/fair-queue.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { someDataset } from '../support/datasets.ts'
import { keyWith } from '../support/key.ts'

const key = keyWith({ accessTiers: ['gold'], grants: [{ datasetId: 'granted', expiresAt: new Date(1_000) }] })
const { seoul, paid } = DATASET

const db = useDatabase()
let list: DatasetList
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
  list = await readDatasetList(db.database.prisma)
})

const revisionOf = (id: string) => list.withId(id)?.revision ?? null
const log = () => new ReadLog(list, key, new Date(0))
const open = () => {
  const readLog = log()
  const { prisma, sql } = db.database
  return { readLog, statements: new Statements({ prisma, reader: sql, batchers: createBatchers(sql) }, readLog) }
}
const touch = (id: string) => db.database.prisma.dataset.update({ where: { id }, data: { updatedAt: new Date() } })

test('the items of a read are all that its statements returned, and belong to a dataset only if the read knows one', () => {
  const dataset = (id: string) => list.all.filter((each) => each.id === id)
  const readsOf = (ids: readonly string[], onAll: boolean) => {
    const readLog = log()
    for (const id of ids) for (const each of dataset(id)) readLog.mayAccess(each)
    if (onAll) readLog.dependOnAll()
    readLog.countItems(2)
    readLog.countItems(3)
    return [readLog.itemsRead.items, readLog.itemsRead.dataset?.id]
  }
  expect(readsOf([seoul], false)).toEqual([5, seoul])
  expect(readsOf([seoul], true)).toEqual([5, undefined])
  expect(readsOf([seoul, paid], false)).toEqual([5, undefined])
  expect(readsOf([], false)).toEqual([5, undefined])
})

test('the scope of a read is the datasets that the key may access, and asking for it decides nothing', () => {
  const readLog = log()
  const { scope } = readLog
  expect(readLog.dependencies).toEqual({ decisions: [], onAll: false, onKey: false })
  expect(scope).toEqual(list.all.filter((dataset) => log().mayAccess(dataset)).map(({ id }) => id))
  expect([scope.includes(seoul), scope.length < list.all.length]).toEqual([true, true])
})

test.each([
  ['the statement was cancelled', new StatementCancelled(), false],
  ['its key had no turn', new TurnTimeout(1), false],
  ['the connection was lost', Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
])('the server has failed if %s: %s', (_why, error, hasFailed) => {
  const readLog = log()
  readLog.fail(error)
  expect(readLog.hasFailed).toBe(hasFailed)
})

describe('A result is one state', () => {
  test('if it uses the list only', () => {
    expect(log().isOneState).toBe(true)
  })

  test('if all statements return the revisions of the list', () => {
    const readLog = log()
    readLog.verify([
      [seoul, revisionOf(seoul)],
      [paid, revisionOf(paid)],
    ])
    readLog.verify([[seoul, revisionOf(seoul)]])
    expect(readLog.isOneState).toBe(true)
  })

  test.each<[string, string, bigint | null]>([
    ['another revision', seoul, -1n],
    ['a dataset that is gone', seoul, null],
    ['a dataset that the list does not have', 'new', 1n],
  ])('not if a statement returns %s', (_what, id, revision) => {
    const readLog = log()
    readLog.verify([[paid, revisionOf(paid)]])
    readLog.verify([
      [id, revision],
      [paid, revisionOf(paid)],
    ])
    expect(readLog.isOneState).toBe(false)
  })

  /** Which reads are one state: of no dataset, of one, of the same twice, of two, of all, and one that misses a record. */
  const whichAreOneState = async (rows: number) => {
    const scopes = [[], [seoul], [seoul, seoul], [seoul, paid], 'all', 'miss'] as const
    return Promise.all(
      scopes.map(async (scope) => {
        const { readLog, statements } = open()
        if (scope === 'miss') await statements.miss()
        else await statements.on(scope).$queryRaw`SELECT n FROM generate_series(1, ${rows}::integer) AS n`
        return readLog.isOneState
      }),
    )
  }

  test.each([0, 1, 2])('if its datasets are as in the list, whatever happens to others, with %i rows', async (rows) => {
    expect(await whichAreOneState(rows)).toEqual([true, true, true, true, true, true])
    await touch(paid)
    expect(await whichAreOneState(rows)).toEqual([true, true, true, false, false, false])
    await touch(seoul)
    expect(await whichAreOneState(rows)).toEqual([true, false, false, false, false, false])
    list = await readDatasetList(db.database.prisma)
  })

  test('not if it reads all datasets, and one is new or gone', async () => {
    const data = { ...someDataset(crypto.randomUUID(), 0n), slug: 'new' }
    const { id } = await db.database.prisma.dataset.create({ data })
    expect(await whichAreOneState(1)).toEqual([true, true, true, true, false, false])
    list = await readDatasetList(db.database.prisma)
    const { readLog, statements } = open()
    await db.database.prisma.dataset.delete({ where: { id } })
    expect(await whichAreOneState(1)).toEqual([true, true, true, true, false, false])
    await statements.on([id]).$queryRaw`SELECT 1`
    expect(readLog.isOneState).toBe(false)
    list = await readDatasetList(db.database.prisma)
  })

  test('and the rows of a statement are in their order', async () => {
    const rows = await open().statements.on([seoul]).$queryRaw`SELECT n FROM generate_series(1, 5) AS n ORDER BY n DESC`
    expect(rows).toMatchObject([5, 4, 3, 2, 1].map((n) => ({ n })))
  })
})

describe('What a result depends on', () => {
  const datasets = [
    someDataset('open', 1n),
    someDataset('granted', 2n, { visibility: 'restricted' }),
    someDataset('paid', 3n, { visibility: 'paid', accessTier: 'gold' }),
    someDataset('hidden', 4n, { visibility: 'restricted' }),
  ]

  test('are the decisions that it asked for, each once, and all datasets if it asked for the list', () => {
    const readLog = new ReadLog(new DatasetList(datasets), key, new Date(0))
    const decided = datasets.map((dataset) => [dataset.id, readLog.mayAccess(dataset)])
    expect(decided).toEqual([
      ['open', true],
      ['granted', true],
      ['paid', true],
      ['hidden', false],
    ])
    for (const dataset of datasets) readLog.mayAccess(dataset)
    const { decisions, onAll } = readLog.dependencies
    expect(decisions.map(({ dataset, isAllowed }) => [dataset.id, isAllowed])).toEqual(decided)
    expect(onAll).toBe(false)
    readLog.dependOnAll()
    expect(readLog.dependencies.onAll).toBe(true)
  })

  test('holds for another caller only if the rule decides the same about every dataset, by its id', () => {
    const readLog = new ReadLog(new DatasetList(datasets), key, new Date(0))
    for (const dataset of datasets) readLog.mayAccess(dataset)
    const { decisions } = readLog.dependencies
    const alike = (access: typeof key, now = new Date(0)) => decidesAlike(decisions, access, now)
    expect(alike(key)).toBe(true)
    expect(alike({ ...key, accessTiers: ['gold', 'silver'] })).toBe(true)
    expect(alike(key, new Date(1_000))).toBe(false)
    expect(alike({ ...key, accessTiers: [] })).toBe(false)
    expect(alike({ ...key, grants: [] })).toBe(false)
    // As many grants, but for another dataset.
    expect(alike({ ...key, grants: [{ datasetId: 'hidden', expiresAt: new Date(1_000) }] })).toBe(false)
    expect(alike({ ...key, grants: [...key.grants, { datasetId: 'hidden', expiresAt: new Date(1_000) }] })).toBe(false)
  })
})
