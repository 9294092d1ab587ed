import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { splitFeatures } from '../../src/import/formats/geojson-features.ts'
import { readManifest } from '../../src/import/manifest.ts'

/* Small packed files that unpack to much text, which memory must not hold. */

test('the name of a FeatureCollection can be as long as the file', async () => {
  const part = 'x'.repeat(1_000_000)
  const chunks = async function* () {
    yield '{"type":"FeatureCollection","name":"'
    // Together longer than the longest string of V8.
    for (let n = 0; n < 600; n += 1) yield part
    yield '","features":[{}]}'
  }
  const features = []
  for await (const feature of splitFeatures(chunks(), { name: 'a.geojson', path: 'a.geojson', dialect: {} }))
    features.push(feature)
  expect(features).toMatchObject([{ line: 1, json: '{}' }])
})

test('a packed manifest of 11 MB is refused', async () => {
  const path = join(tmpdir(), `manifest-${process.pid}.json.gz`)
  await writeFile(path, gzipSync(`{"x":"${'x'.repeat(11_000_000)}"}`))
  await expect(readManifest(path)).rejects.toThrow('is longer than 10000000 characters')
})
