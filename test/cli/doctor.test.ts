import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { findClockFault } from '../../src/database/clock.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import { SERVER_CHECKS } from '../../src/database/server-checks.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { prepareDatabase } from '../../src/server/lifecycle.ts'
import { seedCatalog } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { createDatabase, createOwnDatabase, useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { openDatabase } from '../support/open-database.ts'

const db = useDatabase()
const inFolder = useFolder()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
  await createKey(db.database.prisma, { name: 'plain' })
})

async function examine(env: Record<string, string>) {
  const { code, stdout } = await runCommand(env, 'doctor', '--json')
  const findings: { check: string; isOk: boolean; found: string; advice?: string; sql?: string }[] = JSON.parse(stdout)
  return { code, findings, ill: findings.filter(({ isOk }) => !isOk) }
}

describe('catalog doctor', () => {
  test('finds no problem in a sound database', async () => {
    const { code, findings, ill } = await examine(db.env)
    expect([code, ill]).toEqual([0, []])
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        'configuration',
        'database',
        ...('DATA_DIR' in db.env ? ['files'] : []),
        'server',
        'clock',
        'locks',
        'settings',
        'rights',
        'connections',
        'notifications',
        'migrations',
        'objects',
        'tables',
        'statistics',
        'subscriptions',
        'references',
        'totals',
        'history',
        'keys',
      ],
    ])
    const { stdout } = await runCommand(db.env, 'doctor')
    expect(stdout).toMatch(/^ok {4}configuration {2}/)
    expect(stdout).not.toContain('\x1b')
  })

  test('says that an embedded database does not exist yet, and does not create it', async () => {
    const dataDir = inFolder('none')
    const { code, ill } = await examine({ DATA_DIR: dataDir })
    expect([code, ill]).toEqual([
      1,
      [{ check: 'database', isOk: false, found: 'does not exist yet', advice: expect.any(String) }],
    ])
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([
    ['a list', `UPDATE item_counts SET n = n + 1 WHERE list = 'all category ''gate'''`, 'item_counts'],
    ['a list that is missing', `DELETE FROM item_counts WHERE list LIKE 'children of %'`, 'item_counts'],
    ['a list that should not exist', `INSERT INTO item_counts SELECT id, 'none', 1 FROM datasets`, 'item_counts'],
    ['a tile', 'UPDATE tile_counts SET n = n + 1 WHERE level = 9', 'tile_counts'],
    ['a category in a tile', 'UPDATE tile_category_counts SET n = n + 1 WHERE level = 9', 'tile_category_counts'],
    ['a tile that is missing', 'DELETE FROM tile_counts WHERE level = 9', 'tile_counts'],
  ])('finds a wrong count of %s, and recount_items() repairs it', async (_what, sql, table) => {
    const own = await createDatabase()
    await seedCatalog(own.database.prisma)
    const totals = () =>
      own.database.withSession(checkHealth).then((all) => all.find(({ check }) => check === 'totals'))
    expect(await totals()).toMatchObject({ isOk: true })
    await own.database.withSession((session) => session.query(sql))
    expect(await totals()).toEqual({
      check: 'totals',
      isOk: false,
      found: expect.stringContaining(`(${table})`),
      advice: expect.any(String),
      sql: 'SELECT recount_items();',
    })
    await own.database.withSession((session) => session.query('SELECT recount_items()'))
    expect(await totals()).toMatchObject({ isOk: true })
    await own.close()
  })

  test('names each problem and its remedy, and exits non-zero', async () => {
    const own = await createOwnDatabase()
    await seedCatalog(own.database.prisma)
    await own.database.withSession(async (session) => {
      await session.query('DROP INDEX items_dataset_id_tile_cell_idx')
      await session.query(`UPDATE item_counts SET n = n + 1 WHERE list = 'all'`)
      await session.query('ALTER TABLE grants DISABLE TRIGGER USER')
    })
    const { code, ill } = await examine(own.env)
    expect(code).toBe(1)
    expect(ill.map(({ check, found }) => [check, found])).toEqual([
      ['objects', 'index items_dataset_id_tile_cell_idx of items is missing'],
      ['objects', 'trigger grants_notify of grants is not as the migrations make it'],
      ['objects', 'trigger grants_truncate of grants is not as the migrations make it'],
      ['totals', expect.stringMatching(/^wrong counts: /)],
      ['keys', 'no valid key'],
    ])
    for (const { advice } of ill) expect(advice).toBeTruthy()
    expect((await runCommand(own.env, 'doctor')).stdout).toContain(
      '→ run this:\nCREATE INDEX items_dataset_id_tile_cell_idx ON public.items USING btree (dataset_id, tile_cell,',
    )
    await own.database.withSession(async (session) => {
      for (const { sql } of ill) if (sql !== undefined) await session.query(sql)
    })
    expect((await examine(own.env)).ill.map(({ check }) => check)).toEqual(['keys'])

    await own.database.withSession((session) =>
      session.query(
        'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
      ),
    )
    expect((await examine(own.env)).ill).toEqual([
      {
        check: 'migrations',
        isOk: false,
        found: expect.stringMatching(/^\d+_\w+ missing$/),
        advice: 'run npx catalog migrate',
      },
    ])
    await own.close()
  })

  test.each([
    [{ DATABASE_URL: 'postgresql://127.0.0.1:1/x' }, 'database', /ECONNREFUSED/],
    [{ PORT: 'x' }, 'configuration', /^PORT must be/],
  ])('reports %o', async (env, check, found) => {
    const { code, ill } = await examine(env)
    expect(code).toBe(1)
    expect(ill).toEqual([{ check, isOk: false, found: expect.stringMatching(found), advice: expect.any(String) }])
  })

  test('reports that REDIS_URL does not answer', async () => {
    const { ill } = await examine({ ...db.env, REDIS_URL: 'redis://127.0.0.1:1' })
    expect(ill).toMatchObject([
      { check: 'redis', found: expect.stringMatching(/^Redis at 127\.0\.0\.1:1 .*ECONNREFUSED/) },
    ])
  })

  test('reports a clock that is hours off, and none that is seconds off', async () => {
    const faultAt = async (offMs: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs })
      try {
        return await db.database.withSession(findClockFault)
      } finally {
        vi.useRealTimers()
      }
    }
    expect(await faultAt(2_000)).toBeUndefined()
    expect(await faultAt(7_200_000)).toMatch(
      /^the clock of this machine is (719|720)\d seconds ahead of that of the database/,
    )
    expect(await faultAt(-7_200_000)).toMatch(/720\d|719\d seconds behind that/)
  })

  test.runIf(inject('template').kind === 'postgres')('names who holds a lock, and how to end that', async () => {
    await db.database.withSession(async (holder) => {
      await holder.query('BEGIN; LOCK TABLE images IN ACCESS EXCLUSIVE MODE')
      const pid = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
      const waiting = db.database.withSession((session) => session.query('SELECT count(*) FROM images'))
      const find = () => db.database.withSession((session) => SERVER_CHECKS.locks(session))
      await expect.poll(find).toMatchObject([
        {
          isOk: false,
          found: expect.stringMatching(
            new RegExp(` has waited \\d+ seconds for process ${pid} \\(.* idle in transaction for`),
          ),
          sql: `SELECT pg_terminate_backend(${pid});`,
        },
      ])
      await holder.query('COMMIT')
      await waiting
    })
  })

  test('says which samples are visible, and datasets remove --samples removes all of them', async () => {
    const own = await createDatabase()
    const run = (...args: string[]) => runCommand(own.env, ...args)
    await loadSampleData(own.database)
    await own.database.prisma.dataset.update({ where: { slug: 'world-airports' }, data: { slug: 'renamed' } })
    const doctor = await run('doctor')
    expect(doctor.code).toBe(0)
    expect(doctor.stdout).toMatch(/ok +samples +visible: renamed, seoul-landmarks, seoul-markets\n/)
    expect(doctor.stdout).toContain('npx catalog datasets remove --samples')
    const stderr = expect.stringContaining('--yes')
    expect(await run('datasets', 'remove', '--samples')).toMatchObject({ code: 1, stderr })
    expect(await run('datasets', 'remove', 'renamed', '--samples')).toMatchObject({ code: 1 })
    expect(await run('datasets', 'remove')).toMatchObject({ code: 1 })
    const { stdout } = await run('datasets', 'remove', '--samples', '--yes')
    expect(stdout.trim().split('\n')).toHaveLength(5)
    expect((await run('datasets', 'remove', '--samples', '--yes')).stdout).toBe('There are no sample datasets\n')
    expect((await run('doctor')).stdout).not.toContain('samples')
    await own.close()
  })
})

