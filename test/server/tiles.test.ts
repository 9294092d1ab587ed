import { describe, expect, test } from 'vitest'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace, SEOUL_ITEMS } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { decodeTile, tileOf, totalOf } from '../support/tiles.ts'

const t = useApp()

const WORLD = '/tiles/seoul/0/0/0.mvt'
const authorization = (key: string) => ({ authorization: `Bearer ${key}` })

/** The features of a tile. */
async function featuresOf(path: string, key = t.key) {
  const response = await fetch(t.url + path, { headers: authorization(key) })
  expect(response.status).toBe(200)
  const [z = 0, x = 0, y = 0] = (/\d+\/\d+\/\d+(?=\.mvt)/.exec(path)?.[0] ?? '').split('/').map(Number)
  return decodeTile(await response.arrayBuffer(), { z, x, y })
}

async function errorOf(path: string, headers: Record<string, string> = authorization(t.key)) {
  const response = await fetch(t.url + path, { headers })
  const { error } = await response.json()
  return { status: response.status, code: error.code, message: error.message, details: error.details }
}

describe('GET /tiles/{datasetId}/{z}/{x}/{y}.mvt', () => {
  test('a tile has the items in it, with id, name, category, dataset and place', async () => {
    const features = await featuresOf(WORLD)
    expect(features.map(({ properties }) => properties.id).sort()).toEqual(SEOUL_ITEMS)
    const { z, x, y } = tileOf({ latitude: 37.579617, longitude: 126.977041 }, 18)
    const near = await featuresOf(`/tiles/${DATASET.seoul}/${z}/${x}/${y}.mvt`)
    const [palace] = near.filter(({ properties }) => properties.id === ITEM.palace)
    expect(palace?.properties).toEqual({
      id: ITEM.palace,
      name: 'Gyeongbokgung',
      categoryCode: 'palace',
      datasetId: DATASET.seoul,
    })
    expect(palace?.latitude).toBeCloseTo(37.579617, 6)
    expect(palace?.longitude).toBeCloseTo(126.977041, 6)
  })

  test('the south pole is in the bottom row, and longitude 180 in the first column', async () => {
    const [pole] = (await featuresOf(WORLD)).filter(({ properties }) => properties.id === ITEM.umlaut)
    expect(pole).toMatchObject({ x: 0, y: 4095 })
    expect(await featuresOf(`/tiles/seoul/18/0/${2 ** 18 - 1}.mvt`)).toHaveLength(1)
    expect(await featuresOf(`/tiles/seoul/18/${2 ** 18 - 1}/${2 ** 18 - 1}.mvt`)).toHaveLength(0)
  })

  test('a tile without items has no bytes', async () => {
    const response = await t.get('/tiles/seoul/2/0/0.mvt')
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).toMatch(/^"/)
    expect((await response.arrayBuffer()).byteLength).toBe(0)
  })

  test('a dataset is named by its slug or its UUID in any letter case', async () => {
    const tiles = await Promise.all(
      ['seoul', DATASET.seoul, DATASET.seoul.toUpperCase()].map((name) => featuresOf(`/tiles/${name}/0/0/0.mvt`)),
    )
    expect(tiles[1]).toEqual(tiles[0])
    expect(tiles[2]).toEqual(tiles[0])
  })
})

