import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'

/*
 * Two checks that need no second implementation (SQLancer's partition and pivot), on a random catalog from a seed: the parts of
 * a list together are the list, and every path to a random item finds it.
 */

const SEED = process.env.ORACLE_SEED ?? '1'
const ITEMS = 600

let t: TestApp
let key: string

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
    administrativeAreaCode: `a${random(`area ${n}`, 7)}`,
    categoryCode: `c${random(`category ${n}`, 5)}`,
    createdAt: new Date(1_700_000_000_000 + random(`created ${n}`, 50) * 1000),
    updatedAt: new Date(1_700_000_000_000 + random(`updated ${n}`, 50) * 1000),
  })
  const rows = Array.from({ length: ITEMS }, (_, n) => item(n))
  await prisma.item.createMany({ data: rows.filter(({ parentItemId }) => parentItemId === null) })
  await prisma.item.createMany({ data: rows.filter(({ parentItemId }) => parentItemId !== null) })
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
})

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
