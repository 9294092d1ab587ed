import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { Prisma, type PrismaClient } from '../../src/generated/prisma/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'

const FORMATS = ['ndjson', 'csv', 'geojson'] as const
const ITEMS_OF_SEOUL = [
  ...[ITEM.palace, ITEM.gate, ITEM.hall, ITEM.museum, ITEM.same1, ITEM.same2, ITEM.tower, ITEM.plain, ITEM.umlaut],
]

const authorization = (key: string) => ({ authorization: `Bearer ${key}` })

const recordsOf = (ndjson: string) =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Sends a GET and gives the response, of which nothing is read yet. */
async function open(t: TestApp, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const sent = request(t.url + path, { headers: { ...authorization(t.key), ...headers }, agent: false })
    // After the response began, `finish` shows how it ended.
    .on('error', () => {})
    .end()
  const [response] = await once(sent, 'response')
  return response
}

/** Reads the rest of a response; `isComplete` says whether it ended as HTTP wants it. */
async function finish(response: IncomingMessage): Promise<{ text: string; isComplete: boolean }> {
  const chunks: Buffer[] = []
  const closed = Promise.withResolvers<void>()
  response
    .on('data', (chunk) => chunks.push(chunk))
    .on('error', () => {})
    .on('close', () => closed.resolve())
  await closed.promise
  return { text: Buffer.concat(chunks).toString(), isComplete: response.complete }
}

/** The status of a response that is read to its end. */
async function statusOf(t: TestApp, path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const response = await open(t, path, headers)
  await finish(response)
  return response.statusCode
}

/** Waits until no connection of the pool is in use. */
const untilIdle = (t: TestApp) =>
  vi.waitFor(() => expect(t.database.poolUse()).toMatchObject({ busy: 0, waiting: 0 }), { timeout: 10_000 })

