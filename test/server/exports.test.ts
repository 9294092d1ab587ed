import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import { startApp, useApp } from '../support/app.ts'
import { DATASET, ITEM, newDataset, PALACE, SEOUL_ITEMS } from '../support/catalog.ts'
import { authorization, finish, open, recordsOf, statusOf } from '../support/exports.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { rowsOf } from '../support/parquet.ts'

const FORMATS = EXPORT_FORMATS.map(({ name }) => name)

const t = useApp()

/** The gateway shows a change within a second. */
const expectStatus = (path: string, expected: number) =>
  expectWithinASecond(
    () => t.get(path),
    ({ status }) => expect(status).toBe(expected),
  )

describe('GET /exports/{datasetId}.{format}', () => {
  /** The detail of an item in REST, with `externalId` and `keywords` in place of `dataset`. */
  async function expectedOf(id: string) {
    const response = await t.get(`/v1/dataset-items/${id}`)
    const { dataset, ...members } = (await response.json()).data
    if (id !== ITEM.palace) return { ...members, externalId: null, keywords: [] }
    return { ...members, externalId: PALACE.externalId, keywords: PALACE.keywords }
  }

  test('NDJSON has a line for each item, in order of id, with the members of the item detail in their order', async () => {
    const response = await t.get('/exports/seoul.ndjson')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const records = recordsOf(await response.text())
    expect(records.map(({ id }) => id)).toEqual(SEOUL_ITEMS)
    for (const record of records) {
      expect(Object.entries(record)).toEqual(Object.entries(await expectedOf(record.id)))
    }
  })

  test('CSV has the same members as columns, with JSON in the cells of images, extra attributes and keywords', async () => {
    const response = await t.get('/exports/seoul.csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const text = await response.text()
    expect(text.endsWith('\r\n')).toBe(true)
    const rows: Record<string, string>[] = parse(text, { columns: true })
    expect(rows.map(({ id }) => id)).toEqual(SEOUL_ITEMS)
    for (const { images = '', extraAttributes = '', keywords = '', ...row } of rows) {
      const detail = await expectedOf(row.id ?? '')
      const { images: expectedImages, extraAttributes: attributes, keywords: expectedKeywords, ...expected } = detail
      expect(row).toEqual(Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, value ?? ''])))
      expect(JSON.parse(images)).toEqual(expectedImages)
      expect(JSON.parse(extraAttributes)).toEqual(attributes)
      expect(JSON.parse(keywords)).toEqual(expectedKeywords)
    }
  })

  test.each(['/exports/seoul.ndjson', '/exports/seoul.csv?categoryCode=hall', '/exports/seoul.csv?categoryCode=none'])(
    'one statement reads the whole of %s, so a change cannot cut it off',
    async (path) => {
      t.statements.length = 0
      expect((await t.get(path)).status).toBe(200)
      expect(t.statements.filter((sql) => sql.includes('"lastId"'))).toHaveLength(1)
    },
  )

  test('GeoJSON is a FeatureCollection of points, with the other members as properties', async () => {
    const response = await t.get('/exports/seoul.geojson')
    expect(response.headers.get('content-type')).toBe('application/geo+json')
    const { type, features } = await response.json()
    expect(type).toBe('FeatureCollection')
    expect(features).toHaveLength(SEOUL_ITEMS.length)
    for (const { id, geometry, properties } of features) {
      const { latitude, longitude, ...expected } = await expectedOf(id)
      expect(geometry).toEqual({ type: 'Point', coordinates: [Number(longitude), Number(latitude)] })
      expect(properties).toEqual(expected)
    }
  })

  test.each(FORMATS)('%s: a dataset without items is a valid file', async (format) => {
    await t.database.prisma.dataset.upsert({
      where: { slug: 'empty' },
      update: {},
      create: newDataset({ slug: 'empty' }),
    })
    await expectStatus('/exports/empty.csv', 200)
    const response = await t.get(`/exports/empty.${format}`)
    if (format === 'parquet') return expect(await rowsOf(response)).toEqual([])
    const text = await response.text()
    if (format === 'ndjson') expect(text).toBe('')
    else if (format === 'csv') expect(text).toMatch(/^id,datasetId,.*\r\n$/)
    else expect(JSON.parse(text)).toEqual({ type: 'FeatureCollection', features: [] })
  })

  test('a dataset is named by its slug or its UUID in any letter case; the file is named after the slug', async () => {
    for (const name of ['seoul', DATASET.seoul, DATASET.seoul.toUpperCase()]) {
      const response = await t.get(`/exports/${name}.csv`)
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="seoul.csv"')
      expect(await response.text()).toContain('Gyeongbokgung')
    }
  })

  test('a slug may look like a file', async () => {
    await t.database.prisma.dataset.update({ where: { id: DATASET.archived }, data: { slug: 'old.csv' } })
    await expectStatus('/exports/old.csv.csv', 200)
    const response = await t.get('/exports/old.csv.csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="old.csv.csv"')
    expect((await t.get('/exports/old.csv')).status).toBe(404)
  })

  test('every format has any text as it is stored', async () => {
    const name = '=1+1,"a"\r\n\t\\ \u0001 \u2028 😀 </script> {} [] \u202e'
    const extraAttributes = '{"n": 12345678901234567890.10, "__proto__": {"": null}, "a\\"b": "\\u0001,\\n"}'
    await t.database.prisma.$executeRaw`
      UPDATE items SET name = ${name}, extra_attributes = ${extraAttributes}::jsonb WHERE id = ${ITEM.draft}::uuid`
    const { key } = await createKey(t.database.prisma, { name: 'draft', datasets: ['draft'] })
    const textOf = async (format: string) =>
      (await fetch(`${t.url}/exports/draft.${format}`, { headers: authorization(key) })).text()
    const stored = '"extraAttributes":{"n": 12345678901234567890.10, "a\\"b": "\\u0001,\\n", "__proto__": {"": null}}'
    const ndjson = await textOf('ndjson')
    expect(ndjson).toContain(stored)
    expect(recordsOf(ndjson)[0].name).toBe(name)
    const geojson = await textOf('geojson')
    expect(geojson).toContain(stored)
    expect(JSON.parse(geojson).features[0].properties.name).toBe(name)
    const [row]: Record<string, string>[] = parse(await textOf('csv'), { columns: true })
    expect(row?.name).toBe(name)
    expect(`"extraAttributes":${row?.extraAttributes}`).toBe(stored)
  })

  test.each(['gzip', 'br'])('%s is sent to a client that accepts it', async (coding) => {
    const response = await open(t, '/exports/seoul.ndjson', { 'accept-encoding': coding })
    expect(response.headers).toMatchObject({
      'content-encoding': coding,
      vary: expect.stringContaining('Accept-Encoding'),
    })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const text = (coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString()
    const plain = await finish(await open(t, '/exports/seoul.ndjson', { 'accept-encoding': 'identity' }))
    expect(text).toBe(plain.text)
  })

  test('the ETag differs by format and coding, and changes with the dataset', async () => {
    const tagsOf = async () => {
      const tags: string[] = []
      for (const format of FORMATS) {
        for (const coding of ['identity', 'gzip', 'br']) {
          const response = await open(t, `/exports/${DATASET.archived}.${format}`, { 'accept-encoding': coding })
          await finish(response)
          tags.push(response.headers.etag ?? '')
        }
      }
      return tags
    }
    const before = await tagsOf()
    // GeoParquet is compressed already.
    const count = EXPORT_FORMATS.reduce((sum, { frame }) => sum + (frame ? 3 : 1), 0)
    expect(new Set(before).size).toBe(count)
    expect(await tagsOf()).toEqual(before)
    await t.database.prisma.item.updateMany({ where: { datasetId: DATASET.archived }, data: { telephone: '1' } })
    await expectWithinASecond(tagsOf, (tags) => expect(tags.filter((tag) => before.includes(tag))).toEqual([]))
    const after = await tagsOf()
    expect(new Set(after).size).toBe(count)
  })

  test('If-None-Match gives 304 for any coding of the same content, and If-Match 412 for another', async () => {
    const first = await open(t, '/exports/seoul.csv', { 'accept-encoding': 'gzip' })
    await finish(first)
    const etag = first.headers.etag ?? ''
    for (const tag of [etag, etag.replace('-gzip', '')]) {
      expect(await statusOf(t, '/exports/seoul.csv', { 'if-none-match': tag })).toBe(304)
    }
    expect(await statusOf(t, '/exports/seoul.csv', { 'if-none-match': '"x"' })).toBe(200)
    expect(await statusOf(t, '/exports/seoul.csv', { 'if-match': '"x"' })).toBe(412)
    expect(await statusOf(t, '/exports/seoul.csv', { 'if-match': etag })).toBe(200)
    expect(await statusOf(t, '/exports/seoul.geojson', { 'if-none-match': etag })).toBe(200)
  })

  test.each(FORMATS)('%s: HEAD has the headers of GET and no body', async (format) => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) =>
        fetch(`${t.url}/exports/seoul.${format}`, { method, headers: authorization(t.key) }),
      ),
    )
    expect(head?.status).toBe(200)
    expect(await head?.text()).toBe('')
    const names = ['etag', 'content-type', 'content-length', 'content-disposition', 'content-encoding', 'vary']
    for (const name of names) expect(head?.headers.get(name), name).toBe(get?.headers.get(name))
  })

  test('another ending is 404, and the message names the formats', async () => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${t.url}/exports/seoul.shp`, { method })
      const { error } = await response.json()
      expect([response.status, error.message]).toEqual([
        404,
        'There is no such path. Exports end with one of .ndjson, .csv, .geojson, .parquet',
      ])
    }
  })

  test('OPTIONS answers a preflight, and other methods are 405', async () => {
    const options = await fetch(`${t.url}/exports/seoul.csv`, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await fetch(`${t.url}/exports/seoul.csv`, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test.each([
    ['/exports/seoul.csv', {}, 401, 'UNAUTHORIZED'],
    ['/exports/seoul.xml', {}, 404, 'NOT_FOUND'],
    ['/exports/seoul.csv/', {}, 404, 'NOT_FOUND'],
    ['/exports/%zz.csv', {}, 404, 'NOT_FOUND'],
    ['/exports/unknown.csv', { key: true }, 404, 'NOT_FOUND'],
    [`/exports/${ITEM.palace}.csv`, { key: true }, 404, 'NOT_FOUND'],
    ['/exports/%00.csv', { key: true }, 404, 'NOT_FOUND'],
    ['/exports/seoul.csv?x=%00', { key: true }, 400, 'VALIDATION_FAILED'],
    ['/exports/seoul.csv?category=palace', { key: true }, 400, 'VALIDATION_FAILED'],
    ['/exports/seoul.csv?categoryCode=', { key: true }, 400, 'VALIDATION_FAILED'],
    ['/exports/seoul.csv?flat=yes', { key: true }, 400, 'VALIDATION_FAILED'],
    ['/exports/seoul.ndjson?flat=true', { key: true }, 400, 'VALIDATION_FAILED'],
    ...['restricted', 'draft', 'inactive', 'paid', DATASET.restricted.toUpperCase()].flatMap((name) =>
      FORMATS.map((format) => [`/exports/${name}.${format}`, { key: true }, 403, 'DATASET_ACCESS_DENIED'] as const),
    ),
  ] as const)('%s %j is %i %s', async (path, options: { key?: boolean }, status, code) => {
    const response = await fetch(t.url + path, { headers: options.key ? authorization(t.key) : {} })
    expect(response.status).toBe(status)
    const body = await response.json()
    expect(body.error.code).toBe(code)
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(JSON.stringify(body)).not.toContain('place')
  })
})

describe('CSV with flat=true', () => {
  const attributesOf = async (query: string) => {
    const response = await t.get(`/exports/seoul.csv?${query}`)
    const [header = [], ...lines]: string[][] = parse(await response.text())
    return { header, lines }
  }

  test('has a column for each extra attribute, by code point, in the place of the column of all', async () => {
    const plain = await attributesOf('flat=false')
    const { header, lines } = await attributesOf('flat=true')
    const attributes = ['built', 'open', 'tags'].map((name) => `extraAttributes.${name}`)
    expect(header).toEqual([...plain.header].flatMap((name) => (name === 'extraAttributes' ? attributes : name)))
    const valuesOf = (id: string) =>
      lines.find(([each]) => each === id)?.filter((_, n) => attributes.includes(header[n] ?? ''))
    expect(valuesOf(ITEM.palace)).toEqual(['1395', 'true', '["royal", "조선"]'])
    expect(valuesOf(ITEM.gate)).toEqual(['', '', ''])
    expect(lines.map(([id]) => id)).toEqual(SEOUL_ITEMS)
    expect(lines.every((cells) => cells.length === header.length)).toBe(true)
  })

  test('has no column for an attribute of another dataset, which the key may not see', async () => {
    const { prisma } = t.database
    await prisma.item.update({ where: { id: ITEM.draft }, data: { extraAttributes: { secret: 1 } } })
    expect((await attributesOf('flat=true&categoryCode=palace')).header.join()).not.toContain('secret')
  })

  test('has no such column if the selected items have no attribute', async () => {
    const { header } = await attributesOf('flat=true&categoryCode=gate')
    expect(header.some((name) => name.startsWith('extraAttributes'))).toBe(false)
  })

  test('keeps awkward names and values, null, and the empty text', async () => {
    const { prisma } = t.database
    const extraAttributes = { 'a,"b"': 'x,"y"\nz', '': 'none', __proto__: null, id: 'own', 값: '' }
    const before = await prisma.item.findUniqueOrThrow({ where: { id: ITEM.gate } })
    await prisma.item.update({ where: { id: ITEM.gate }, data: { extraAttributes } })
    await expect.poll(async () => (await attributesOf('flat=true')).header).toContain('extraAttributes.a,"b"')
    const { header, lines } = await attributesOf('flat=true&categoryCode=gate')
    const [cells = []] = lines
    const cellOf = (name: string) => cells[header.indexOf(`extraAttributes.${name}`)]
    expect([cellOf('a,"b"'), cellOf(''), cellOf('id'), cellOf('값')]).toEqual(['x,"y"\nz', 'none', 'own', ''])
    expect(cells[0]).toBe(ITEM.gate)
    await prisma.item.update({ where: { id: ITEM.gate }, data: { extraAttributes: before.extraAttributes ?? {} } })
  })

  test('is refused for more than 1,000 attributes', async () => {
    const { prisma } = t.database
    const extraAttributes = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`a${n}`, n]))
    await prisma.item.update({ where: { id: ITEM.hall }, data: { extraAttributes } })
    await expect.poll(async () => (await t.get('/exports/seoul.csv?flat=true&categoryCode=hall')).status).toBe(400)
    const { error } = await (await t.get('/exports/seoul.csv?flat=true')).json()
    expect(error.message).toBe('flat is for at most 1000 attributes, and the items have more')
    const few = await startApp({ beside: t, limits: { maxExports: 1 } })
    const send = (query: string) => statusOf({ ...few, key: t.key }, `/exports/seoul.csv${query}`)
    expect([await send('?flat=true'), await send('?flat=true'), await send('')]).toEqual([400, 400, 200])
    await few.close()
    expect(
      (await fetch(`${t.url}/exports/seoul.csv?flat=true`, { method: 'HEAD', headers: authorization(t.key) })).status,
    ).toBe(400)
    await prisma.item.update({ where: { id: ITEM.hall }, data: { extraAttributes: {} } })
  })
})
