import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { ITEM_FILTERS } from '../../src/catalog/filters.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { recordsOf } from '../support/exports.ts'
import { decodeTile, totalOf } from '../support/tiles.ts'

/*
 * Two checks that need no second implementation (SQLancer's partition and pivot), on a random catalog from a seed: the parts of
 * a list together are the list, and every path to a random item finds it.
 */

const SEED = process.env.ORACLE_SEED ?? '1'
const ITEMS = 600

let t: TestApp
let key: string
const ids: string[] = []

/** A whole number below `bound`, from the seed and the name. */
const random = (name: string, bound: number) =>
  createHash('sha256').update(`${SEED} ${name}`).digest().readUInt32BE() % bound
const idOf = (n: number) => `88888888-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Every third item lies within 50 km of `CENTRE`, the others anywhere. */
function positionOf(n: number): { latitude: string; longitude: string } {
  const [north, east] = [random(`latitude ${n}`, 1_800_001), random(`longitude ${n}`, 3_600_001)]
  if (n % 3 > 0) return { latitude: (north / 10_000 - 90).toFixed(4), longitude: (east / 10_000 - 180).toFixed(4) }
  const { latitude, longitude } = CENTRE
  return {
    latitude: (latitude + (north % 4_000) / 10_000 - 0.2).toFixed(4),
    longitude: (longitude + (east % 4_000) / 10_000 - 0.2).toFixed(4),
  }
}
const CENTRE = { latitude: 37.5, longitude: 127 }

beforeAll(async () => {
  t = await startApp()
  const { prisma } = t.database
  ;({ key } = await createKey(prisma, { name: 'oracle', accessTiers: ['gold'] }))
  const item = (n: number) => ({
    id: idOf(n),
    datasetId: DATASET.paid,
    // Parents come first, and few names are unique.
    parentItemId: n > 40 && random(`child ${n}`, 3) === 0 ? idOf(random(`parent ${n}`, 40)) : null,
    name: ['Seoul', '서울', 'Ñandú', '“x”', `Item ${random(`name ${n}`, 90)}`][random(`kind ${n}`, 5)] ?? '',
    ...positionOf(n),
    ...Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, `p${random(`${filter} ${n}`, 6)}`])),
    administrativeAreaCode: `a${random(`area ${n}`, 7)}`,
    categoryCode: `c${random(`category ${n}`, 5)}`,
    createdAt: new Date(1_700_000_000_000 + random(`created ${n}`, 50) * 1000),
    updatedAt: new Date(1_700_000_000_000 + random(`updated ${n}`, 50) * 1000),
  })
  const rows = Array.from({ length: ITEMS }, (_, n) => item(n))
  await prisma.item.createMany({ data: rows.filter(({ parentItemId }) => parentItemId === null) })
  await prisma.item.createMany({ data: rows.filter(({ parentItemId }) => parentItemId !== null) })
  ids.push(...(await prisma.item.findMany({ where: { datasetId: DATASET.paid } })).map(({ id }) => id))
})
afterAll(() => t.close())

const get = async (path: string) => (await t.get(path, { authorization: `Bearer ${key}` })).json()

/** The ids on all pages of a list, in order. */
async function walk(query: string, limit = 37): Promise<string[]> {
  const found: string[] = []
  for (let page = 1; ; page += 1) {
    const { data, meta } = await get(`/v1/datasets/paid/items?${query}&page=${page}&limit=${limit}`)
    found.push(...data.map(({ id }: { id: string }) => id))
    if (data.length < limit) {
      expect(meta.total).toBe(found.length)
      return found
    }
  }
}

/** The ids of a connection in order, walked from its start. */
async function follow(args: string, first = 41): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null = null; ; ) {
    const query = `query ($after: String) { dataset(id: "paid") { itemConnection(first: ${first}, after: $after, ${args}) {
      totalCount nodes { id } pageInfo { hasNextPage endCursor } } } }`
    const { body } = await t.graphql(query, { after }, key)
    const { totalCount, nodes, pageInfo } = body.data.dataset.itemConnection
    found.push(...nodes.map(({ id }: { id: string }) => id))
    if (!pageInfo.hasNextPage) {
      expect(totalCount).toBe(found.length)
      return found
    }
    after = pageInfo.endCursor
  }
}

describe('The parts of a list together are the list', () => {
  test.each([
    ['categories', Array.from({ length: 5 }, (_, n) => `categoryCode=c${n}`)],
    ['areas', Array.from({ length: 7 }, (_, n) => `administrativeAreaCode=a${n}`)],
    [
      'areas and categories',
      Array.from({ length: 35 }, (_, n) => `administrativeAreaCode=a${n % 7}&categoryCode=c${Math.floor(n / 7)}`),
    ],
    ['roots and children', ['parentItemId=null', ...Array.from({ length: 40 }, (_, n) => `parentItemId=${idOf(n)}`)]],
  ])('by %s', async (_what, filters) => {
    const parts: string[] = []
    for (const filter of filters) parts.push(...(await walk(filter)))
    // The small catalog's own items of the dataset have other codes.
    const own = new Set(parts)
    const whole = (await walk('')).filter((id) => id.startsWith('88888888') || own.has(id))
    expect(parts.length).toBe(own.size)
    expect([...own].sort()).toEqual(whole.toSorted())
  })

  test.each(ITEM_FILTERS)('by %s, alone and with each other filter', async (filter) => {
    const items = await t.database.prisma.item.findMany({ where: { datasetId: DATASET.paid } })
    const valuesOf = (name: (typeof ITEM_FILTERS)[number]) => [
      ...new Set(items.flatMap((item) => (item[name] === null ? [] : [`${name}: ${JSON.stringify(item[name])}`]))),
    ]
    const whole = items.filter((item) => item[filter] !== null).map(({ id }) => id)
    expect(valuesOf(filter).length).toBeGreaterThan(4)
    const parts: string[] = []
    for (const value of valuesOf(filter)) {
      const part = await follow(value)
      parts.push(...part)
      for (const other of ITEM_FILTERS.slice(ITEM_FILTERS.indexOf(filter) + 1)) {
        const parts: string[] = []
        for (const otherValue of valuesOf(other)) parts.push(...(await follow(`${value}, ${otherValue}`)))
        const own = items.filter((item) => part.includes(item.id) && item[other] !== null).map(({ id }) => id)
        expect(parts.toSorted(), `${value} and ${other}`).toEqual(own.toSorted())
      }
    }
    expect(parts.toSorted()).toEqual(whole.toSorted())
  })

  test.each(['name', 'createdAt', 'updatedAt'])(
    'pages and cursors by %s give the same order, forward and backward',
    async (sort) => {
      const word = { name: 'NAME', createdAt: 'CREATED_AT', updatedAt: 'UPDATED_AT' }[sort]
      const ascending = await walk(`sort=${sort}`)
      expect(await walk(`sort=${sort}&order=desc`, 53)).toEqual(ascending.toReversed())
      expect(await follow(`sort: ${word}`)).toEqual(ascending)
      expect(await follow(`sort: ${word}, order: DESC`, 100)).toEqual(ascending.toReversed())
      expect(ascending.toSorted()).toEqual(ids.toSorted())
    },
  )
})

/** The items of the dataset that a door gives, in order. */
type Door = (filters: URLSearchParams) => Promise<string[]>

const DOORS: Record<string, Door> = {
  'the nearby search': async (filters) => {
    const args = [...filters].map(([filter, value]) => `, ${filter}: ${JSON.stringify(value)}`).join('')
    const found: string[] = []
    for (let page = 1; ; page += 1) {
      const { body } = await t.graphql(
        `{ nearbyItems(latitude: ${CENTRE.latitude}, longitude: ${CENTRE.longitude}, radius: 50000, datasetId: "paid",
            page: ${page}, limit: 41${args}) { total nodes { item { id } } } }`,
        {},
        key,
      )
      const { total, nodes } = body.data.nearbyItems
      found.push(...nodes.map(({ item }: { item: { id: string } }) => item.id))
      if (nodes.length < 41) {
        expect(total).toBe(found.length)
        return found
      }
    }
  },
  'the export as NDJSON': async (filters) =>
    recordsOf(await text(`/exports/paid.ndjson?${filters}`)).map(({ id }) => id),
  'the export as CSV': async (filters) =>
    (await text(`/exports/paid.csv?${filters}`)).match(/(?<=\r\n"?)[0-9a-f-]{36}(?="?,)/g) ?? [],
  'the export as GeoJSON': async (filters) =>
    JSON.parse(await text(`/exports/paid.geojson?${filters}`)).features.map(({ id }: { id: string }) => id),
  'the tiles': async (filters) => {
    // In these tiles there are few enough items that each has a feature of its own.
    const columns = [0, 1, 2, 3]
    const tiles = columns.flatMap((x) => columns.map((y) => ({ z: 2, x, y })))
    const found: string[] = []
    for (const tile of tiles) {
      const features = await readTile(tile, filters)
      found.push(...features.map(({ properties }) => String(properties.id)))
    }
    expect(totalOf(await readTile({ z: 0, x: 0, y: 0 }, filters))).toBe(found.length)
    return found
  },
}

async function text(path: string): Promise<string> {
  return (await t.get(path, { authorization: `Bearer ${key}` })).text()
}

async function readTile(tile: { z: number; x: number; y: number }, filters: URLSearchParams) {
  const path = `/tiles/paid/${tile.z}/${tile.x}/${tile.y}.mvt?${filters}`
  const response = await t.get(path, { authorization: `Bearer ${key}` })
  return decodeTile(await response.arrayBuffer(), tile)
}

test.each(Object.entries(DOORS))(
  'With filters, %s gives those of its items that match, in the same order',
  {
    timeout: 300_000,
  },
  async (_name, read) => {
    const rows = await t.database.prisma.item.findMany({ where: { datasetId: DATASET.paid } })
    const items = new Map(rows.map((item) => [item.id, item]))
    const whole = await read(new URLSearchParams())
    expect(whole.length).toBeGreaterThan(100)
    const expectPart = async (filters: Partial<Record<(typeof ITEM_FILTERS)[number], string>>) => {
      const matches = ITEM_FILTERS.filter((filter) => filters[filter] !== undefined)
      const part = whole.filter((id) => matches.every((filter) => items.get(id)?.[filter] === filters[filter]))
      const query = new URLSearchParams(matches.map((filter) => [filter, filters[filter] ?? '']))
      expect(await read(query), `${query}`).toEqual(part)
      return part.length
    }
    for (const filter of ITEM_FILTERS) {
      const values = [...new Set(rows.flatMap((item) => item[filter] ?? []))]
      let count = 0
      for (const value of values) count += await expectPart({ [filter]: value })
      expect(count).toBe(whole.filter((id) => items.get(id)?.[filter] !== null).length)
      expect(await expectPart({ [filter]: 'no item has this' })).toBe(0)
    }
    for (let turn = 0; turn < 6; turn += 1) {
      const item = items.get(whole[random(`filtered ${turn}`, whole.length)] ?? '')
      const [one, other] = [0, 1].map((n) => ITEM_FILTERS[(turn + n * (1 + (turn % 3))) % ITEM_FILTERS.length])
      if (!item || !one || !other) continue
      await expectPart({ [one]: item[one] ?? '', [other]: item[other] ?? '' })
    }
  },
)

test('An item picked at random is found by every path to it', async () => {
  const order = await walk('')
  for (let turn = 0; turn < 12; turn += 1) {
    const id = order[random(`pivot ${turn}`, order.length)] ?? ''
    const { data } = await get(`/v1/dataset-items/${id}`)
    expect(data.id).toBe(id)
    const page = Math.floor(order.indexOf(id) / 20) + 1
    const onPage = (await get(`/v1/datasets/paid/items?page=${page}`)).data
    const filters = new URLSearchParams({
      administrativeAreaCode: data.administrativeAreaCode,
      categoryCode: data.categoryCode,
      parentItemId: String(data.parentItemId),
    })
    const near = await get(
      `/v1/dataset-items/nearby?latitude=${data.latitude}&longitude=${data.longitude}&radius=1&limit=100`,
    )
    const { body } = await t.graphql(
      `query ($id: ID!) { item(id: $id) { id name dataset { slug } } node(id: $id) { id ... on Item { name } } nodes(ids: [$id]) { id } }`,
      { id: id.toUpperCase() },
      key,
    )
    expect(onPage.find((item: { id: string }) => item.id === id)).toMatchObject({ name: data.name })
    expect(await walk(`${filters}`)).toContain(id)
    expect(near.data.find((item: { id: string }) => item.id === id)).toMatchObject({ name: data.name, distance: 0 })
    expect(body.data).toEqual({
      item: { id, name: data.name, dataset: { slug: 'paid' } },
      node: { id, name: data.name },
      nodes: [{ id }],
    })
  }
})
