import { expect, test } from 'vitest'
import { readTableNames, renewStatistics } from '../../src/database/statistics.ts'
import { removeDataset } from '../../src/import/change-dataset.ts'
import { ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

/** The tables with rows whose statistics lack them, or lack some of their changes. */
const unknown = async () => {
  const { prisma } = t.db.database
  const names = await readTableNames()
  return prisma.$queryRaw`
    SELECT relname::text AS name, pg_stat_get_mod_since_analyze(oid)::integer AS changes FROM pg_class
     WHERE relname = ANY (${names}::text[]) AND relnamespace = 'public'::regnamespace
       AND (pg_stat_get_mod_since_analyze(oid) > 50 + greatest(reltuples, 0) / 10
            OR pg_stat_get_live_tuples(oid) > 0 AND NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = 'public' AND tablename = relname))`
}

const ROWS = Array.from({ length: 300 }, (_, n) =>
  row({ externalId: `${n}`, administrativeAreaCode: `a${n}`, images: [{ originalUrl: 'o' }] }),
)
const load = (label: string, rows = ROWS, options: object = {}) => {
  const labels = { administrativeAreaCode: Object.fromEntries(ROWS.map((_, n) => [`a${n}`, `${label} ${n}`])) }
  return t.importer.run({ 'a.ndjson': ndjson(...rows) }, { labels, ...options })
}

test('the tables that are analysed are those of the schema', async () => {
  const tables = await t.db.database.prisma.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ('_prisma_migrations', 'spatial_ref_sys')`
  expect((await readTableNames()).sort()).toEqual(tables.map(({ name }) => name).sort())
})

test('after an import, also of labels alone, the planner has statistics of all tables that it fills', async () => {
  await load('Area')
  expect(await unknown()).toEqual([])
  const phases: string[] = []
  await load('Region', ROWS, { onPhase: (phase: string) => phases.push(phase) })
  expect(phases).toContain('analyzing')
  expect(await unknown()).toEqual([])
})

test('a table is analysed again after a tenth of its rows has changed, and not before', async () => {
  const analyses = await t.db.database.withSession(async (session) => {
    const addKeys = async (count: number) => {
      await session.query(
        `INSERT INTO api_keys (id, name, hash, created_at)
         SELECT gen_random_uuid(), 'key', sha256(gen_random_uuid()::text::bytea), now() FROM generate_series(1, $1::integer)`,
        [count],
      )
      await renewStatistics(session)
      const { rows } = await session.query(`SELECT pg_stat_get_analyze_count('api_keys'::regclass)::integer AS n`)
      return rows[0].n
    }
    return [await addKeys(1_000), await addKeys(20), await addKeys(20), await addKeys(200)]
  })
  const [first] = analyses
  expect(analyses).toEqual([first, first, first, first + 1])
})

test('many small imports renew them too, though each changes less than a tenth', async () => {
  const { datasetId } = await load('Area')
  const { database } = t.db
  await database.withSession(async (session) => {
    for (let n = 0; n < 10; n += 1) {
      await session.query(
        `INSERT INTO code_labels SELECT $1, 'categoryCode', $2 || '-' || n, repeat('x', 200) FROM generate_series(1, 20) AS n`,
        [datasetId, n],
      )
      await renewStatistics(session)
      // A new process of the embedded database does not know how many rows others have changed.
      await session.query(`SELECT pg_stat_reset_single_table_counters('code_labels'::regclass)`)
    }
  })
  const [row] = await database.prisma.$queryRaw<
    { known: number }[]
  >`SELECT reltuples::integer AS known FROM pg_class WHERE relname = 'code_labels'`
  expect(row?.known).toBeGreaterThan(400)
})

test('a table that loses its rows is known as empty', async () => {
  const { datasetId } = await load('Area')
  await t.db.database.withSession(async (session) => {
    await removeDataset(session, { id: datasetId, slug: 'places' })
    await renewStatistics(session)
  })
  expect(await unknown()).toEqual([])
  const [row] = await t.db.database.prisma.$queryRaw<
    { items: number }[]
  >`SELECT reltuples::integer AS items FROM pg_class WHERE relname = 'items'`
  expect(row).toEqual({ items: 0 })
})
