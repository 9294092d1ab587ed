import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createDatabase()
})
afterAll(() => db.close())

test('a migrated database has nothing left to apply', async () => {
  expect(await db.database.withSession((session) => migrate(session))).toEqual([])
})
