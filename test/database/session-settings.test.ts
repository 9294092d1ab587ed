import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import { migrate } from '../../src/database/migrate.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { createDatabase, createOwnDatabase } from '../support/database.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type Database, openDatabase } from '../support/open-database.ts'

/*
 * An operator can give sessions other settings: for a server, a database or a role, or in the URL. The times in responses and the times
 * at which keys end do not depend on them.
 */

const SETTINGS = {
  timezone: 'Asia/Seoul',
  datestyle: 'German, DMY',
  extra_float_digits: '-12',
  standard_conforming_strings: 'off',
  statement_timeout: '1',
}

/** Settings that would stop an import or a migration. */
const STOPPING = {
  statement_timeout: '80',
  lock_timeout: '20',
  idle_in_transaction_session_timeout: '20',
  search_path: 'elsewhere',
}

describe.runIf(inject('template').kind === 'postgres')('A database whose sessions have other settings', () => {
  let usual: TestApp
  const opened: Database[] = []
  beforeAll(async () => {
    usual = await startApp()
  })
  afterAll(async () => {
    for (const database of opened) await database.close()
    await usual.close()
  })

  async function startWith(query: string): Promise<TestApp> {
    if (usual.config.kind !== 'postgres') throw new Error('This test needs a server')
    const url = new URL(usual.config.url)
    url.search = query
    const database = await openDatabase({ ...usual.config, url: url.href }, { share: true })
    opened.push(database)
    return startApp({ beside: { ...usual, database } })
  }

  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '')}`)

  test.each([
    ['in the options of the URL', `?options=${encodeURIComponent(options.join(' '))}`],
    ['in parameters of the URL', '?statement_timeout=1&query_timeout=1&application_name=reports&max=1'],
  ])('%s gives the same responses', async (_where, query) => {
    const odd = await startWith(query)
    for (const path of [
      `/v1/datasets/${DATASET.seoul}`,
      `/v1/datasets/${DATASET.seoul}/items`,
      `/v1/dataset-items/${ITEM.palace}`,
      '/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=9000',
      '/exports/seoul.ndjson',
    ]) {
      const [expected, got] = await Promise.all([usual, odd].map(async (app) => (await app.get(path)).text()))
      expect(got, path).toBe(expected)
    }
    const { prisma } = usual.database
    const revoked = await createKey(prisma, { name: 'revoked' })
    await revokeKey(prisma, revoked.id)
    const expired = await createKey(prisma, { name: 'expired', expiresAt: new Date(Date.now() - 60_000) })
    for (const { key } of [revoked, expired]) {
      expect((await odd.get('/v1/datasets', { authorization: `Bearer ${key}` })).status).toBe(401)
    }
    await odd.close()
  })

  test('lets an import and a migration wait for locks and take their time, and finds the tables', async () => {
    const own = await createOwnDatabase()
    if (own.config.kind !== 'postgres') throw new Error('This test needs a server')
    const { pathname } = new URL(own.config.url)
    const url = new URL(own.config.url)
    await own.database.withSession(async (session) => {
      for (const [name, value] of Object.entries(STOPPING)) {
        await session.query(`ALTER DATABASE ${pathname.slice(1)} SET ${name} = '${value}'`)
        await session.query(`ALTER ROLE CURRENT_USER IN DATABASE ${pathname.slice(1)} SET ${name} = '${value}'`)
        url.searchParams.set(name, value)
      }
    })
    url.searchParams.set('query_timeout', '1')
    const database = await openDatabase({ ...own.config, url: url.href }, { share: true })
    await seedCatalog(database.prisma)
    await database.withSession(async (session) => {
      const names = Object.keys(STOPPING).map((name) => `current_setting('${name}') AS ${name}`)
      const { rows } = await session.query(`SELECT ${names.join(', ')}`)
      expect(rows).toEqual([
        {
          statement_timeout: '0',
          lock_timeout: '0',
          idle_in_transaction_session_timeout: '0',
          search_path: 'public',
        },
      ])
      expect(await migrate(session)).toEqual([])
      expect((await checkHealth(session)).filter(({ isOk }) => !isOk).map(({ check }) => check)).toEqual(['keys'])
    })
    await own.database.withSession(async (holder) => {
      await holder.query('BEGIN; LOCK images')
      const imported = database.withSession(async (session) => {
        await session.query('BEGIN; SELECT pg_sleep(0.1)')
        await sleep(100)
        await session.query('LOCK images')
        await session.query('COMMIT')
        return 'committed'
      })
      await expect.poll(() => countLockWaits(own.database)).toBe(1)
      await sleep(100)
      await holder.query('COMMIT')
      expect(await imported).toBe('committed')
    })
    await database.close()
    await own.close()
  })

  test('in the database itself reads the same times and numbers, and an import writes its times in UTC', async () => {
    const own = await createOwnDatabase()
    await own.database.withSession(async (session) => {
      for (const [name, value] of Object.entries(SETTINGS)) {
        if (name === 'statement_timeout') continue
        const sql = `ALTER DATABASE %I SET ${name} = ''${value}''`
        await session.query(`DO $$ BEGIN EXECUTE format('${sql}', current_database()); END $$`)
      }
    })
    const database = await openDatabase(own.config, { share: true })
    opened.push(database)
    const [row] = await database.prisma.$queryRaw<{ time: Date; text: string; degrees: string }[]>`
      SELECT '2026-11-23T01:02:03Z'::timestamptz AS time, '2026-11-23T01:02:03Z'::timestamptz::text AS text, 126.97700000000012::float8::text AS degrees`
    expect(row).toEqual({
      time: new Date('2026-11-23T01:02:03Z'),
      text: '2026-11-23 01:02:03+00',
      degrees: '126.97700000000012',
    })
    // The history has hashes of texts.
    await database.withSession(async (session) => {
      await session.query('BEGIN')
      const { rows } = await session.query(
        `SELECT current_setting('timezone') AS zone, to_jsonb('2026-11-23T01:02:03Z'::timestamptz) AS time`,
      )
      expect(rows).toEqual([{ zone: 'UTC', time: '2026-11-23T01:02:03+00:00' }])
    })
    await own.close()
  })
})

test('a time is not read in the form of a setting', async () => {
  const { database, close } = await createDatabase()
  await expect(database.sql.$queryRaw`SELECT now() AS time`).rejects.toThrow('as JSON')
  await close()
})
