import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { CHECKOUT, environment, runCatalog } from '../support/process.ts'

/*
 * Imports in processes of their own, on a database that this process has open. docs/importing.md makes these promises.
 */

const COUNT = 2_000

const db = useDatabase()
const isServer = inject('template').kind === 'postgres'
const path = useFolder()
const manifest = (name: string) => path(`${name}.json`)
beforeAll(async () => {
  for (const name of ['old', 'new']) {
    const rows = Array.from({ length: COUNT }, (_, n) => row({ externalId: String(n), name: `${name} ${n}` }))
    await writeFile(path(`${name}.ndjson`), ndjson(...rows))
    await writeFile(manifest(name), JSON.stringify({ dataset: DATASET, items: `${name}.ndjson` }))
  }
  await writeFile(path('other.ndjson'), ndjson(row({ externalId: 'other', name: 'other' })))
  await writeFile(manifest('other'), JSON.stringify({ dataset: { ...DATASET, slug: 'other' }, items: 'other.ndjson' }))
})

const importFile = (name: string) => runCatalog(db.env, 'import', manifest(name))

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
    const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), 'import', manifest('new')], {
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

test.runIf(isServer)('an import that loses its connection says why it was lost', async () => {
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
})

/** What a command says that SIGINT stops while it waits for a lock, which the session takes before. */
async function stopWaiting(lock: string, args: readonly string[], signal: NodeJS.Signals = 'SIGINT') {
  return db.database.withSession(async (session) => {
    await session.query(`BEGIN; ${lock}`)
    const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), ...args], {
      env: environment(db.env),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said = text(child.stderr)
    await expect.poll(() => countLockWaits(db.database)).toBe(1)
    const exited = once(child, 'exit')
    child.kill(signal)
    expect(await exited).toEqual([null, signal])
    // A statement of Prisma goes on until the server writes to its client.
    if (args[0] !== 'keys') await expect.poll(() => countLockWaits(db.database)).toBe(0)
    await session.query('ROLLBACK')
    return said
  })
}

test.each(isServer ? (['SIGINT', 'SIGKILL'] as const) : [])(
  'an import that ends by %s after it has written all items ends its statement soon, and leaves nothing of its merge',
  async (signal) => {
    expect((await importFile('old')).code).toBe(0)
    // The labels are written after the items, in the same transaction.
    const said = await stopWaiting('LOCK TABLE code_labels IN SHARE MODE', ['import', manifest('new')], signal)
    expect(said).toBe(signal === 'SIGINT' ? UNCHANGED : '')
    expect(await content()).toBe(`old${COUNT}`)
  },
)

const UNCHANGED = 'catalog: stopped; nothing was changed\n'
const STOPPED = [
  ['undo places', 'LOCK TABLE items IN SHARE MODE', UNCHANGED],
  ['datasets remove places --yes', 'LOCK TABLE items IN SHARE MODE', UNCHANGED],
  ['migrate', 'SELECT pg_advisory_xact_lock(72707369)', UNCHANGED],
  [
    'keys create --name x',
    'LOCK TABLE api_keys IN SHARE MODE',
    'catalog: stopped; the last change may be made: npx catalog keys list\n',
  ],
  [
    `import ${manifest('other')} ${manifest('new')}`,
    "SELECT FROM datasets WHERE slug = 'places' FOR UPDATE",
    'catalog: stopped; what was complete stays, and nothing else was changed: npx catalog history\n',
  ],
] as const

test.each(isServer ? STOPPED : [])(
  'Ctrl-C of %s that waits (%s) says what was changed',
  async (command, lock, said) => {
    expect((await importFile('old')).code).toBe(0)
    expect(await stopWaiting(lock, command.split(' '))).toBe(said)
    expect(await content()).toBe(command.includes('other.json') ? `old,other${COUNT + 1}` : `old${COUNT}`)
  },
)
