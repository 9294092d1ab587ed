import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'
import { blocksIn } from '../support/documentation.ts'
import { hasGdal, runGdal } from '../support/gdal.ts'

/*
 * Programs that people open exports with, as the documentation says, on values that programs like to change. Outside CI, each test is
 * skipped where its program is not installed.
 */

const AWKWARD = [
  ...['NA', 'N/A', 'null', 'NULL', 'nan', 'None', '<NA>', '#N/A', 'true', 'inf', '-'],
  ...['007', '+82 2', '1e5', '1_000', '0x10', '1.50', '2026-01-01', '=1+1', '@a', "'a"],
  ...['🗼 서울', 'a "quoted" name', 'two\nlines', 'a,b;c\td|e', '\\N', '[a]', '{"a": 1}'],
]

const has = (program: string, ...args: string[]) =>
  process.env.CI !== undefined || spawnSync(program, args).status === 0
const PYTHON = '/usr/bin/python3'
const hasPandas = has(PYTHON, '-c', 'import pandas')
const hasLibreOffice = has('soffice', '--version')

const t = useApp()
let folder: string
const TEXTS = ['id', 'name', 'categoryCode', 'postalCode', 'externalId'] as const
let items: (Record<(typeof TEXTS)[number] | 'latitude' | 'longitude', string> & { keywords: string[] })[]
beforeAll(async () => {
  const data = AWKWARD.map((text) =>
    newPlace({
      ...{ datasetId: DATASET.seoul, name: text, externalId: text, postalCode: text, categoryCode: text },
      ...{ administrativeAreaCode: 'NA', keywords: [text], extraAttributes: { text } },
    }),
  )
  const { prisma } = t.database
  await prisma.item.createMany({ data })
  await prisma.$executeRaw`UPDATE items SET extra_attributes = '{"big": 12345678901234567890123}' WHERE name = '007'`
  const total = async () => (await (await t.get('/v1/datasets/seoul/items')).json()).meta.total
  await vi.waitFor(async () => expect(await total()).toBeGreaterThan(AWKWARD.length))
  folder = await mkdtemp(join(tmpdir(), 'catalog-files-'))
  for (const format of ['ndjson', 'csv', 'geojson']) {
    await writeFile(join(folder, `seoul.${format}`), await (await t.get(`/exports/seoul.${format}`)).text())
  }
  const lines = (await readFile(join(folder, 'seoul.ndjson'), 'utf8')).trimEnd().split('\n')
  items = lines.map((line) => JSON.parse(line))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

describe.skipIf(!hasGdal)('ogr2ogr', () => {
  test.each([
    ['geojson', ['-oo', 'ARRAY_AS_STRING=YES']],
    ['csv', ['-oo', 'X_POSSIBLE_NAMES=longitude', '-oo', 'Y_POSSIBLE_NAMES=latitude', '-a_srs', 'EPSG:4326']],
  ])('reads %s into a GeoPackage with each value and point', (format, options) => {
    run('ogr2ogr', `${format}.gpkg`, `seoul.${format}`, ...options)
    const rows = readGeoPackage(format)
    expect(textsOf(rows)).toEqual(textsOf(items))
    expect(rows.map(({ keywords }) => JSON.parse(String(keywords)))).toEqual(items.map(({ keywords }) => keywords))
    expect(rows.map(({ geom }) => pointIn(geom))).toEqual(
      items.map(({ latitude, longitude }) => [Number(longitude), Number(latitude)]),
    )
  })
})

/** The rows of the layer `seoul`, by id. */
function readGeoPackage(name: string): Record<string, unknown>[] {
  const gpkg = new DatabaseSync(join(folder, `${name}.gpkg`))
  const rows = gpkg.prepare('SELECT * FROM seoul ORDER BY id').all()
  gpkg.close()
  return rows
}

/** The texts of rows. In CSV, null is an empty cell. */
function textsOf(rows: Record<string, unknown>[]): unknown[][] {
  return rows.map((row) => TEXTS.map((name) => row[name] ?? ''))
}

/** The last two numbers of a geometry of GeoPackage, which ends as WKB. */
function pointIn(geometry: unknown): number[] {
  const bytes = Buffer.from(geometry instanceof Uint8Array ? geometry : [])
  return [bytes.readDoubleLE(bytes.length - 16), bytes.readDoubleLE(bytes.length - 8)]
}

test.skipIf(!hasGdal)('GDAL reads /ogc into a GeoPackage and into CSV with each value', async () => {
  const source = [`OAPIF:${t.url}/ogc`, 'seoul', '-oo', 'PAGE_SIZE=10000', '-mapFieldType', 'StringList=String']
  await runGdal(t.key, 'ogr2ogr', `${folder}/ogc.gpkg`, ...source)
  await runGdal(t.key, 'ogr2ogr', `${folder}/ogc.csv`, ...source)
  const csv: Record<string, string>[] = parse(run('cat', 'ogc.csv'), { columns: true })
  expect(textsOf(readGeoPackage('ogc'))).toEqual(textsOf(items))
  expect(textsOf(csv)).toEqual(textsOf(items))
})

test.skipIf(!hasPandas).each(blocksIn('py').map(({ block }) => [block.split('\n').at(-2), block]))(
  'pandas keeps each value: %s',
  async (_, block) => {
    const script = String(block)
      .replace('http://127.0.0.1:4000/exports/world-airports', `${t.url}/exports/seoul`)
      .replace('/tmp/world-airports', `${folder}/seoul`)
    const print = `import json; print(json.dumps(items[json.loads('${JSON.stringify(TEXTS)}')].fillna('').values.tolist()))`
    // Not `run`: this process answers the request of pandas.
    const env = { ...process.env, KEY: t.key }
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', `${script}\n${print}`], { env })
    expect(JSON.parse(stdout)).toEqual(textsOf(items))
  },
)

test.skipIf(!hasLibreOffice)('LibreOffice opens CSV as a table with all cells as text', () => {
  // Separator, quote, UTF-8, first line; then the format 2 (text) for each column.
  const columns = Array.from({ length: 26 }, (_, n) => `${n + 1}/2`).join('/')
  const args = ['--headless', `-env:UserInstallation=file://${folder}/profile`, `--infilter=CSV:44,34,76,1,${columns}`]
  run(
    'soffice',
    ...args,
    '--convert-to',
    'csv:Text - txt - csv (StarCalc):44,34,76,1',
    '--outdir',
    'again',
    'seoul.csv',
  )
  expect(parse(run('cat', 'again/seoul.csv'))).toEqual(parse(run('cat', 'seoul.csv')))
})
