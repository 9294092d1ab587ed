import { describe, expect, test } from 'vitest'
import { startApp, useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace } from '../support/catalog.ts'
import { ask } from '../support/connections.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { getOgc, idsOf, linksOf } from '../support/ogc.ts'

const t = useApp({ corsOrigins: ['https://maps.example.org'], limits: { trustedProxies: ['127.0.0.1'] } })

const ITEMS = '/ogc/collections/seoul/items'
const PATHS = [
  '/ogc',
  '/ogc/conformance',
  '/ogc/api',
  '/ogc/collections',
  '/ogc/collections/seoul',
  ITEMS,
  `${ITEMS}/${ITEM.palace}`,
]

/** Sends a GET with any headers, also with another Host. */
async function getFrom(path: string, headers: Record<string, string>) {
  const { body } = await ask(t.url + path, { headers: { authorization: `Bearer ${t.key}`, ...headers } })
  return { body: JSON.parse(body) }
}

describe('A response', () => {
  test.each(PATHS)('%s has an ETag, and a 304 for a client that has it', async (path) => {
    const { headers } = await getOgc(t, path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: expect.stringContaining('Authorization'),
    })
    const etag = headers.get('etag') ?? ''
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const again = await getOgc(t, path, { 'if-none-match': known })
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, undefined, etag])
    }
    expect((await getOgc(t, path, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await getOgc(t, path, { 'if-match': '"other"' })).status).toBe(412)
  })

  test('the tag of a page is weak, because each page has its own time', async () => {
    const first = await getOgc(t, `${ITEMS}?limit=3`)
    expect(first.headers.get('etag')).toMatch(/^W\/"/)
    // Without the response cache, as in another process of the gateway.
    const other = await startApp({ beside: t, responseCacheBytes: 0 })
    const tags = [0, 1].map(async () => (await getOgc(other, ITEMS)).headers.get('etag'))
    const [one, two] = await Promise.all(tags)
    expect(one).toBe(two)
    await other.close()
  })

  test.each(['gzip', 'br'])('is compressed with %s', async (coding) => {
    const { headers, body } = await getOgc(t, ITEMS, { 'accept-encoding': coding })
    expect(headers.get('content-encoding')).toBe(coding)
    expect(headers.get('etag')).toMatch(new RegExp(`^W/".+-${coding}"$`))
    expect(body.features).toHaveLength(9)
    expect(
      (await getOgc(t, ITEMS, { 'accept-encoding': coding, 'if-none-match': headers.get('etag') ?? '' })).status,
    ).toBe(304)
  })

  test('the same request again takes no statement', async () => {
    for (const path of PATHS) {
      const statements = async () => {
        t.statements.length = 0
        await getOgc(t, path)
        return t.statements.length
      }
      await expect.poll(statements, { interval: 5 }).toBe(0)
    }
  })

  test('a large page is not cached, but its 304 reads no items', async () => {
    await t.database.prisma.item.update({ where: { id: ITEM.archived }, data: { description: 'x'.repeat(2_000_000) } })
    const path = '/ogc/collections/archived/items'
    await expect
      .poll(async () => (await getOgc(t, path)).body.features[0].properties.description.length, { interval: 5 })
      .toBe(2_000_000)
    const { headers } = await getOgc(t, path)
    t.statements.length = 0
    await getOgc(t, path)
    expect(t.statements.length).toBeGreaterThan(0)
    const conditional = async () => {
      t.statements.length = 0
      const { status } = await getOgc(t, path, { 'if-none-match': headers.get('etag') ?? '' })
      return [status, t.statements]
    }
    await expect.poll(conditional, { interval: 5 }).toEqual([304, []])
    await t.database.prisma.item.update({ where: { id: ITEM.archived }, data: { description: '' } })
  })

  test('a script on an allowed origin may read it', async () => {
    const { headers } = await getOgc(t, ITEMS, { origin: 'https://maps.example.org' })
    expect(headers.get('access-control-allow-origin')).toBe('https://maps.example.org')
    expect(headers.get('access-control-expose-headers')).toContain('Content-Crs')
  })
})

