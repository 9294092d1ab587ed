import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import { exportBundle, exportFile } from '../../src/cli/export-files.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { importManifest } from '../../src/import/import.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { createApp } from '../../src/server/app.ts'
import { createDatabase, type TestDatabase, useDatabase } from '../support/database.ts'
import { copyEmbedded } from '../support/template.ts'

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url))
const hasData = existsSync(DATA)
if (!hasData) process.stderr.write(`No data at ${DATA}: bundles of it are not tested\n`)

const FILES = [
  'kr_museums',
  'kr_tourist_sites',
  'kr_festivals',
  'ourairports_airports',
  'ourairports_countries',
].concat(['ourairports_regions', 'geonames_cities15000', 'geonames_cities1000'])
/** The number of rows of each file that the test imports. */
const SLICE = 80

/** Values that are hard to copy: text that looks like markup or JSON, long numbers, shared names, parents, tied images. */
const HARD_ROWS = [
  {
    ...{ externalId: 'ü,"\n', name: ' "a",\r\n\t=1+1 😀 \u202e\u2028 ', description: '\u0001\\n', openingHours: '[]' },
    ...{ administrativeAreaCode: '{}', categoryCode: "it's", latitude: -90, longitude: '0.0000001', email: 'null' },
    images: [
      { originalUrl: 'https://a.example/1', sortOrder: 5, altText: '"' },
      { originalUrl: 'https://a.example/1', sortOrder: 5, isPrimary: true, cdnUrl: 'x' },
      { originalUrl: 'https://a.example/2', sortOrder: 0 },
    ],
  },
  {
    ...{ externalId: 'child', name: 'A', administrativeAreaCode: '1', categoryCode: 'x', latitude: 1, longitude: -180 },
    ...{ parentExternalId: 'ü,"\n', createdAt: '0001-01-01T00:00:00.001Z', updatedAt: '9999-12-31T23:59:59.999Z' },
    thumbnailUrl: 'https://a.example/t',
  },
  {
    ...{ id: 'FFFFFFFF-ffff-4fff-8fff-ffffffffffff', name: 'A', administrativeAreaCode: '1', categoryCode: 'x' },
    ...{ latitude: '1.1234567', longitude: 180, parentExternalId: 'child' },
  },
]
const HARD_ATTRIBUTES =
  '{"z": 1, "a": 12345678901234567890.12345678901234567890, "10": [1e-300, 1e300, -0.5, null, {"__proto__": "\\u0001"}], "": "\\"", "constructor": true}'

let folder: string
let original: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-bundle-'))
  original = await createDatabase()
  await loadSampleData(original.database)
  await importHardRows(original.database)
  for (const name of hasData ? FILES : []) await importSlice(original.database, name)
})
afterAll(async () => {
  await original.close()
  await rm(folder, { recursive: true })
})

const options = { keepMissing: false, skipInvalid: true }

async function importHardRows(database: Database): Promise<void> {
  const [first, ...others] = HARD_ROWS.map((row) => JSON.stringify(row))
  const hardest = first?.replace(/\}$/, `,"extraAttributes":${HARD_ATTRIBUTES}}`)
  await writeFile(join(folder, 'hard.ndjson'), [hardest, ...others].join('\n'))
  const dataset = {
    ...{
      slug: 'Hard._~-',
      name: ' 한국 "\n',
      description: '\\',
      status: 'inactive',
      visibility: 'paid',
      accessTier: 'a b',
    },
    ...{ attribution: '© <b>', createdAt: '2020-02-29T23:59:59.999+09:00' },
  }
  await writeFile(join(folder, 'hard.json'), JSON.stringify({ dataset, items: 'hard.ndjson' }))
  const { created, skipped } = await importManifest(database, join(folder, 'hard.json'), options)
  expect([created, skipped]).toEqual([3, 0])
}

