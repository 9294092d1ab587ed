import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { seedCatalog } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { createDatabase, createOwnDatabase, useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'

const db = useDatabase()
const inFolder = useFolder()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
  await createKey(db.database.prisma, { name: 'plain' })
})

describe('catalog doctor', () => {
  const examine = async (env: Record<string, string>) => {
    const { code, stdout } = await runCommand(env, 'doctor', '--json')
    const findings: { check: string; isOk: boolean; found: string; advice?: string; sql?: string }[] =
      JSON.parse(stdout)
    return { code, findings, ill: findings.filter(({ isOk }) => !isOk) }
  }

  test('finds no problem in a sound database', async () => {
    const { code, findings, ill } = await examine(db.env)
    expect([code, ill]).toEqual([0, []])
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        'configuration',
        'database',
        ...('DATA_DIR' in db.env ? ['files'] : []),
        'server',
        'migrations',
        'objects',
        'totals',
        'history',
        'notifications',
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
    expect(ill.map(({ check }) => check)).toEqual(['redis'])
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
