import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PMTiles } from 'pmtiles'
import { beforeAll, expect, test } from 'vitest'
import { NAMED_BASE_MAPS } from '../../src/config/base-maps.ts'
import { readConfig } from '../../src/config/config.ts'
import { startApp, useApp } from '../support/app.ts'
import { writePmtiles } from '../support/pmtiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'base-map-'))
const path = join(folder, 'city.pmtiles')
let bytes: Buffer
beforeAll(async () => {
  writePmtiles(path, '<a href="https://example.org">Example</a>')
  bytes = readFileSync(path)
})
const t = useApp({ baseMap: { kind: 'pmtiles', path } })

const read = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${t.url}/base-map.pmtiles`, { headers, method })

test('a PMTiles file is served without a key, and a reader of PMTiles finds its tile', async () => {
  const file = new PMTiles(`${t.url}/base-map.pmtiles`)
  expect(await file.getMetadata()).toMatchObject({ vector_layers: [{ id: 'water' }] })
  expect((await file.getZxy(0, 0, 0))?.data.byteLength).toBeGreaterThan(20)
})

test.each([
  ['bytes=0-6', 0, 6],
  ['bytes=120-', 120, undefined],
  ['bytes=-10', -10, undefined],
  ['bytes=5-99999999', 5, undefined],
])('a range gives exactly its bytes: %s', async (range, start, end) => {
  const response = await read({ range })
  const expected = start < 0 ? bytes.subarray(start) : bytes.subarray(start, end === undefined ? undefined : end + 1)
  expect(response.status).toBe(206)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(expected)
  expect(response.headers.get('content-length')).toBe(String(expected.length))
  expect(response.headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${bytes.length}$`))
})

test.each(['', 'bytes=', 'bytes=3-1', 'bytes=0-1,4-5', 'items=0-1', 'bytes=a-b'])(
  'a header that is not one range gives the whole file: %j',
  async (range) => {
    const response = await read({ range })
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  },
)

test('a range beyond the file is 416 and names the size', async () => {
  for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
    const response = await read({ range })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  }
})

test('a client that has parts of another file gets the whole file', async () => {
  const etag = (await read()).headers.get('etag') ?? ''
  const rangeFor = async (tag: string) => (await read({ range: 'bytes=0-6', 'if-range': tag })).status
  expect([await rangeFor(etag), await rangeFor('"another"')]).toEqual([206, 200])
})

test('a client that has the file gets a 304, also for a range', async () => {
  const etag = (await read()).headers.get('etag') ?? ''
  for (const range of ['', 'bytes=0-6']) {
    const response = await read({ range, 'if-none-match': etag })
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, etag, ''])
    expect((await read({ range, 'if-none-match': '"another"' })).status).toBe(range === '' ? 200 : 206)
  }
  expect((await read({ 'if-match': '"another"' })).status).toBe(412)
})

test('clients that disconnect do not close the file for others, who never get another file', async () => {
  const large = join(folder, 'large.pmtiles')
  writeFileSync(large, Buffer.concat([bytes, Buffer.alloc(30_000_000, 'a')]))
  const other = await startApp({ beside: t, baseMap: { kind: 'pmtiles', path: large } })
  for (let n = 0; n < 5; n += 1) {
    const [response] = await once(get(`${other.url}/base-map.pmtiles`), 'response')
    await once(response, 'data')
    response.destroy()
  }
  // Files that open now would take the number of a closed one.
  const opened = Array.from({ length: 50 }, () => openSync(import.meta.filename, 'r'))
  for (let n = 0; n < 20; n += 1) {
    const response = await fetch(`${other.url}/base-map.pmtiles`, { headers: { range: 'bytes=0-99' } })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes.subarray(0, 100))
  }
  for (const fd of opened) closeSync(fd)
  await other.close()
})

test('HEAD has the length and no body', async () => {
  expect((await read({ range: 'bytes=0-6' }, 'HEAD')).status).toBe(200)
  const response = await read({}, 'HEAD')
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    String(bytes.length),
    '',
  ])
})

test('without a file there is no such path', async () => {
  const other = await startApp({ beside: t })
  expect((await fetch(`${other.url}/base-map.pmtiles`)).status).toBe(404)
  await other.close()
})

test.each([
  ['https://tiles.example/{z}/{x}/{y}.png', 'raster'],
  ['https://tiles.example/style.json', 'style'],
] as const)('the policy admits the origin of %s, and no other', async (url, kind) => {
  const other = await startApp({ beside: t, baseMap: { kind, url } })
  const page = await fetch(other.url)
  const script = /\/assets\/\w+/.exec(await page.text())?.[0]
  const worker = await fetch(`${other.url}${script}/lib/maplibre-gl/maplibre-gl-worker.mjs`)
  for (const { headers } of [page, worker]) {
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toContain("connect-src 'self' https://tiles.example")
  }
  expect((await fetch(`${other.url}/docs`)).headers.get('content-security-policy')).not.toContain('tiles.example')
  await other.close()
})

test('BASE_MAP is a PMTiles file, a style, or raster tiles', () => {
  const baseMap = (text: string) => readConfig({ BASE_MAP: text }).baseMap
  expect(baseMap(path)).toEqual({ kind: 'pmtiles', path })
  expect(baseMap('https://a.example/style.json')).toEqual({ kind: 'style', url: 'https://a.example/style.json' })
  const tiles = 'https://a.example/{z}/{x}/{y}.png'
  expect(baseMap(tiles)).toEqual({ kind: 'raster', url: tiles })
  expect(baseMap('')).toBeUndefined()
})

test.each(Object.entries(NAMED_BASE_MAPS))(
  '%s needs no key, has its credit, and loads from one origin only',
  async (name, map) => {
    expect(readConfig({ BASE_MAP: name }).baseMap).toEqual(map)
    if (map.kind === 'pmtiles') throw new TypeError('A file has no name of its own')
    const { url, dark = url, credit } = map
    const { origin, search } = new URL(url)
    expect([new URL(dark).origin, search]).toEqual([origin, ''])
    expect(credit).toBeTruthy()
    const other = await startApp({ beside: t, baseMap: map })
    const policy = (await fetch(other.url)).headers.get('content-security-policy')?.split('; ')
    expect(policy).toContain(`connect-src 'self' ${origin}`)
    await other.close()
  },
)

test('a wrong BASE_MAP is one clear line', () => {
  const text = join(folder, 'text.pmtiles')
  writeFileSync(text, 'no tiles')
  const form =
    'BASE_MAP must be openfreemap, versatiles, basemap.de, the URL of a style or of raster tiles, or the path of a PMTiles file:'
  const message = (value: string) => () => readConfig({ BASE_MAP: value })
  expect(message(text)).toThrow(`${form} ${text} is no PMTiles file of version 3`)
  expect(message('/nowhere.pmtiles')).toThrow(`${form} /nowhere.pmtiles can't be read (ENOENT)`)
  expect(message(folder)).toThrow(`${form} ${folder} can't be read (EISDIR)`)
  expect(message('ftp://a.example/style.json')).toThrow("can't be read")
  expect(message('constructor')).toThrow('BASE_MAP must be openfreemap')
  expect(message('https://a.example/{z}/{x}.png')).toThrow('BASE_MAP must have {z}, {x} and {y}')
})
