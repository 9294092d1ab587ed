import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readGeoJson } from '../../src/rows/formats/geojson.ts'
import { parseManifest, readManifest } from '../../src/rows/manifest.ts'
import { csv, DATASET } from '../support/import.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-manifest-'))
})
afterAll(() => rm(folder, { recursive: true }))

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
    for await (const feature of readGeoJson(chunks(), { name: 'a.geojson', path: 'a.geojson', dialect: {} }))
      expect(feature).toBe(undefined)
  }
  await expect(read()).rejects.toThrow('a.geojson:1: is longer than 10000000 characters')
})

test('A manifest without a name is refused with an error that names the member', () => {
  const manifest = JSON.stringify({ dataset: { ...DATASET, name: undefined }, items: 'a.csv' })
  expect(() => parseManifest('manifest.json', manifest)).toThrow('manifest.json: dataset.name is required')
})