describe('Bad requests', () => {
  test.each([
    ['19/0/0', 'z must be at most 18'],
    ['a/0/0', 'z must be a whole number in decimal digits'],
    ['0/1/0', 'x must be at most 0'],
    ['3/0/8', 'y must be at most 7'],
    ['3/0/1e1', 'y must be a whole number in decimal digits'],
    ['3/0/1%00', 'y must be a whole number in decimal digits'],
    ['3/9/99999999999999999999999999', 'x must be at most 7; y must be at most 7'],
    [
      '99/a/b',
      'z must be at most 18; x must be a whole number in decimal digits; y must be a whole number in decimal digits',
    ],
  ])('%s is 400 and names the field and the bound', async (address, message) => {
    const error = await errorOf(`/tiles/seoul/${address}.mvt`)
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', message })
    expect(error.details.map(({ field, message }: Record<string, string>) => `${field} ${message}`).join('; ')).toBe(
      message,
    )
  })

  test.each(['/tiles/seoul/0/0', '/tiles/seoul/0/0/0.png', '/tiles/seoul/0/0/0.mvt/', '/tiles/seoul/00/0/0.mvt'])(
    '%s is not a tile path and gives 404',
    async (path) => {
      expect(await errorOf(path)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )

  test.each([
    ['a=%00', 'a must be percent-encoded UTF-8 without NUL'],
    ['categories=x', 'categories is not a parameter of this resource; the nearest one is categoryCode'],
    ['q=x', 'q is not a parameter of this resource; the nearest one is text'],
    ['text=', 'text must not be empty'],
    ['within=1,2,3,x', 'within must be west,south,east,north in decimal degrees'],
    ['latitude=1', 'longitude must be given with latitude'],
    ['radius=5', 'radius must be given only with latitude and longitude'],
    ['categoryCode=', 'categoryCode must not be empty'],
  ])('%s is 400 and names the parameter', async (query, message) => {
    expect(await errorOf(`${WORLD}?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', message })
  })

  test('an error names the bad parameters of the path and of the query string together', async () => {
    const { details } = await errorOf('/tiles/seoul/99/a/0.mvt?q=x&text=')
    expect(details.map(({ field }: { field: string }) => field)).toEqual(['z', 'x', 'text', 'q'])
  })

  test('the errors have the order 401, 400, 404, 403', async () => {
    expect(await errorOf('/tiles/nowhere/99/0/0.mvt', {})).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(await errorOf('/tiles/nowhere/99/0/0.mvt')).toMatchObject({ status: 400 })
    expect(await errorOf('/tiles/nowhere/0/0/0.mvt')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await errorOf('/tiles/%00/0/0/0.mvt')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await errorOf('/tiles/restricted/99/0/0.mvt')).toMatchObject({ status: 400 })
    for (const name of ['paid', 'restricted', 'draft', 'inactive', DATASET.restricted]) {
      expect(await errorOf(`/tiles/${name}/0/0/0.mvt`)).toMatchObject({ status: 403, code: 'DATASET_ACCESS_DENIED' })
    }
  })

  test('a client that accepts no vector tiles gets 406', async () => {
    expect(await errorOf(WORLD, { ...authorization(t.key), accept: 'image/png' })).toMatchObject({ status: 406 })
  })
})

describe('A tile over HTTP', () => {
  test('has its media type and an ETag, and a 304 for a client that has it', async () => {
    const response = await t.get(WORLD)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/vnd.mapbox-vector-tile',
      'cache-control': 'private, no-cache',
      vary: expect.stringContaining('Authorization'),
    })
    const etag = response.headers.get('etag') ?? ''
    const again = await t.get(WORLD, { ...authorization(t.key), 'if-none-match': etag })
    expect(again.status).toBe(304)
    expect((await t.get(WORLD, { ...authorization(t.key), 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each(['gzip', 'br'])('is compressed with %s if it is long', async (coding) => {
    await addItems(DATASET.archived, 100, 'many')
    // fetch decodes the body by itself.
    const response = await t.get('/tiles/archived/0/0/0.mvt', {
      ...authorization(t.key),
      'accept-encoding': coding,
    })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('etag')).toMatch(new RegExp(`-${coding}"$`))
    expect(totalOf(decodeTile(await response.arrayBuffer(), { z: 0, x: 0, y: 0 }))).toBe(101)
    await t.database.prisma.item.deleteMany({ where: { name: 'many' } })
  })

  test('answers HEAD and OPTIONS, and no other method', async () => {
    const send = (method: string, more: object = {}) =>
      fetch(t.url + WORLD, { method, headers: authorization(t.key), ...more })
    const identity = { ...authorization(t.key), 'accept-encoding': 'identity' }
    const head = await send('HEAD')
    const bytes = await (await t.get(WORLD, identity)).arrayBuffer()
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.byteLength)])
    expect((await send('OPTIONS')).status).toBe(204)
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await send(method)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    }
  })
})

describe('GET /tiles/all/…', () => {
  const all = (key: string) => featuresOf('/tiles/all/0/0/0.mvt', key)
  test('clusters count only items that the key may access', async () => {
    const { prisma } = t.database
    await addItems(DATASET.restricted, 400, 'hidden')
    await addItems(DATASET.archived, 300, 'shown')
    const { key, id } = await createKey(prisma, { name: 'counts' })
    await expect.poll(async () => totalOf(await all(key))).toBe(310)
    await grantDataset(prisma, { keyId: id, dataset: 'restricted', expiresAt: null })
    await expectWithinASecond(
      () => all(key),
      (features) => expect(totalOf(features)).toBe(711),
    )
    expect(totalOf(await all(t.key))).toBe(310)
    await withdrawGrant(prisma, { keyId: id, dataset: 'restricted' })
    await expectWithinASecond(
      () => all(key),
      (features) => expect(totalOf(features)).toBe(310),
    )
    await prisma.item.deleteMany({ where: { name: { in: ['hidden', 'shown'] } } })
  })
})

describe('A cached tile', () => {
  /** The number of statements that a request takes. */
  const statementsOf = async (path: string, key = t.key) => {
    t.statements.length = 0
    await t.get(path, authorization(key))
    return t.statements.length
  }
  const warm = (path: string, key = t.key) => expect.poll(() => statementsOf(path, key), { interval: 5 }).toBe(0)

  test.each([WORLD, '/tiles/all/3/6/3.mvt', '/tiles/seoul/2/0/0.mvt'])('%s takes no statement', async (path) => {
    await warm(path)
  })

  test('shows a change to an item within a second', async () => {
    await warm(WORLD)
    await warm('/tiles/all/0/0/0.mvt')
    await t.database.withSession((session) =>
      session.query(`UPDATE items SET name = 'renamed' WHERE id = '${ITEM.plain}'`),
    )
    for (const path of [WORLD, '/tiles/all/0/0/0.mvt']) {
      const names = async () => (await featuresOf(path)).map(({ properties }) => properties.name)
      await expectWithinASecond(names, (found) => expect(found).toContain('renamed'))
    }
  })
})

/** Adds items around the world to a dataset. */
async function addItems(datasetId: string, count: number, name: string): Promise<void> {
  await t.database.prisma.item.createMany({
    data: Array.from({ length: count }, (_, n) =>
      newPlace({
        datasetId,
        name,
        latitude: ((n * 37) % 170) - 85,
        longitude: ((n * 61) % 360) - 180,
      }),
    ),
  })
}
