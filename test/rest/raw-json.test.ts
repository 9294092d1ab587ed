import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

/*
 * What PostgreSQL writes for clients is what graphql-js and JSON.stringify would write. An alias keeps PostgreSQL from writing.
 */

const t = useApp()

const textOf = async (query: string) => {
  const response = await fetch(`${t.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return response.text()
}

/** In the key order of PostgreSQL: short keys first, then by bytes. JavaScript would put `10` before `a`. */
const ATTRIBUTES =
  '{"a":1,"n":12345678901234567890,"10":2,"pi":3.14159265358979323846264338327950288,"list":[9007199254740993,{"b":-0.12345678901234567891}],"toString":2,"__proto__":{"constructor":12345678901234567890},"constructor":1}'

describe('The attributes of an item come out as they came in', () => {
  beforeAll(async () => {
    await t.database.prisma.$executeRaw`
      UPDATE items SET extra_attributes = ${ATTRIBUTES}::jsonb WHERE id = ${ITEM.museum}::uuid`
  })
  const list = 'dataset(id: "seoul")'

  test('in REST', async () => {
    const text = await (await t.get(`/v1/dataset-items/${ITEM.museum}`)).text()
    expect(text.replaceAll(' ', '')).toContain(`"extraAttributes":${ATTRIBUTES},`)
  })

  test.each([
    ['by id', `item(id: "${ITEM.museum}") { extraAttributes }`],
    ['by node', `node(id: "${ITEM.museum}") { ... on Item { extraAttributes } }`],
    ['in a page', `${list} { items(categoryCode: "museum") { nodes { name extraAttributes } } }`],
    ['in a connection', `${list} { itemConnection(categoryCode: "museum") { nodes { extraAttributes } } }`],
    [
      'in a search',
      `${list} { nearbyItems(latitude: 37.5239, longitude: 126.9804) { nodes { item { extraAttributes } } } }`,
    ],
    [
      'twice under aliases, beside a page that PostgreSQL writes',
      `${list} { items { nodes { name } } } item(id: "${ITEM.museum}") { extraAttributes y: extraAttributes }`,
    ],
  ])('in GraphQL %s', async (_where, fields) => {
    expect((await textOf(`{ ${fields} }`)).replaceAll(' ', '')).toContain(`"extraAttributes":${ATTRIBUTES}`)
  })
})

describe('PostgreSQL writes the same JSON as the gateway', () => {
  const item = '__typename id name latitude createdAt extraAttributes dataset { __typename slug description createdAt }'
  test.each([
    [
      'an item',
      `{ item(id: "${ITEM.gate}") { NAME ${item} images { __typename id sortOrder } parent { id dataset { name } } } }`,
    ],
    ['the attributes of a parent alone', `{ item(id: "${ITEM.gate}") { NAME parent { extraAttributes } } }`],
    ['items of a page', `{ dataset(id: "seoul") { items { nodes { NAME ${item} } total } } }`],
    [
      'items near a point',
      `{ nearbyItems(latitude: 37.5, longitude: 127, radius: 50000) { nodes { distance item { NAME ${item} } } } }`,
    ],
    [
      'distances',
      '{ nearbyItems(latitude: 37.5, longitude: 127, radius: 50000) { total nodes { item { NAME id } distance } } }',
    ],
  ])('for %s', async (_what, query) => {
    const raw = await textOf(query.replace('NAME', 'name'))
    expect(raw).not.toContain('"errors"')
    // The differently spelled selection has the same result.
    expect(raw).toBe(await textOf(query.replace('NAME', 'name: name')))
  })
})

test('a distance of less than a tenth of a millimetre is a number of JSON', async () => {
  const { latitude, longitude } = (await (await t.get(`/v1/dataset-items/${ITEM.gate}`)).json()).data
  for (const part of ['008', '007']) {
    const near = `latitude=${withDecimals(latitude, part)}&longitude=${longitude}&radius=1`
    const text = await (await t.get(`/v1/dataset-items/nearby?${near}`)).text()
    const { data } = JSON.parse(text)
    expect(data[0].distance).toBeGreaterThan(0)
    expect(data[0].distance).toBeLessThan(0.0001)
  }
})

test('a coordinate of less than a millionth of a degree is written in full', async () => {
  const id = '99999999-0000-4000-8000-0000000000aa'
  const { id: _id, ...fields } = await t.database.prisma.item.findUniqueOrThrow({ where: { id: ITEM.gate } })
  const data = { ...fields, id, latitude: '-0.0000003', longitude: '0.0000020', extraAttributes: {} }
  await t.database.prisma.item.create({ data })
  const geojson = { authorization: `Bearer ${t.key}`, accept: 'application/geo+json' }
  for (const path of [
    '/v1/dataset-items/nearby?latitude=0&longitude=0',
    '/search?latitude=0&longitude=0&radius=1000',
  ]) {
    const text = await (await t.get(path, geojson)).text()
    const { features } = JSON.parse(text)
    expect(text).toContain('"coordinates":[0.000002,-0.0000003]')
    expect(features[0]).toMatchObject({
      type: 'Feature',
      id,
      geometry: { coordinates: [0.000002, -3e-7] },
      properties: { name: data.name, distance: expect.any(Number) },
    })
  }
})

/** Adds decimals after the seventh. */
function withDecimals(degrees: string, decimals: string): string {
  const [whole, fraction = ''] = degrees.split('.')
  return `${whole}.${fraction.padEnd(7, '0')}${decimals}`
}
