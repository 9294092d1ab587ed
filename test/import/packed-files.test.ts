import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { splitFeatures } from '../../src/import/formats/geojson-features.ts'
import { readManifest } from '../../src/import/read-manifest.ts'

/* Small packed files that unpack to much text, which memory must not hold. */

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

test('a packed manifest of 11 MB is refused', async () => {
  const path = join(tmpdir(), `manifest-${process.pid}.json.gz`)
  await writeFile(path, gzipSync(`{"x":"${'x'.repeat(11_000_000)}"}`))
  await expect(readManifest(path)).rejects.toThrow('is longer than 10000000 characters')
})
