import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'

/* Programs that people open exports with. Outside CI, each test is skipped where its program is not installed. */

const has = (program: string, ...args: string[]) =>
  process.env.CI !== undefined || spawnSync(program, args).status === 0
const hasGdal = has('ogr2ogr', '--version')
const PYTHON = '/usr/bin/python3'
const hasPandas = has(PYTHON, '-c', 'import pandas')
const hasLibreOffice = has('soffice', '--version')

const t = useApp()
let folder: string
let items: { id: string; name: string; latitude: string; longitude: string }[]
beforeAll(async () => {
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
    ['geojson', []],
    ['csv', ['-oo', 'X_POSSIBLE_NAMES=longitude', '-oo', 'Y_POSSIBLE_NAMES=latitude', '-a_srs', 'EPSG:4326']],
  ])('opens %s with all features, names and points', (format, options) => {
    run('ogr2ogr', '-f', 'GeoJSONSeq', `from-${format}.jsonl`, `seoul.${format}`, ...options)
    const features = run('cat', `from-${format}.jsonl`)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(features.map(({ id, properties, geometry }) => [id ?? properties.id, properties.name, geometry])).toEqual(
      items.map(({ id, name, latitude, longitude }) => [
        id,
        name,
        { type: 'Point', coordinates: [Number(longitude), Number(latitude)] },
      ]),
    )
  })
})

test.skipIf(!hasPandas)('pandas reads CSV and NDJSON with all rows and names', () => {
  const script = `
import json, pandas
csv = pandas.read_csv('seoul.csv', dtype=str)
ndjson = pandas.read_json('seoul.ndjson', lines=True, dtype=False)
print(json.dumps([list(csv.name), list(ndjson.name), list(csv.columns) == list(ndjson.columns)]))`
  const names = items.map(({ name }) => name)
  expect(JSON.parse(run(PYTHON, '-c', script))).toEqual([names, names, true])
})

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
