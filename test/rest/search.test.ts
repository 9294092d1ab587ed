import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

const t = useApp()

const AT_THE_PALACE = 'latitude=37.579617&longitude=126.977041'

async function search(query: string) {
  const response = await t.get(`/search?${query}`)
  expect(response.status).toBe(200)
  return response.json()
}
const idsOf = async (query: string) => (await search(query)).data.map(({ id }: { id: string }) => id)
const errorOf = async (query: string) => {
  const response = await t.get(`/search?${query}`)
  expect(response.status).toBe(400)
  return (await response.json()).error.details
}

describe('GET /search', () => {
  test('finds by name and keyword, with the envelope and the members of the item list', async () => {
    const list = await (await t.get('/v1/datasets/seoul/items?categoryCode=twin&limit=1&page=2')).json()
    expect(await search('text=TWIN&limit=1&page=2')).toEqual(list)
    expect(await idsOf(`text=${encodeURIComponent('경복궁')}`)).toEqual([ITEM.palace])
    expect(await search('text=nowhere')).toEqual({ data: [], meta: { page: 1, limit: 20, total: 0 } })
  })

  test('finds in a box, also across the antimeridian, with codes, and in one dataset', async () => {
    expect(await idsOf('within=126.975,37.5755,126.9769,37.577')).toEqual([ITEM.gate])
    expect(await idsOf('within=179,-90,-179,90')).toEqual([ITEM.umlaut])
    // The edge of the world as libraries compute it, and numbers as they print them.
    expect(await idsOf('within=179,-90.00000000000001,-179,90.0000000001')).toEqual([ITEM.umlaut])
    expect(await idsOf('within=179,-9e1,-1.79E%2B2,90.')).toEqual([ITEM.umlaut])
    expect((await idsOf('within=-180.00000000000003,0,180.00000000000003,1e-5')).length).toBe(
      (await idsOf('within=-180,0,180,0.00001')).length,
    )
    expect(await idsOf('within=-180,-90,180,90&categoryCode=twin')).toEqual([ITEM.same1, ITEM.same2])
    expect(await idsOf('within=-180,-90,180,90&administrativeAreaCode=11140&categoryCode=tower')).toEqual([ITEM.tower])
    expect(await idsOf('within=-180,-90,180,90&datasetId=archived')).toEqual([ITEM.archived])
  })

  const EDGES = [
    ['latitude=90.000000001&longitude=180.000000001', 'latitude=90&longitude=180'],
    ['latitude=-90.00000000000001&longitude=-180.00000000000003', 'latitude=-90&longitude=-180'],
    ['latitude=1e-5&longitude=1.799E2&radius=5e4', 'latitude=0.00001&longitude=179.9&radius=50000'],
    ['latitude=.5&longitude=%2B127.', 'latitude=0.5&longitude=127'],
    ['within=0,0,180.000000001,90.000000001', 'within=0,0,180,90'],
    ['within=179,-90,179.9999999995,90', 'within=179,-90,180,90'],
  ] as const

  test.each(EDGES)('takes %s as %s, and so do tiles', async (given, same) => {
    expect(await search(given)).toEqual(await search(same))
    const tile = async (query: string) => {
      const response = await t.get(`/tiles/all/0/0/0.mvt?${query}`)
      return [response.status, await response.text()]
    }
    expect(await tile(given)).toEqual(await tile(same))
  })

  test('with a point has the items within the radius, nearest first, and the distance as last member', async () => {
    const { data, meta } = await search(`${AT_THE_PALACE}&datasetId=seoul`)
    const nearby = await (await t.get(`/v1/dataset-items/nearby?${AT_THE_PALACE}&datasetId=seoul`)).json()
    expect(meta).toEqual(nearby.meta)
    const places = (items: Record<string, unknown>[]) => items.map(({ id, distance }) => [id, distance])
    expect(places(data)).toEqual(places(nearby.data))
    expect(Object.keys(data[0]).at(-1)).toBe('distance')
    const { distance, ...item } = data[0]
    expect(item).toEqual((await search('text=gyeongbokgung')).data[0])
  })

  test('with a point and a text, a box or codes has the items that match all of them', async () => {
    expect(await idsOf(`${AT_THE_PALACE}&text=gwang`)).toEqual([ITEM.gate])
    expect(await idsOf(`${AT_THE_PALACE}&radius=300&text=gwang`)).toEqual([])
    expect(await idsOf(`${AT_THE_PALACE}&radius=50000&text=n&datasetId=seoul`)).toEqual([
      ITEM.palace,
      ITEM.hall,
      ITEM.gate,
      ITEM.tower,
      ITEM.museum,
      ITEM.same1,
      ITEM.same2,
    ])
    expect(await search(`${AT_THE_PALACE}&radius=50000&text=n&datasetId=seoul&limit=2&page=2`)).toMatchObject({
      data: [{ id: ITEM.gate }, { id: ITEM.tower }],
      meta: { page: 2, limit: 2, total: 7 },
    })
    expect(await idsOf(`${AT_THE_PALACE}&within=126.975,37.5755,126.9769,37.577`)).toEqual([ITEM.gate])
    expect(await idsOf(`${AT_THE_PALACE}&categoryCode=hall`)).toEqual([ITEM.hall])
    expect(await idsOf(`${AT_THE_PALACE}&text=g&categoryCode=hall&administrativeAreaCode=11110`)).toEqual([ITEM.hall])
    expect(await idsOf(`${AT_THE_PALACE}&text=g&categoryCode=hall&administrativeAreaCode=1`)).toEqual([])
  })

  test('is 403, 404 or 401 without access, a dataset or a key', async () => {
    expect((await t.get('/search?text=a&datasetId=restricted')).status).toBe(403)
    expect((await t.get('/search?text=a&datasetId=nowhere')).status).toBe(404)
    expect((await t.get('/search?text=a', { authorization: '' })).status).toBe(401)
  })

  test('has an ETag, 304, links to other pages, HEAD, GeoJSON and problem details', async () => {
    const response = await t.get('/search?text=twin&limit=1&page=2')
    const authorization = { authorization: `Bearer ${t.key}` }
    const etag = response.headers.get('etag') ?? ''
    expect(response.headers.get('link')).toContain('</search?text=twin&limit=1&page=1>; rel="first"')
    expect((await t.get('/search?text=twin&limit=1&page=2', { ...authorization, 'if-none-match': etag })).status).toBe(
      304,
    )
    const head = await fetch(`${t.url}/search?text=twin`, {
      method: 'HEAD',
      headers: authorization,
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await fetch(`${t.url}/search`, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const features = await (
      await t.get(`/search?${AT_THE_PALACE}&text=gwang`, { ...authorization, accept: 'application/geo+json' })
    ).json()
    expect(features).toMatchObject({
      type: 'FeatureCollection',
      features: [{ id: ITEM.gate, properties: { distance: expect.any(Number) } }],
    })
    const problem = await t.get('/search', { ...authorization, accept: 'application/problem+json' })
    expect(problem.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })
})

describe('Bad input is refused', () => {
  const box = 'must be west,south,east,north in decimal degrees'
  test.each([
    ['', null, 'give text, within, or latitude and longitude'],
    ['categoryCode=palace&page=1', null, 'give text, within, or latitude and longitude'],
    ['text=', 'text', 'must not be empty'],
    ['text=%20', 'text', 'must not be only white space'],
    [`text=${'a'.repeat(201)}`, 'text', 'must be at most 200 characters long'],
    ['within=', 'within', box],
    ['within=1,2,3', 'within', box],
    ['within=1e,2,3,4', 'within', box],
    ['within=1,2,3,4,5', 'within', box],
    ['within=1, 2,3,4', 'within', box],
    ['within=1,4,3,2', 'within', 'has a south that must be at most north'],
    ['within=181,2,3,4', 'within', 'has a west that must be at most 180'],
    ['within=1,2,3,90.00000000201', 'within', 'has a north that must be at most 90'],
    ['within=0,0,180.0000000011,1', 'within', 'has a east that must be at most 180'],
    ['latitude=90.0000000011&longitude=1', 'latitude', 'must be at most 90'],
    ['latitude=1&longitude=1e999', 'longitude', 'must be a number'],
    ['latitude=1e&longitude=1', 'latitude', 'must be a decimal number'],
    ['within=-180.0000001,2,3,4', 'within', 'has a west that must be at least -180'],
    ['latitude=1', 'longitude', 'must be given with latitude'],
    ['text=a&longitude=1', 'latitude', 'must be given with longitude'],
    ['latitude=91&longitude=1', 'latitude', 'must be at most 90'],
    ['latitude=1&longitude=1&radius=0.5', 'radius', 'must be at least 1'],
    ['text=a&radius=5', 'radius', 'must be given only with latitude and longitude'],
    ['text=a&datasetId=', 'datasetId', 'must not be empty'],
    ['q=palace', 'q', 'is not a parameter of this resource; the nearest one is text'],
    ['text=a&lat=1', 'lat', 'is not a parameter of this resource; the nearest one is latitude'],
  ])('%s: %s %s', async (query, field, message) => {
    expect(await errorOf(query)).toEqual([{ field, message }])
  })

  test('every bad parameter is named', async () => {
    const fields = (await errorOf('text=&within=1&latitude=x&page=x&q=1')).map(({ field }: { field: string }) => field)
    expect(fields.toSorted()).toEqual(['latitude', 'page', 'q', 'text', 'within'])
  })
})