/** Imports the first rows of a file in ../shared/data. */
async function importSlice(database: Database, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`manifests/${name}.json`, import.meta.url))
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  for (const item of manifest.items) {
    const bytes = await readFile(join(DATA, basename(item.file)))
    const text = (item.file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    const rows: string[][] = parse(text, { to: SLICE + 1, relax_column_count: true, bom: true })
    item.file = `${name}.csv`
    const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`
    await writeFile(join(folder, item.file), rows.map((row) => `${row.map(quote).join()}\n`).join(''))
  }
  for (const list of Object.values<{ file?: string }>(manifest.labels ?? {})) {
    if (list.file !== undefined) list.file = join(DATA, basename(list.file))
  }
  await writeFile(join(folder, `${name}.json`), JSON.stringify(manifest))
  await importManifest(database, join(folder, `${name}.json`), options)
}

/** Exports each dataset of one database as a bundle, and imports the bundles into another. */
async function copyAll(from: Database, to: Database, name: string): Promise<string[]> {
  const bundles: string[] = []
  for (const { id, slug } of await from.prisma.dataset.findMany({ orderBy: { slug: 'asc' } })) {
    const bundle = join(folder, name, slug)
    await exportBundle({ prisma: from.prisma, id }, { folder: bundle, force: false })
    const summary = await importManifest(to, join(bundle, 'manifest.json'), { keepMissing: false, skipInvalid: false })
    expect(summary).toMatchObject({ datasetId: id, slug, updated: 0, skipped: 0 })
    bundles.push(bundle)
  }
  return bundles
}

/** Serves a database with a key for all datasets, and reads each path. */
async function readAll(database: Database, paths: readonly string[]): Promise<Map<string, unknown>> {
  const { limits } = readConfig({})
  const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const datasets = await database.prisma.dataset.findMany({ select: { slug: true } })
  const { key, id } = await createKey(database.prisma, { name: 'all', datasets: datasets.map(({ slug }) => slug) })
  try {
    const answers = new Map<string, unknown>()
    for (const path of paths) {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
      // The tag of an export depends on the revision, which each database counts by itself.
      const etag = path.startsWith('/exports/') ? undefined : response.headers.get('etag')
      // So does the cursor in its link.
      const names = ['content-type', ...(path.startsWith('/exports/') ? [] : ['link']), 'content-disposition']
      const headers = names.map((name) => response.headers.get(name))
      answers.set(path, [response.status, etag, headers, await response.text()])
    }
    return answers
  } finally {
    await database.prisma.apiKey.delete({ where: { id } })
    await app.close()
  }
}

/** Paths that together read every member of every dataset, item and image, and every order of lists. */
async function pathsOf({ prisma }: Database): Promise<string[]> {
  const datasets = await prisma.dataset.findMany({ orderBy: { slug: 'asc' } })
  const items = await prisma.item.findMany({ select: { id: true } })
  const lists = datasets.flatMap(({ slug }) => {
    const list = `/v1/datasets/${slug}/items?limit=100`
    const sorted = ['name', 'createdAt', 'updatedAt'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => [1, 2, 3].map((page) => `${list}&sort=${sort}&order=${order}&page=${page}`)),
    )
    const filtered = [`${list}&parentItemId=null`, `${list}&categoryCode=x`, `${list}&administrativeAreaCode=11110`]
    const exports = ['ndjson', 'csv', 'geojson'].map((format) => `/exports/${slug}.${format}`)
    return [`/v1/datasets/${slug}`, ...sorted, ...filtered, ...exports]
  })
  const nearby = ['37.5665&longitude=126.978', '-90&longitude=0', '42.5&longitude=1.5'].map(
    (place) => `/v1/dataset-items/nearby?radius=50000&limit=100&latitude=${place}`,
  )
  const query =
    '{ datasets { nodes { slug status categories { code label total } administrativeAreas { code label total } items(limit: 100) { nodes { id externalId parent { id } } } } } }'
  return [
    ...['/v1/datasets', `/graphql?query=${encodeURIComponent(query)}`, '/tiles/all/0/0/0.mvt'],
    ...[...lists, ...nearby, ...items.map(({ id }) => `/v1/dataset-items/${id}`)],
  ]
}

describe('A bundle imported elsewhere', () => {
  const copy = useDatabase()
  let bundles: string[]
  beforeAll(async () => {
    bundles = await copyAll(original.database, copy.database, 'copies')
  })

  test('answers every request byte for byte like the original, ETags included', async () => {
    const paths = await pathsOf(original.database)
    const answers = await readAll(original.database, paths)
    expect([...answers.values()].every((answer) => Array.isArray(answer) && answer[0] === 200)).toBe(true)
    expect(await readAll(copy.database, paths)).toEqual(answers)
  })

  test('changes nothing when it is imported again', async () => {
    for (const bundle of bundles) {
      const summary = await importManifest(copy.database, join(bundle, 'manifest.json'), options)
      expect(summary).toMatchObject({ created: 0, updated: 0, removed: 0, skipped: 0 })
    }
  })

  test('carries a catalog to the embedded database, which exports the same bundle', async () => {
    const dataDir = await copyEmbedded()
    const config = {
      kind: 'embedded',
      dataDir,
      poolSize: 4,
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 60_000,
    } as const
    const embedded = await openDatabase(config, { share: true })
    const back = await createDatabase()
    try {
      await copyAll(original.database, embedded, 'to-embedded')
      const paths = await pathsOf(original.database)
      expect(await readAll(embedded, paths)).toEqual(await readAll(original.database, paths))
      expect(await contentsOf(await copyAll(embedded, back.database, 'and-back'))).toEqual(await contentsOf(bundles))
    } finally {
      await embedded.close()
      await rm(dataDir, { recursive: true })
      await back.close()
    }
  })

  const contentsOf = (folders: readonly string[]) =>
    Promise.all(
      folders.flatMap((bundle) =>
        ['manifest.json', 'items.ndjson'].map((file) => readFile(join(bundle, file), 'utf8')),
      ),
    )
})

describe('A file of an export', () => {
  test.each(EXPORT_FORMATS.filter(({ frame }) => frame))(
    '$name: the import reads it, and it changes nothing',
    async (format) => {
      for (const { id, slug } of await original.database.prisma.dataset.findMany()) {
        const path = join(folder, `${slug}-export.${format.name}`)
        await exportFile({ prisma: original.database.prisma, id }, { format, path, force: false })
        const { revision, epoch, ...dataset } = await original.database.prisma.dataset.findUniqueOrThrow({
          where: { id },
        })
        const manifest = join(folder, `${slug}-${format.name}.json`)
        await writeFile(manifest, JSON.stringify({ dataset, items: basename(path) }))
        const summary = await importManifest(original.database, manifest, { keepMissing: false, skipInvalid: false })
        expect(summary).toMatchObject({ slug, created: 0, updated: 0, removed: 0, skipped: 0 })
      }
    },
  )
})
