import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { CHECKOUT, environment, runCatalog } from '../support/process.ts'

/*
 * Imports in processes of their own, on a database that this process has open. docs/importing.md makes these promises.
 */

const COUNT = 2_000

const db = useDatabase()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-interrupted-'))
  for (const name of ['old', 'new']) {
    const rows = Array.from({ length: COUNT }, (_, n) => row({ externalId: String(n), name: `${name} ${n}` }))
    await writeFile(join(folder, `${name}.ndjson`), ndjson(...rows))
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ dataset: DATASET, items: `${name}.ndjson` }))
  }
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const importFile = (name: string) => runCatalog(db.env, 'import', join(folder, `${name}.json`))

/** The first words of the names of all items, and the number of items. */
async function content(): Promise<string> {
  const [found] = await db.database.prisma.$queryRaw<{ content: string }[]>`
    SELECT string_agg(DISTINCT split_part(name, ' ', 1), ',') || count(*) AS content FROM items`
  return found?.content ?? ''
}

/** The number of staging tables with indexes. An import that has indexed its table merges next. */
async function stagedTables(): Promise<number> {
  const [found] = await db.database.prisma.$queryRaw<{ tables: bigint }[]>`
    SELECT count(*) AS tables FROM pg_indexes WHERE tablename LIKE 'import\\_%' AND indexname LIKE '%parent_item_id%'`
  return Number(found?.tables)
}

describe.each(['SIGKILL', 'SIGTERM'] as const)('An import that ends by %s while it merges', (signal) => {
  test('leaves the dataset as before or as after it, and the next import succeeds', async () => {
    expect((await importFile('old')).code).toBe(0)
    const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), 'import', join(folder, 'new.json')], {
      env: environment(db.env),
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    while (child.exitCode === null && (await stagedTables()) === 0);
    child.kill(signal)
    await exited
    expect([`old${COUNT}`, `new${COUNT}`]).toContain(await content())
    await expect.poll(stagedTables).toBe(0)
    const { code, stdout } = await importFile('new')
    expect([code, stdout]).toEqual([0, expect.stringContaining(', 0 removed, 0 skipped')])
    expect(await content()).toBe(`new${COUNT}`)
  })
})

test('two processes may import one dataset at once: the content is that of one import', async () => {
  const finished = await Promise.all([importFile('old'), importFile('new')])
  expect(finished.map(({ code }) => code)).toEqual([0, 0])
  expect([`old${COUNT}`, `new${COUNT}`]).toContain(await content())
})

test.runIf(inject('template').kind === 'postgres')(
  'an import that loses its connection says why it was lost',
  async () => {
    expect((await importFile('old')).code).toBe(0)
    // Not a transaction of Prisma: PostgreSQL ends one that is idle for a minute, and the import may take longer to get here.
    const failed = await db.database.withSession(async (session) => {
      await session.query('BEGIN; LOCK TABLE items IN SHARE MODE')
      const importing = importFile('new')
      await expect.poll(() => countLockWaits(db.database)).toBe(1)
      await session.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      return importing
    })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toBe('catalog: The database went away: terminating connection due to administrator command\n')
    expect(await content()).toBe(`old${COUNT}`)
  },
)

describe.runIf(inject('template').kind === 'postgres').each(['SIGINT', 'SIGKILL'] as const)(
  'An import that ends by %s after it has written all items',
  (signal) => {
    test('ends its statement soon, also if it waits for a lock, leaves nothing of its merge, and says so to a person', async () => {
      expect((await importFile('old')).code).toBe(0)
      await db.database.withSession(async (session) => {
        // The labels are written after the items, in the same transaction.
        await session.query('BEGIN; LOCK TABLE code_labels IN SHARE MODE')
        const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), 'import', join(folder, 'new.json')], {
          env: environment(db.env),
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        const said = text(child.stderr)
        await expect.poll(() => countLockWaits(db.database)).toBe(1)
        child.kill(signal)
        expect(await said).toMatch(signal === 'SIGINT' ? /^.*new\.json: stopped; nothing was changed\n$/ : /^$/)
        await expect.poll(() => countLockWaits(db.database)).toBe(0)
        await session.query('ROLLBACK')
      })
      expect(await content()).toBe(`old${COUNT}`)
    })
  },
)