/** A public dataset of items with long descriptions, more than a socket holds: 60 MB. */
async function addLarge(prisma: PrismaClient, slug = 'large'): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
    VALUES (md5(${slug})::uuid, ${slug}, 'Large', 'active', 'public', 'Nobody', now(), now())`
  await prisma.$executeRaw`
    INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, latitude, longitude,
                       created_at, updated_at)
    SELECT md5(n::text)::uuid, md5(${slug})::uuid, 'Place ' || n, repeat('0123456789', 2000), 'a', 'c', 0, 0, now(), now()
      FROM generate_series(1, ${LARGE}::integer) AS n`
}
const LARGE = 3_000

describe('GET /exports/{datasetId}.{format}', () => {
  let t: TestApp
  beforeAll(async () => {
    t = await startApp()
  })
  afterAll(() => t.close())

  /** The detail of an item in REST, with `externalId` in place of `dataset`. */
  async function expectedOf(id: string) {
    const response = await t.get(`/v1/dataset-items/${id}`)
    const { dataset, ...members } = (await response.json()).data
    return { ...members, externalId: id === ITEM.palace ? 'P1' : null }
  }

  test('NDJSON has a line for each item, in order of id, with the members of the item detail in their order', async () => {
    const response = await t.get('/exports/seoul.ndjson')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const records = recordsOf(await response.text())
    expect(records.map(({ id }) => id)).toEqual(ITEMS_OF_SEOUL)
    for (const record of records) {
      expect(Object.entries(record)).toEqual(Object.entries(await expectedOf(record.id)))
    }
  })

  test('CSV has the same members as columns, with JSON in the cells of images and extra attributes', async () => {
    const response = await t.get('/exports/seoul.csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const text = await response.text()
    expect(text.endsWith('\r\n')).toBe(true)
    const rows: Record<string, string>[] = parse(text, { columns: true })
    expect(rows.map(({ id }) => id)).toEqual(ITEMS_OF_SEOUL)
    for (const { images = '', extraAttributes = '', ...row } of rows) {
      const { images: expectedImages, extraAttributes: attributes, ...expected } = await expectedOf(row.id ?? '')
      expect(row).toEqual(Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, value ?? ''])))
      expect(JSON.parse(images)).toEqual(expectedImages)
      expect(JSON.parse(extraAttributes)).toEqual(attributes)
    }
  })

  test('GeoJSON is a FeatureCollection of points, with the other members as properties', async () => {
    const response = await t.get('/exports/seoul.geojson')
    expect(response.headers.get('content-type')).toBe('application/geo+json')
    const { type, features } = await response.json()
    expect(type).toBe('FeatureCollection')
    expect(features).toHaveLength(ITEMS_OF_SEOUL.length)
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
      create: {
        ...{ id: '99999999-0000-4000-8000-000000000001', slug: 'empty', name: 'Empty', attribution: 'Us' },
        ...{ status: 'active', visibility: 'public', createdAt: new Date(), updatedAt: new Date() },
      },
    })
    const text = await (await t.get(`/exports/empty.${format}`)).text()
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
    const response = await t.get('/exports/old.csv.csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="old.csv.csv"')
    expect((await t.get('/exports/old.csv')).status).toBe(404)
  })

  test('any text comes out as it is stored, in every format', async () => {
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
    expect(new Set(before).size).toBe(9)
    expect(await tagsOf()).toEqual(before)
    await t.database.prisma.item.updateMany({ where: { datasetId: DATASET.archived }, data: { telephone: '1' } })
    const after = await vi.waitFor(async () => {
      const tags = await tagsOf()
      expect(tags.filter((tag) => before.includes(tag))).toEqual([])
      return tags
    })
    expect(new Set(after).size).toBe(9)
  })

  test('If-None-Match gives 304 for any coding of the same content, and If-Match 412 for another', async () => {
    const first = await open(t, '/exports/seoul.csv', { 'accept-encoding': 'gzip' })
    await finish(first)
    const etag = first.headers.etag ?? ''
    for (const tag of [etag, etag.replace('-gzip', ''), `W/${etag}`, '*', `"x", ${etag}`]) {
      const response = await open(t, '/exports/seoul.csv', { 'if-none-match': tag })
      expect(response.statusCode).toBe(304)
      expect((await finish(response)).text).toBe('')
    }
    for (const tag of ['"x"', etag.replace(/^"/, '"0')]) {
      expect(await statusOf(t, '/exports/seoul.csv', { 'if-none-match': tag })).toBe(200)
      const refused = await open(t, '/exports/seoul.csv', { 'if-match': tag })
      expect(refused.statusCode).toBe(412)
      expect(JSON.parse((await finish(refused)).text).error.code).toBe('PRECONDITION_FAILED')
    }
    expect(await statusOf(t, '/exports/seoul.csv', { 'if-match': etag })).toBe(200)
    expect(await statusOf(t, '/exports/seoul.geojson', { 'if-none-match': etag })).toBe(200)
  })

  test('HEAD has the headers of GET and no body', async () => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => fetch(`${t.url}/exports/seoul.csv`, { method, headers: authorization(t.key) })),
    )
    expect(head?.status).toBe(200)
    expect(await head?.text()).toBe('')
    for (const name of ['etag', 'content-type', 'content-disposition', 'content-encoding', 'cache-control', 'vary']) {
      expect(head?.headers.get(name)).toBe(get?.headers.get(name))
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
    ['/exports/unknown.csv', {}, 401, 'UNAUTHORIZED'],
    ['/exports/seoul.xml', {}, 404, 'NOT_FOUND'],
    ['/exports/seoul', {}, 404, 'NOT_FOUND'],
    ['/exports/seoul.csv/', {}, 404, 'NOT_FOUND'],
    ['/exports/.csv', {}, 404, 'NOT_FOUND'],
    ['/exports/%zz.csv', {}, 404, 'NOT_FOUND'],
    ['/exports/unknown.csv', { key: true }, 404, 'NOT_FOUND'],
    [`/exports/${ITEM.palace}.csv`, { key: true }, 404, 'NOT_FOUND'],
    ['/exports/%00.csv', { key: true }, 404, 'NOT_FOUND'],
    ['/exports/..%2fseoul.csv', { key: true }, 404, 'NOT_FOUND'],
    [`/exports/${'a'.repeat(10_000)}.csv`, { key: true }, 404, 'NOT_FOUND'],
    ['/exports/seoul.csv?x=%00', { key: true }, 400, 'VALIDATION_FAILED'],
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

  test('a grant opens a dataset, and its end closes it', async () => {
    const { id, key } = await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })
    const statusOf = async () =>
      (await fetch(`${t.url}/exports/restricted.csv`, { headers: authorization(key) })).status
    expect(await statusOf()).toBe(200)
    await withdrawGrant(t.database.prisma, { keyId: id, dataset: 'restricted' })
    await vi.waitFor(async () => expect(await statusOf()).toBe(403))
  })
})

describe('An export that is longer than the buffers of a connection', () => {
  let t: TestApp
  beforeAll(async () => {
    t = await startApp({ limits: { maxExports: 1 } })
    await addLarge(t.database.prisma)
  })
  afterAll(() => t.close())

  const PATH = '/exports/large.ndjson'
  const identity = { 'accept-encoding': 'identity' }

  /** Starts an export, lets `act` do something while most of it is not read, and reads the rest. */
  async function whileOpen(act: () => Promise<unknown>, key = t.key) {
    const response = await open(t, PATH, { ...identity, ...authorization(key) })
    expect(response.statusCode).toBe(200)
    await act()
    return finish(response)
  }

  test('each item stands in it once, in order of id', async () => {
    const { text, isComplete } = await finish(await open(t, PATH, identity))
    expect(isComplete).toBe(true)
    const ids = recordsOf(text).map(({ id }) => id)
    expect(ids).toHaveLength(LARGE)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  test('a second one is 503 with Retry-After while the first is read, but 304 and errors are as always', async () => {
    const etag =
      (await open(t, PATH, identity).then(async (response) => {
        await finish(response)
        return response.headers.etag
      })) ?? ''
    const { isComplete } = await whileOpen(async () => {
      const refused = await open(t, '/exports/seoul.csv')
      expect(refused.statusCode).toBe(503)
      expect(refused.headers['retry-after']).toBe('5')
      expect(refused.headers.etag).toBeUndefined()
      expect(JSON.parse((await finish(refused)).text).error.code).toBe('SERVICE_UNAVAILABLE')
      expect(await statusOf(t, PATH, { 'if-none-match': etag })).toBe(304)
      expect(await statusOf(t, '/exports/unknown.csv')).toBe(404)
      expect((await t.get('/v1/datasets')).status).toBe(200)
    })
    expect(isComplete).toBe(true)
    expect(await statusOf(t, '/exports/seoul.csv')).toBe(200)
  })

  test('it takes no connection of the pool while the reader pauses', async () => {
    await whileOpen(() => untilIdle(t))
  })

  test('a reader that stops midway leaves no statement, no connection and no place taken', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const response = await open(t, PATH, { 'accept-encoding': coding })
      await once(response, 'data')
      response.destroy()
      await vi.waitFor(async () => expect(await statusOf(t, '/exports/seoul.csv')).toBe(200), { timeout: 10_000 })
      await untilIdle(t)
    }
  })

  test.each(['identity', 'gzip', 'br'])('%s: a change midway ends the response without its end', async (coding) => {
    const response = await open(t, PATH, { 'accept-encoding': coding })
    await t.database.prisma.item.updateMany({ where: { name: 'Place 1' }, data: { telephone: coding } })
    expect((await finish(response)).isComplete).toBe(false)
  })

  test('a change to another dataset does not matter', async () => {
    const { isComplete } = await whileOpen(() =>
      t.database.prisma.item.update({ where: { id: ITEM.gate }, data: { telephone: '2' } }),
    )
    expect(isComplete).toBe(true)
  })

  test('it ends midway when its key is revoked', async () => {
    const { id, key } = await createKey(t.database.prisma, { name: 'revoked midway' })
    const { isComplete } = await whileOpen(async () => {
      await revokeKey(t.database.prisma, id)
      await vi.waitFor(async () =>
        expect((await fetch(`${t.url}/v1/datasets`, { headers: authorization(key) })).status).toBe(401),
      )
    }, key)
    expect(isComplete).toBe(false)
  })

  test('it ends midway when the database fails, and works again afterwards', async () => {
    const rename = (from: string, to: string) =>
      t.database.prisma.$executeRaw`${Prisma.raw(`ALTER TABLE ${from} RENAME TO ${to}`)}`
    const { text, isComplete } = await whileOpen(() => rename('images', 'gone'))
    await rename('gone', 'images')
    expect(isComplete).toBe(false)
    expect(text).not.toContain('relation')
    expect((await finish(await open(t, PATH, identity))).isComplete).toBe(true)
  })

  test('a client of HTTP/1.0 sees a failure as a reset connection', async () => {
    const { hostname, port } = new URL(t.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${PATH} HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${t.key}\r\n\r\n`)
    await once(socket, 'readable')
    await t.database.prisma.item.updateMany({ where: { name: 'Place 2' }, data: { telephone: '1.0' } })
    socket.resume()
    const [error] = await once(socket, 'close').catch((failure: Error) => [failure])
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  test('it ends midway when the dataset is removed', async () => {
    const { isComplete } = await whileOpen(() => t.database.prisma.dataset.delete({ where: { slug: 'large' } }))
    expect(isComplete).toBe(false)
    await vi.waitFor(async () => expect((await t.get(PATH)).status).toBe(404))
  })
})

test('a reader that takes nothing for the time of the setting is cut off, and its place is free again', async () => {
  const t = await startApp({ limits: { maxExports: 1, exportStallTimeoutMs: 200 } })
  try {
    await addLarge(t.database.prisma)
    const response = await open(t, '/exports/large.ndjson', { 'accept-encoding': 'identity' })
    await vi.waitFor(async () => expect(await statusOf(t, '/exports/seoul.csv')).toBe(200), { timeout: 10_000 })
    expect((await finish(response)).isComplete).toBe(false)
  } finally {
    await t.close()
  }
})
