import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitFeatures } from '../../src/rows/formats/geojson.ts'
import { readManifest } from '../../src/rows/manifest.ts'
import { collection, csv, DATASET, type Files, ndjson, point, row, useImporter } from '../support/import.ts'

const t = useImporter()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-bad-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('A bad file', () => {
  test.each<[string, Files, string]>([
    [
      'that is cut-off gzip with an ending in capitals',
      { 'a.ndjson.GZ': gzipSync(ndjson(row())).subarray(0, 40) },
      "a.ndjson.GZ: can't be read: unexpected end of file",
    ],
    [
      'in UTF-16 without a byte order mark, packed',
      { 'a.csv.gz': gzipSync(Buffer.from(csv('a,A,11,x,37,127'), 'utf16le')) },
      'in the manifest, add "encoding": "utf-16le" to the entry of a.csv.gz',
    ],
    ['with another ending', { 'a.pdf': 'x' }, 'a.pdf: must end in .csv, .tsv, .txt, .ndjson, .jsonl,'],
    ['of an old spreadsheet', { 'a.xls': 'x' }, 'open it in a spreadsheet program, and save it as a.xlsx'],
    ['of OpenDocument', { 'a.b.ods': 'x' }, 'save it as a.b.xlsx'],
    ['of JSON', { 'a.json': '[]' }, "is JSON; write a line for each object: jq -c '.[]' a.json > a-lines.ndjson"],
    ['that is packed', { 'a.csv.zip': 'x' }, 'unpack it'],
    ['with a bad quote in its header', { 'a.csv': 'name,"a"b\n' }, 'a.csv:1: cell 2 has text after its closing quote'],
    [
      'that is not a collection',
      { 'a.geojson': '{"type":"Topology"}' },
      'a.geojson:1: is not a GeoJSON FeatureCollection, and has no Features one after another',
    ],
    [
      'with a collection after a feature',
      { 'a.geojson': '{"type":"Feature"}\n{"features":[]}' },
      'a.geojson:2: must be one FeatureCollection',
    ],
    [
      'with a feature that is null',
      { 'a.geojson': collection(point([1, 2], row())).replace('"features": [', '"features": [null,') },
      'features must be objects',
    ],
    [
      'with a feature that is a number',
      { 'a.geojson': '{"features":\n[\n7]}' },
      'a.geojson:3: features must be objects',
    ],
    [
      'with text after the collection',
      { 'a.geojson': '{"features":[]}\n{}' },
      'a.geojson:2: must be one FeatureCollection',
    ],
    ['that is half a collection', { 'a.geojson': collection(point([1, 2], row())).slice(0, -5) }, 'ends in the middle'],
  ])('%s stops the import with an error that names it, and nothing changes', async (_what, files, reason) => {
    expect(await t.importer.fail(files, { skipInvalid: true })).toContain(reason)
    expect(await t.db.database.prisma.dataset.count()).toBe(0)
  })

  test('that is cut-off gzip is one line, also when bad rows are skipped', async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => row({ externalId: String(n), description: String(n ** 9) }))
    const packed = gzipSync(ndjson(...rows))
    for (const options of [{}, { skipInvalid: true }]) {
      const message = await t.importer.fail({ 'a.ndjson.gz': packed.subarray(0, packed.length / 2) }, options)
      expect(message).toBe("a.ndjson.gz: can't be read: unexpected end of file; it is cut short, so fetch it again")
      expect(t.importer.reported.skipped).toEqual([])
    }
  })

  test('that does not exist is named in the error', async () => {
    expect(await t.importer.fail({}, { items: 'nowhere.csv' })).toBe('nowhere.csv: does not exist')
  })

  test('with a line of 11 MB is refused', async () => {
    expect(await t.importer.fail({ 'a.ndjson': `{"name":"${'a'.repeat(11_000_000)}"}\n` })).toContain(
      'a.ndjson:1: is longer than 10000000 characters',
    )
    expect(await t.importer.fail({ 'a.csv': csv(`a,${'a'.repeat(11_000_000)},11,x,37,127`) })).toContain(
      'a.csv:2: is longer than 10000000 characters; if a quote opens in this row, close it',
    )
    const rows = Array.from({ length: 3_000 }, (_, n) => `${n},A,11,x,37,127`)
    const unclosed = csv(...rows, 'a,"A,11,x,37,127', 'a'.repeat(11_000_000))
    expect(await t.importer.fail({ 'a.csv': unclosed }, { skipInvalid: true })).toContain('a.csv:3002: is longer than')
  })

  test('with a header of 200,000 columns is read', async () => {
    const header = Array.from({ length: 200_000 }, (_, n) => `c${n}`)
    expect(await t.importer.fail({ 'a.csv': `${[...header, 'c7'].join()}\n` })).toContain('has the column "c7" twice')
    expect(await t.importer.fail({ 'a.csv': `${header.join()}\na\n` })).toContain('a.csv')
  })
})

