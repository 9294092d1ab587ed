import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { createEmpty } from '../support/database.ts'
import { createImporter, DATASET, type Importer, ndjson, row } from '../support/import.ts'
import { type Database, openDatabase } from '../support/open-database.ts'
import { CHECKOUT, environment, startGateway } from '../support/process.ts'

/*
 * The embedded database has one session. While a large import uses it, readers read from a copy.
 */

/** Enough rows for a copy. */
const ITEMS = 4_000

const rows = (name: string) =>
  ndjson(...Array.from({ length: ITEMS }, (_, n) => row({ externalId: String(n), name: `${name} ${n}` })))

describe.runIf(inject('template').kind === 'embedded')('While a large import runs on the embedded database', () => {
  let empty: Awaited<ReturnType<typeof createEmpty>>
  let database: Database
  let importer: Importer
  /** What a test does during an import. The import waits for it. */
  let meanwhile: Promise<unknown> | undefined
  beforeAll(async () => {
    empty = await createEmpty()
    const command = { name: 'catalog import places.json (process 1)', onWait: () => {} }
    database = await openDatabase(empty.config, { share: false, command })
    importer = await createImporter({
      ...database,
      withReadersOnCopy: (session, count, work) =>
        database.withReadersOnCopy(session, count, async () => {
          const result = await work()
          await meanwhile
          return result
        }),
    })
  })
  afterAll(async () => {
    await importer.close()
    await database.close()
    await empty.drop()
  })

  const copyExists = () =>
    access(join(empty.env.DATA_DIR ?? '', 'readers')).then(
      () => true,
      () => false,
    )
  /** The first words of the names of all items, and the number of items. */
  const content = async () => {
    const [found] = await database.prisma.$queryRaw<{ content: string | null }[]>`
      SELECT string_agg(DISTINCT split_part(name, ' ', 1), ',') || count(*) AS content FROM items`
    return found?.content ?? 'nothing'
  }
  /** Imports the rows, and runs `during` when the import merges them. Returns what it read, and what is read afterwards. */
  const importWhile = async <Result>(name: string, during: () => Promise<Result>) => {
    let result: Promise<Result> | undefined
    await importer.run(
      { 'places.ndjson': rows(name) },
      {
        onPhase: (phase) => {
          if (phase === 'merging') meanwhile = result = during()
        },
      },
    )
    meanwhile = undefined
    const after = await content()
    return { during: await result, after }
  }

  test('readers get the old state until it ends, and then the new state: for a new dataset and for changed items', async () => {
    expect(await importWhile('old', content)).toEqual({ during: 'nothing', after: `old${ITEMS}` })
    expect(await importWhile('new', content)).toEqual({ during: `old${ITEMS}`, after: `new${ITEMS}` })
  })

  test('a transaction of a reader sees one state, even if it ends after the import', async () => {
    const hasRead = Promise.withResolvers<void>()
    let isFinished = false
    let reading: Promise<number[]> | undefined
    await importWhile('other', async () => {
      reading = database.prisma.$transaction(
        async (snapshot) => {
          const read = () => snapshot.item.count({ where: { name: { startsWith: 'new' } } })
          const first = await read()
          hasRead.resolve()
          // The database ends a transaction that is idle for a minute, and the import may take longer.
          while (!isFinished) {
            await read()
            await sleep(1_000)
          }
          return [first, await read()]
        },
        { isolationLevel: 'RepeatableRead', maxWait: 60_000, timeout: 3_600_000 },
      )
      await Promise.race([hasRead.promise, reading])
    })
    isFinished = true
    expect(await reading).toEqual([ITEMS, ITEMS])
    expect(await content()).toBe(`other${ITEMS}`)
  })

  test('the change feed announces the change when readers can see it', async () => {
    const feed = database.followChanges()
    await expect.poll(() => feed.latest()).toBeDefined()
    const before = feed.latest() ?? 0
    const { during } = await importWhile('announced', async () => {
      await content()
      // Longer than the time for which one heartbeat is valid.
      await sleep(1_000)
      await expect.poll(() => feed.latest()).toBe(before)
      return feed.isUnchanged(['datasets'], before)
    })
    expect(during).toBe(true)
    await expect.poll(() => feed.isUnchanged(['datasets'], before)).toBe(false)
    await feed.close()
  })

  test('a command that waits says what for, how many rows that has, and for how long', async () => {
    const lines: string[] = []
    const command = { name: 'catalog keys create (process 2)', onWait: (line: string) => lines.push(line) }
    const other = await openDatabase(empty.config, { share: true, command })
    let created: Promise<unknown> | undefined
    await importWhile('waited', async () => {
      created = createKey(other.prisma, { name: 'waits' })
      await expect.poll(() => lines.length).toBeGreaterThan(0)
    })
    await created
    expect(lines[0]).toMatch(/^waits for catalog import places\.json \(process 1\) with \d{4,5} rows, for \d+ s now$/)
    expect(await database.prisma.apiKey.count({ where: { name: 'waits' } })).toBe(1)
    await other.close()
  })

  test('a statement that writes waits for the end of the import, and succeeds', async () => {
    let writing: Promise<string> | undefined
    await importWhile('written', async () => {
      writing = database.prisma.$executeRaw`UPDATE datasets SET name = 'Renamed'`.then(content)
    })
    expect(await writing).toBe(`written${ITEMS}`)
    expect(await database.prisma.dataset.count({ where: { name: 'Renamed' } })).toBe(1)
  })

  test('nothing of the copy remains after the import, and after an import that fails', async () => {
    await expect.poll(copyExists).toBe(false)
    const failing = importer.run(
      { 'places.ndjson': rows('failing') },
      {
        onPhase: (phase) => {
          if (phase === 'merging') throw new Error('stopped')
        },
      },
    )
    await expect(failing).rejects.toThrow('stopped')
    expect(await content()).toBe(`written${ITEMS}`)
    await expect.poll(copyExists).toBe(false)
  })

  test('readers get the old state until a large dataset is removed', async () => {
    await database.withSession((session) =>
      database.withReadersOnCopy(session, ITEMS, async () => {
        await session.query('BEGIN; DELETE FROM datasets')
        expect(await content()).toBe(`written${ITEMS}`)
        await session.query('ROLLBACK')
      }),
    )
    await expect.poll(copyExists).toBe(false)
  })

  test('a command that is killed leaves the old state, and everybody can write again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-killed-import-'))
    await writeFile(join(folder, 'killed.ndjson'), rows('killed'))
    await writeFile(join(folder, 'killed.json'), JSON.stringify({ dataset: DATASET, items: 'killed.ndjson' }))
    const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), 'import', join(folder, 'killed.json')], {
      env: environment(empty.env),
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    await expect.poll(copyExists).toBe(true)
    child.kill('SIGKILL')
    await exited
    await database.prisma.$executeRaw`UPDATE datasets SET name = 'Written'`
    expect(await content()).toBe(`written${ITEMS}`)
    await expect.poll(copyExists).toBe(false)
    await rm(folder, { recursive: true })
  })
})

test.runIf(inject('template').kind === 'embedded')(
  'A gateway stops during an import, though the usage of keys can not be written then',
  { timeout: 300_000 },
  async () => {
    const own = await createEmpty()
    const gateway = await startGateway({ ...own.env, SAMPLE_DATA: 'false' })
    const shared = await openDatabase(own.config, { share: true })
    const { key } = await createKey(shared.prisma, { name: 'used' })
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const importing = shared.withSession((session) =>
      shared.withReadersOnCopy(session, ITEMS, async () => {
        await session.query('SELECT 1')
        begun.resolve()
        await held.promise
      }),
    )
    const ended = importing.catch((error: unknown) => error)
    await begun.promise
    const response = await fetch(`${gateway.url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    expect(await gateway.stop()).toBe(0)
    held.resolve()
    expect(String(await ended)).toContain('The database went away')
    await shared.close()
    await own.drop()
  },
)
