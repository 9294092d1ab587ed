import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { exportBundle } from '../../src/cli/export-files.ts'
import { importManifest } from '../../src/import/import.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { recordsOf } from '../support/exports.ts'
import { useFolder } from '../support/folder.ts'
import { collection, createImporter, csv, type Files, HEADER, ndjson, point, row } from '../support/import.ts'
import { getOgc } from '../support/ogc.ts'
import { rowsOf } from '../support/parquet.ts'
import { decodeTile } from '../support/tiles.ts'
import { xlsx } from '../support/xlsx.ts'

/* Characters of every kind of plane keep their code point at every door: pbf 5.1.2 moves those of even planes to the plane before. */

/** Of the planes 1, 2, 3, 14, 15 and 16. */
const NAMES = ['😀', '𠮷野家', '𰀀𱍊', '葛󠄀城', '\u{F0000}\u{FFFFD}', 'x\u{100000}\u{10FFFD}'].sort()
const CODES = NAMES.map((name) => `code ${name}`)

const t = useApp()
const folder = useFolder()

const fields = NAMES.map((name, n) => ({ externalId: name, name, categoryCode: `code ${name}`, latitude: 10 + n }))
const lines = fields.map(({ name, categoryCode, latitude }) => `${name},${name},11,${categoryCode},${latitude},127`)
const quoted = (text: string) =>
  Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join('')
const cells = fields.map(({ name, categoryCode, latitude }) => [name, name, '11', categoryCode, latitude, 127])

const FILES: Record<string, Files> = {
  ndjson: { 'far.ndjson': ndjson(...fields.map(row)) },
  'ndjson-escaped': {
    'far.ndjson': ndjson(...fields.map(row)).replace(/[\ud800-\udfff]+/g, quoted),
  },
  csv: { 'far.csv': csv(...lines) },
  'csv-utf16': { 'far.csv': Buffer.from(`\ufeff${csv(...lines)}`, 'utf16le') },
  geojson: { 'far.geojson': collection(...fields.map((each) => point([127, each.latitude], row(each)))) },
  xlsx: { 'far.xlsx': xlsx({ A: [HEADER.split(','), ...cells] }) },
}

beforeAll(async () => {
  const importer = await createImporter(t.database)
  for (const [slug, files] of Object.entries(FILES)) {
    const items = slug === 'csv-utf16' ? [{ file: 'far.csv', encoding: 'utf-16le' }] : undefined
    await importer.run(files, { dataset: { slug }, items })
  }
  await importer.close()
  const { id } = await t.database.prisma.dataset.findFirstOrThrow({ where: { slug: 'csv' } })
  await exportBundle({ prisma: t.database.prisma, id }, { folder: folder('bundle'), force: false })
  const manifest = await readFile(folder('bundle', 'manifest.json'), 'utf8')
  expect((await readFile(folder('bundle', 'items.ndjson'), 'utf8')).split('\n')).toHaveLength(NAMES.length + 1)
  await t.database.prisma.dataset.delete({ where: { id } })
  expect(JSON.parse(manifest).dataset.slug).toBe('csv')
  await importManifest(t.database, folder('bundle', 'manifest.json'), { keepMissing: false, skipInvalid: false })
  await t.hearChanges()
})

const sorted = (texts: Iterable<unknown>) => [...texts].sort()
const namesOf = (items: readonly Record<string, unknown>[]) => sorted(items.map(({ name }) => name))
const json = async (path: string) => (await t.get(path)).json()

test.each(Object.keys(FILES))('an import of %s keeps them', async (slug) => {
  const items = await t.database.prisma.item.findMany({ where: { dataset: { slug } } })
  expect(namesOf(items)).toEqual(NAMES)
  expect(sorted(items.map(({ externalId }) => externalId))).toEqual(NAMES)
  expect(sorted(items.map(({ categoryCode }) => categoryCode))).toEqual(CODES)
})

const DOORS: Record<string, () => Promise<unknown[]>> = {
  REST: async () => namesOf((await json('/v1/datasets/csv/items')).data),
  GraphQL: async () =>
    namesOf((await t.graphql('{ dataset(id: "csv") { items { nodes { name } } } }')).body.data.dataset.items.nodes),
  MCP: async () => namesOf((await callTool(t.url, t.key, 'listItems', { datasetId: 'csv' })).structuredContent.data),
  'the text of MCP': async () =>
    namesOf(JSON.parse((await callTool(t.url, t.key, 'listItems', { datasetId: 'csv' })).content[0]?.text ?? '').data),
  OGC: async () =>
    namesOf(
      (await getOgc(t, '/ogc/collections/csv/items')).body.features.map(
        ({ properties }: { properties: { name: string } }) => properties,
      ),
    ),
  'tiles with places': async () => {
    const tiles = await Promise.all(
      fields.map(async ({ categoryCode }) => {
        const path = `/tiles/csv/0/0/0.mvt?categoryCode=${encodeURIComponent(categoryCode)}`
        const [feature] = decodeTile(await (await t.get(path)).arrayBuffer(), { z: 0, x: 0, y: 0 })
        expect(feature?.properties.categoryCode).toBe(categoryCode)
        return feature?.properties ?? {}
      }),
    )
    return namesOf(tiles)
  },
  'exports.ndjson': async () => namesOf(recordsOf(await (await t.get('/exports/csv.ndjson')).text())),
  'exports.csv': async () =>
    namesOf(parse(await (await t.get('/exports/csv.csv')).text(), { columns: true, bom: true })),
  'exports.geojson': async () =>
    namesOf(
      (await json('/exports/csv.geojson')).features.map(
        ({ properties }: { properties: { name: string } }) => properties,
      ),
    ),
  'exports.parquet': async () => namesOf(await rowsOf(await t.get('/exports/csv.parquet'))),
}

describe('A door', () => {
  test.each(Object.entries(DOORS))('%s shows them', async (_what, read) => {
    expect(await read()).toEqual(NAMES)
  })

  test('tiles tell the shares of clusters by them', async () => {
    const bytes = await (await t.get('/tiles/csv/0/0/0.mvt?shares=categoryCode')).arrayBuffer()
    const features = decodeTile(bytes, { z: 0, x: 0, y: 0 })
    const shares = features.map(
      ({ properties }) => properties.shares ?? `{${JSON.stringify(properties.categoryCode)}:1}`,
    )
    expect(sorted(shares.flatMap((text) => Object.keys(JSON.parse(String(text)))))).toEqual(CODES)
  })

  test.each(NAMES)('a filter by the code of %s finds it', async (name) => {
    const { data } = await json(`/v1/datasets/csv/items?categoryCode=${encodeURIComponent(`code ${name}`)}`)
    expect(namesOf(data)).toEqual([name])
  })
})