test('spaces and a byte order mark around the name of a column are none of it', async () => {
  const text = csv('a,A,11,x,1,2').replace('externalId,name', '\ufeffexternalId ,\u00a0name')
  expect(await t.importer.fail({ 'a.csv': `\ufeff${text}` })).toMatch(/^loaded .*"created":1/)
})

describe('A file of items in the place of a manifest', () => {
  test.each(['a.csv', 'a.ndjson.gz', 'a b.xlsx'])('is told the command for it: %s', async (name) => {
    const path = join(folder, name)
    await writeFile(path, csv('a,A,11,x,1,2'))
    const quoted = name.includes(' ') ? `'${path}'` : path
    await expect(readManifest(path)).rejects.toThrow(`is no manifest; to write one: npx catalog import init ${quoted}`)
  })

  test.each<[string, (text: string) => Buffer]>([
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without a byte order mark', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-16BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('and a manifest in %s is read', async (_what, encode) => {
    const path = join(folder, 'manifest.json')
    await writeFile(path, encode(JSON.stringify({ dataset: { ...DATASET, name: '부산' }, items: [] })))
    expect((await readManifest(path)).dataset.name).toBe('부산')
  })

  test('and one in CP949 is refused with the remedy', async () => {
    const path = join(folder, 'cp949.json')
    await writeFile(
      path,
      Buffer.concat([Buffer.from('{"dataset":{"name":"'), Buffer.from([0xb0, 0xa1]), Buffer.from('"}}')]),
    )
    await expect(readManifest(path)).rejects.toThrow(`${path}: is not UTF-8; save it as UTF-8`)
  })

  test('and one of 11 MB is refused, also packed', async () => {
    const path = join(folder, 'manifest.json.gz')
    await writeFile(path, gzipSync(`{"x":"${'x'.repeat(11_000_000)}"}`))
    await expect(readManifest(path)).rejects.toThrow('is longer than 10000000 characters')
  })
})

test('a FeatureCollection with a name as long as the file is refused', async () => {
  const part = 'x'.repeat(1_000_000)
  const chunks = async function* () {
    yield '{"type":"FeatureCollection","name":"'
    // Together longer than the longest string of V8.
    for (let n = 0; n < 600; n += 1) yield part
    yield '","features":[{}]}'
  }
  const read = async () => {
    for await (const feature of splitFeatures(chunks(), { name: 'a.geojson', path: 'a.geojson', dialect: {} }))
      expect(feature).toBe(undefined)
  }
  await expect(read()).rejects.toThrow('a.geojson:1: is longer than 10000000 characters')
})

describe('A bad manifest', () => {
  test.each<[string, object, unknown, string]>([
    [
      'with a slug that is a UUID',
      { slug: '22222222-0000-4000-8000-000000000001' },
      'a.ndjson',
      'dataset.slug must be letters',
    ],
    ['with a slug that needs escaping in a URL', { slug: 'a b' }, 'a.ndjson', 'dataset.slug must be letters'],
    ['with an unknown status', { status: 'ready' }, 'a.ndjson', 'dataset.status'],
    ['with an unknown member', { nmae: 'x' }, 'a.ndjson', 'nmae'],
    ['with a field that items do not have', {}, [{ file: 'a.csv', columns: { nmae: 'x' } }], 'nmae'],
    [
      'with a column that the file does not have',
      {},
      [{ file: 'a.csv', columns: { name: '이름', categoryCode: { template: '{a}-{b}' } } }],
      'a.csv: has no column 이름, a, b',
    ],
    [
      'with a list of columns for a name',
      {},
      [{ file: 'a.csv', columns: { name: ['a'] } }],
      'name takes no list of columns',
    ],
    ['without a name', { name: undefined }, 'a.ndjson', 'manifest.json: dataset.name is required'],
    ['with an unknown visibility', { visibility: 'all' }, 'a.ndjson', 'must be one of public, restricted, paid'],
    ['with a number for its files', {}, 5, 'items.0 must be a file name, or { "file", "columns" }'],
    ['with a file without a name', {}, [{}], 'items.0.file is required'],
    ['with an unknown member of a file', {}, [{ file: 'a.csv', colums: {} }], 'items.0 has the unknown'],
    [
      'with a year that PostgreSQL does not have',
      { createdAt: '0000-01-01' },
      'a.ndjson',
      'dataset.createdAt must be from',
    ],
  ])('%s is refused with an error that names the member', async (_what, dataset, list, reason) => {
    expect(
      await t.importer.fail({ 'a.ndjson': ndjson(row()), 'a.csv': csv('a,A,11,x,37,127') }, { dataset, items: list }),
    ).toContain(reason)
  })
})
