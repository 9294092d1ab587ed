import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importManifest } from '../../src/import/import.ts'
import { initManifest } from '../../src/init/init-manifest.ts'
import { startApp } from '../support/app.ts'
import { createOwnDatabase, type TestDatabase } from '../support/database.ts'
import { countFeatures, hasGdal, runGdal } from '../support/gdal.ts'

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url))
const isThere = existsSync(DATA)
if (!isThere) process.stderr.write(`No data at ${DATA}: the test of its import is skipped\n`)

/** The numbers of good and bad rows in each file, counted by an independent script. */
const FILES: [string, number, number, string][] = [
  ['kr_museums', 2232, 4, 'same externalId'],
  ['kr_tourist_sites', 924, 0, ''],
  ['kr_festivals', 1065, 235, 'latitude is required'],
  ['ourairports_airports', 85253, 0, ''],
  ['ourairports_countries', 0, 249, 'latitude is required'],
  ['ourairports_regions', 0, 3987, 'latitude is required'],
  ['geonames_cities15000', 33227, 0, ''],
  ['geonames_cities1000', 99823, 1, 'categoryCode is required'],
]

describe.skipIf(!isThere)('The open data in ../shared/data', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await createOwnDatabase()
  })
  afterAll(() => db.close())

  test.each(FILES)('%s: %i items are loaded, %i rows are bad', async (name, created, skipped, reason) => {
    const manifest = fileURLToPath(new URL(`manifests/${name}.json`, import.meta.url))
    const reasons: string[] = []
    const summary = await importManifest(db.database, manifest, {
      keepMissing: false,
      skipInvalid: true,
      onSkipped: (problem) => reasons.push(problem.reason),
    })
    expect(summary).toMatchObject({ created, skipped })
    expect(reasons).toHaveLength(skipped)
    expect(reasons.join('\n')).toContain(reason)
  })

  // On the embedded database it takes long.
  test.skipIf(!hasGdal || !process.env.TEST_DATABASE_URL)('GDAL reads all 85,253 airports', async () => {
    const t = await startApp({ beside: db })
    const requested: string[] = []
    t.app.server.on('request', ({ url }) => requested.push(url ?? ''))
    const folder = await mkdtemp(join(tmpdir(), 'catalog-gdal-'))
    const file = join(folder, 'all.gpkg')
    const options = ['-oo', 'PAGE_SIZE=10000', '-mapFieldType', 'StringList=String']
    await runGdal(t.key, 'ogr2ogr', file, `OAPIF:${t.url}/ogc`, 'airports', ...options)
    expect(new Set(requested.filter((url) => url.includes('limit=10000'))).size).toBe(9)
    expect(await countFeatures(file)).toBe(85_253)
    const select = 'SELECT count(DISTINCT externalId) AS n FROM airports'
    expect(await runGdal(t.key, 'ogrinfo', file, '-q', '-sql', select)).toMatch(/n \(Integer\) = 85253/)
    await rm(folder, { recursive: true })
    await t.close()
  })

  test('ourairports_regions names the areas of the airports', async () => {
    const [labels] = await db.database.prisma.$queryRaw<{ areas: number; unnamed: number; seoul: string }[]>`
      SELECT count(*)::integer AS areas, count(*) FILTER (WHERE label IS NULL)::integer AS unnamed,
             max(label) FILTER (WHERE code = 'KR-11') AS seoul
        FROM (SELECT DISTINCT dataset_id, administrative_area_code AS code FROM items) AS area
        JOIN datasets ON datasets.id = dataset_id AND slug = 'airports'
        LEFT JOIN code_labels USING (dataset_id, code)`
    expect(labels).toEqual({ areas: 3_007, unnamed: 7, seoul: 'Seoul-teukbyeolsi (Seoul Special City)' })
  })

  test.each([
    ['kr_museums.csv', 2232, 4],
    ['kr_tourist_sites.csv', 924, 0],
    ['kr_festivals.csv', 1064, 236],
    ['geonames_cities15000_20260127.csv.gz', 33227, 0],
    ['ourairports_airports.csv.gz', 85253, 0],
  ])(
    '%s needs two commands: import accepts what init writes, with %i good rows and %i bad ones',
    async (file, good, bad) => {
      const output = join(await mkdtemp(join(tmpdir(), 'catalog-init-')), `${file}.json`)
      const { manifest = '', rows, badRows, missing } = await initManifest(join(DATA, file), output)
      expect([missing, rows, badRows]).toEqual([[], good + bad, bad])
      const options = { keepMissing: false, skipInvalid: bad > 0, dryRun: true }
      expect(await importManifest(db.database, manifest, options)).toMatchObject({ created: good, skipped: bad })
    },
  )
})