/** As a subscription that has copied a table. */
const SUBSCRIBE = `
  CREATE SUBSCRIPTION upgrade CONNECTION 'dbname=none' PUBLICATION none WITH (connect = false, slot_name = NONE);
  SET allow_system_table_mods = on;
  INSERT INTO pg_subscription_rel SELECT oid, 'items'::regclass, 'r' FROM pg_subscription WHERE subname = 'upgrade'`

/* The gateway has a role of its own, and a superuser made the database, as an operator has it. PostGIS is in a schema of a strange name. */
describe.runIf(inject('template').kind === 'postgres')('catalog doctor, with a role that is no superuser', () => {
  const role = `catalog_doctor_${process.pid}`
  let env: Record<string, string>
  let root: pg.Client
  const onServer = async (...statements: string[]) => {
    if (db.config.kind !== 'postgres') return
    const client = new pg.Client(db.config.url)
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  beforeAll(async () => {
    if (db.config.kind !== 'postgres') return
    await onServer(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`, `CREATE DATABASE ${role} OWNER ${role}`)
    const url = new URL(db.config.url)
    url.pathname = role
    root = new pg.Client(url.href)
    await root.connect()
    await root.query('CREATE SCHEMA "Gis"; CREATE EXTENSION postgis SCHEMA "Gis"')
    Object.assign(url, { username: role, password: 'secret' })
    env = { DATABASE_URL: url.href }
  })
  afterAll(async () => {
    await root.end()
    await onServer(`DROP DATABASE ${role} WITH (FORCE)`, `DROP ROLE ${role}`)
  })

  test('a migration and doctor print the right that the schema of PostGIS needs, and then PostGIS is found', async () => {
    const grant = `GRANT USAGE ON SCHEMA "Gis" TO ${role};`
    expect((await runCommand(env, 'migrate')).stderr).toContain(grant)
    expect((await examine(env)).ill).toEqual([{ check: 'server', isOk: false, found: expect.stringContaining(grant) }])
    await root.query(grant)
    expect((await runCommand(env, 'migrate')).code).toBe(0)
    expect((await runCommand(env, 'keys', 'create', '--name', 'plain')).code).toBe(0)
    const { prisma, close } = await openDatabase(readConfig(env).database, { share: false })
    await seedCatalog(prisma)
    await close()
    expect((await examine(env)).ill).toEqual([])
  })

  test.each([
    ['settings', /^default_transaction_read_only is on: /, `ALTER ROLE ${role} SET default_transaction_read_only = on`],
    ['settings', /^session_replication_role is replica: /, `ALTER ROLE ${role} SET session_replication_role = replica`],
    ['rights', /temporary tables/, `REVOKE TEMPORARY ON DATABASE ${role} FROM PUBLIC, ${role}`],
    [
      'rights',
      /lacks rights on items, touch_datasets/,
      `ALTER TABLE items OWNER TO postgres; ALTER FUNCTION touch_datasets OWNER TO postgres; REVOKE EXECUTE ON FUNCTION touch_datasets FROM PUBLIC`,
    ],
    [
      'server',
      /GRANT USAGE ON SCHEMA public/,
      'ALTER SCHEMA public OWNER TO postgres; REVOKE USAGE ON SCHEMA public FROM PUBLIC',
    ],
    ['connections', /^the role .* of 5 connections is below/, `ALTER ROLE ${role} CONNECTION LIMIT 5`],
    ['connections', /^the database .* of 5 connections is below/, `ALTER DATABASE ${role} CONNECTION LIMIT 5`],
    [
      'tables',
      /^(items|images|code_labels), .*: unlogged/,
      'ALTER TABLE images SET UNLOGGED; ALTER TABLE code_labels SET UNLOGGED; ALTER TABLE items SET UNLOGGED',
    ],
    ['subscriptions', /^logical replication \(upgrade\) writes the tables/, SUBSCRIBE],
    [
      'statistics',
      /^last_imports: never analysed/,
      `ALTER TABLE last_imports SET (autovacuum_enabled = off); INSERT INTO last_imports (dataset_id, digest, revision) SELECT gen_random_uuid(), '', n FROM generate_series(1, 30000) AS n`,
    ],
    [
      'references',
      /^\d+ rows of items belong to rows of datasets that are gone/,
      `SET session_replication_role = replica; DELETE FROM datasets WHERE slug = 'seoul'; SET session_replication_role = origin`,
    ],
    [
      'references',
      /^\d+ rows of images belong to rows of items that are gone/,
      `SET session_replication_role = replica; DELETE FROM items WHERE id IN (SELECT item_id FROM images); SET session_replication_role = origin`,
    ],
  ])('%s: %s, and what it prints mends it', async (check, found, harm) => {
    await root.query(harm)
    const { ill } = await examine(env)
    expect(ill.map(({ check }) => check)).toContain(check)
    expect(ill.find((one) => one.check === check)?.found).toMatch(found)
    for (const { sql, found } of ill) await root.query(sql ?? /GRANT .*;/.exec(found)?.[0] ?? '')
    expect((await examine(env)).ill).toEqual([])
  })

  test('a gateway warns at its start if logical replication writes the tables', async () => {
    await root.query(SUBSCRIBE)
    const warnings: string[] = []
    const database = await openDatabase(readConfig(env).database, { share: false })
    const process = { url: '', stopped: new Promise<void>(() => {}), isStopped: () => false }
    const output = { print: () => {}, warn: (line: string) => void warnings.push(line) }
    await prepareDatabase(database, { config: readConfig(env), ...process }, output)
    await database.close()
    await root.query('DROP SUBSCRIPTION upgrade')
    expect(warnings).toEqual([expect.stringMatching(/^logical replication \(upgrade\) .*; npx catalog doctor says/)])
  })

  test('the connections of PostgreSQL suffice for the pool', async () => {
    const findings = await db.database.withSession((session) => checkHealth(session, { connections: 1e6 }))
    expect(findings.find(({ check }) => check === 'connections')).toMatchObject({
      isOk: false,
      found: expect.stringMatching(
        /^max_connections without those for superusers: the limit of \d+ connections is below/,
      ),
      sql: expect.stringMatching(/^ALTER SYSTEM SET max_connections = 1000100;/),
    })
  })

  test('a damaged file is no lack of rights, and does not stop the other checks', async () => {
    const relfilenode = `UPDATE pg_class SET relfilenode = 4000000000 WHERE relname = 'history_parts'`
    await root.query(`SET allow_system_table_mods = on; ${relfilenode}`)
    const { ill, findings } = await examine(env)
    expect(ill.map(({ found, advice }) => [found, advice])).toContainEqual([
      expect.stringContaining('could not open file'),
      expect.stringContaining('damaged'),
    ])
    expect(findings.at(-1)).toMatchObject({ check: 'keys', isOk: true })
  })
})
