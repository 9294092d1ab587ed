import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { createOwnDatabase, type TestDatabase } from '../support/database.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type Database, openDatabase } from '../support/open-database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { runCatalog } from '../support/process.ts'

/*
 * PgBouncer between the gateway and PostgreSQL.
 */

const SAMPLES = 'src/sample/seoul-landmarks.json'

describe.runIf(inject('template').kind === 'postgres' && hasPgBouncer)(
  'Behind PgBouncer in session mode, the gateway',
  () => {
    let own: TestDatabase
    let pooler: PgBouncer
    let database: Database
    let open: () => Promise<Database>
    let direct: TestApp
    let app: TestApp
    let env: Record<string, string>

    beforeAll(async () => {
      own = await createOwnDatabase()
      if (own.config.kind !== 'postgres') throw new Error('This test needs a server')
      await seedCatalog(own.database.prisma)
      const { url } = own.config
      pooler = await startPgBouncer(url, 'session')
      env = { ...own.env, DATABASE_URL: pooler.url }
      const config = { ...own.config, url: pooler.url }
      open = () => openDatabase(config, { share: true })
      database = await open()
      direct = await startApp()
      await direct.close()
      direct = await startApp({ beside: { ...direct, ...own } })
      app = await startApp({ beside: { ...direct, database } })
    })
    afterAll(async () => {
      await app.close()
      await direct.close()
      await database.close()
      await pooler.close()
      await own.close()
    })

    test('gives the responses that it gives without it, to many requests at once', async () => {
      const paths = [`/v1/datasets/${DATASET.seoul}/items`, '/search?text=palace']
      const headers = { authorization: `Bearer ${direct.key}` }
      for (const path of paths) {
        const expected = await (await direct.get(path, headers)).text()
        const got = await Promise.all(Array.from({ length: 10 }, async () => (await app.get(path, headers)).text()))
        expect(new Set(got), path).toEqual(new Set([expected]))
      }
      const exported = async (t: TestApp) => (await t.get('/exports/seoul.ndjson')).text()
      expect(await exported(app)).toBe(await exported(direct))
    })

    test('shows a change within a second', async () => {
      const nameOf = async () => (await (await app.get(`/v1/dataset-items/${ITEM.gate}`)).json()).data.name
      await nameOf()
      await own.database.prisma.$executeRaw`UPDATE items SET name = 'Changed' WHERE id = ${ITEM.gate}::uuid`
      await expectWithinASecond(nameOf, (name) => expect(name).toBe('Changed'))
    })

    test('cancels the statement of a client that disconnects, and no other', async () => {
      // A pool of its own: beside other keys, a key has one place for its long statements.
      const fresh = await open()
      const alone = await startApp({ beside: { ...direct, database: fresh } })
      await own.database.withSession(async (session) => {
        await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
        const ask = (radius: number, signal?: AbortSignal) =>
          fetch(`${alone.url}/v1/dataset-items/nearby?latitude=1&longitude=1&radius=${radius}`, {
            headers: { authorization: `Bearer ${alone.key}` },
            ...(signal && { signal }),
          })
        const leaving = new AbortController()
        const gone = ask(1, leaving.signal)
        await expect.poll(() => countLockWaits(own.database)).toBe(1)
        const staying = ask(2)
        await expect.poll(() => countLockWaits(own.database)).toBe(2)
        leaving.abort()
        await expect(gone).rejects.toThrow()
        await expect.poll(() => countLockWaits(own.database)).toBe(1)
        await session.query('COMMIT')
        expect((await staying).status).toBe(200)
      })
      await alone.close()
      await fresh.close()
    })

    test('imports and undoes, and doctor finds nothing', async () => {
      expect(await runCatalog(env, 'import', SAMPLES)).toMatchObject({ code: 0, stderr: '' })
      expect(await runCatalog(env, 'undo', 'seoul-landmarks', '--allow-removals')).toMatchObject({
        code: 0,
        stderr: '',
      })
      const { stdout, code } = await runCatalog(env, 'doctor', '--json')
      const ill = JSON.parse(stdout).filter(({ isOk }: { isOk: boolean }) => !isOk)
      expect({ ill, code }).toEqual({ ill: [], code: 0 })
    })
  },
)

describe.runIf(inject('template').kind === 'postgres' && hasPgBouncer)('A pooler in transaction mode', () => {
  test('ends the start with one line that says what to do', async () => {
    const own = await createOwnDatabase()
    if (own.config.kind !== 'postgres') throw new Error('This test needs a server')
    const pooler = await startPgBouncer(own.config.url, 'transaction')
    const { code, stderr } = await runCatalog({ DATABASE_URL: pooler.url }, 'serve')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'catalog: The database is behind a pooler in transaction mode: set it to session mode, or name the server itself in DATABASE_URL\n',
    })
    await pooler.close()
    await own.close()
  })
})