test('links have the address that the client asked, behind a trusted proxy too', async () => {
  const selfOf = async (headers: Record<string, string>) =>
    linksOf((await getFrom('/ogc', headers)).body, 'self')[0]?.href
  expect(await selfOf({ host: 'catalog.example.org:8443' })).toBe('http://catalog.example.org:8443/ogc')
  // A cached response is not for another host.
  expect(await selfOf({ host: 'other.example.org' })).toBe('http://other.example.org/ogc')
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'maps.example.org' }
  expect(await selfOf(forwarded)).toBe('https://maps.example.org/ogc')
  const { body } = await getFrom(`${ITEMS}?limit=1`, forwarded)
  expect(linksOf(body, 'next')[0]?.href).toBe(`https://maps.example.org${ITEMS}?limit=1&after=${ITEM.palace}`)
  const { body: api } = await getFrom('/ogc/api', forwarded)
  expect(api.servers[0].url).toBe('https://maps.example.org/ogc')
})

test('a change to an item, its place and its time shows within a second', async () => {
  const box = `${ITEMS}?bbox=10,10,11,11`
  expect((await getOgc(t, box)).body.numberMatched).toBe(0)
  const before = (await getOgc(t, '/ogc/collections/seoul')).body.extent
  await t.database.withSession((session) =>
    session.query(
      `UPDATE items SET latitude = 10.5, longitude = 10.5, updated_at = '2027-01-01T00:00:00Z' WHERE id = '${ITEM.palace}'`,
    ),
  )
  const ids = async () => idsOf([(await getOgc(t, box)).body])
  await expectWithinASecond(ids, (found) => expect(found).toEqual([ITEM.palace]))
  const extent = async () => (await getOgc(t, '/ogc/collections/seoul')).body.extent
  expect(before.spatial.bbox[0][3]).toBe(37.579617)
  await expectWithinASecond(extent, ({ spatial, temporal }) =>
    expect([spatial.bbox[0][3], temporal.interval[0][1]]).toEqual([37.5785, '2027-01-01T00:00:00.000Z']),
  )
  const place = async () => (await getOgc(t, `${ITEMS}/${ITEM.palace}`)).body.geometry.coordinates
  await expectWithinASecond(place, (found) => expect(found).toEqual([10.5, 10.5]))
})

test('the extent is that of all items, wherever they are', async () => {
  const { prisma } = t.database
  const at = new Date('2026-01-04T09:00:00Z')
  const places = [
    [0, 0],
    [1, 180],
    [2, -100],
    [89.9, 179.9999999],
    [-89.9, -179.9999999],
    [85.06, 12.3456789],
    [85.0511, -77],
    [-85.1, 179.5],
    [12, 100],
    [12.0000001, 100.0000001],
  ]
  for (const [n, [latitude = 0, longitude = 0]] of places.entries()) {
    const times = { createdAt: at, updatedAt: new Date(at.getTime() + n) }
    await prisma.item.create({ data: newPlace({ datasetId: DATASET.archived, latitude, longitude, ...times }) })
    const [all] = await prisma.$queryRaw<{ box: number[]; to: Date }[]>`
      SELECT ARRAY[min(longitude), min(latitude), max(longitude), max(latitude)]::float8[] AS box, max(updated_at) AS to
        FROM items WHERE dataset_id = ${DATASET.archived}::uuid`
    const extent = async () => {
      const { spatial, temporal } = (await getOgc(t, '/ogc/collections/archived')).body.extent
      return [spatial.bbox[0], temporal.interval[0][1]]
    }
    await expect.poll(extent, { interval: 5 }).toEqual([all?.box, all?.to.toISOString()])
  }
})
