import { beforeAll, describe, expect, inject, test } from 'vitest'
import { isTransient, isUnavailable } from '../../src/database/client.ts'
import { DATASET, IMAGE, ITEM, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaits } from '../support/lock-waits.ts'

/*
 * Writers that lock several datasets, or tables and datasets, lock them in one order. So they wait, and none gets "deadlock detected".
 */

/** How often each writer repeats its change. */
const ROUNDS = 400

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

describe.runIf(inject('template').kind === 'postgres')('Writers never wait for each other:', () => {
  /** Repeats a statement in transactions of its own. */
  const repeat = (sql: string, parameters: readonly string[][]) =>
    db.database.withSession(async (session) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await session.query(sql, parameters[round % parameters.length])
      }
    })

  test.each([
    ['items', 'UPDATE items SET dataset_id = $2 WHERE id = $1', [ITEM.tower, ITEM.paid], [DATASET.seoul, DATASET.paid]],
    [
      'images',
      'UPDATE images SET item_id = $2 WHERE id = $1',
      [IMAGE.second, IMAGE.tied],
      [ITEM.palace, ITEM.archived],
    ],
  ] as const)('opposite moves of %s between two datasets', async (_what, sql, [one, other], [here, there]) => {
    await Promise.all([
      repeat(sql, [
        [one, there],
        [one, here],
      ]),
      repeat(sql, [
        [other, here],
        [other, there],
      ]),
    ])
  })

  test.each([
    ['a recount', 'SELECT recount_items()'],
    ['a TRUNCATE', 'TRUNCATE items CASCADE'],
    ['a TRUNCATE of images', 'TRUNCATE images'],
    ['a TRUNCATE of labels', 'TRUNCATE code_labels'],
  ])('%s and the removal of a dataset', async (_what, sql) => {
    const dataset = `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
      VALUES ($1, 'removed', 'Removed', 'active', 'public', '', now(), now())`
    await db.database.withSession(async (session) => {
      await session.query('BEGIN')
      await session.query(`SELECT FROM datasets WHERE id = '${DATASET.seoul}' FOR NO KEY UPDATE`)
      const id = 'ffffffff-0000-4000-8000-000000000001'
      // The recount waits for the first dataset. The removal must not lock the last one and wait for the recount.
      await db.database.withSession((other) => other.query(dataset, [id]))
      const locking = db.database.withSession((other) => other.query(sql))
      await expect.poll(() => countLockWaits(db.database)).toBe(1)
      const removing = db.database.withSession((other) => other.query('DELETE FROM datasets WHERE id = $1', [id]))
      await expect.poll(() => countLockWaits(db.database)).toBe(2)
      await session.query('COMMIT')
      await Promise.all([locking, removing])
    })
  })
})

test.each(['40P01', '40001'])('an error with the SQLSTATE %s can pass, with Prisma or without it', async (code) => {
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '${code}'; END $$`
  const { prisma } = db.database
  const errors = await Promise.all([
    prisma.$executeRawUnsafe(raise).catch((error: unknown) => error),
    prisma.$transaction((transaction) => transaction.$executeRawUnsafe(raise)).catch((error: unknown) => error),
    db.database.withSession((session) => session.query(raise)).catch((error: unknown) => error),
  ])
  for (const error of errors) expect([isTransient(error), isUnavailable(error)]).toEqual([true, true])
})
