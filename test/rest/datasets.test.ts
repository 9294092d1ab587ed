import { describe, expect, test } from 'vitest'
import { grantDataset } from '../../src/auth/grants.ts'
import { getJson, useApp } from '../support/app.ts'
import { DATASET, ITEM, newDataset } from '../support/catalog.ts'

const t = useApp()

const json = (path: string) => getJson(t, path)

const DATASET_MEMBERS = [
  'id',
  'slug',
  'name',
  'description',
  'status',
  'visibility',
  'accessTier',
  'createdAt',
  'updatedAt',
]
const DETAIL_MEMBERS = [
  ...DATASET_MEMBERS.filter((name) => name !== 'status').slice(0, 6),
  'attribution',
  'createdAt',
  'updatedAt',
]

describe('GET /v1/datasets', () => {
  test('lists the datasets that the key may access, by name, with their total', async () => {
    const { data, meta } = await json('/v1/datasets')
    expect(data.map((dataset: { slug: string }) => dataset.slug)).toEqual(['archived', 'seoul'])
    expect(meta).toEqual({ total: 2 })
  })

  test('gives the members of the specification, in its order', async () => {
    const body = await json('/v1/datasets')
    expect(Object.keys(body)).toEqual(['data', 'meta'])
    expect(Object.keys(body.data[1])).toEqual(DATASET_MEMBERS)
    expect(body.data[1]).toEqual({
      id: DATASET.seoul,
      slug: 'seoul',
      name: 'Seoul',
      description: 'Places in Seoul',
      status: 'active',
      visibility: 'public',
      accessTier: null,
      createdAt: '2026-01-01T09:00:00.000Z',
      updatedAt: '2026-01-02T09:00:00.000Z',
    })
  })
})

describe('GET /v1/datasets/:datasetId', () => {
  test('gives the same dataset by slug, by UUID and by UUID in capitals', async () => {
    const bySlug = await json('/v1/datasets/seoul')
    expect(Object.keys(bySlug.data)).toEqual(DETAIL_MEMBERS)
    expect(bySlug.data.attribution).toBe('Credit of seoul')
    expect(bySlug.meta).toEqual({})
    expect(await json(`/v1/datasets/${DATASET.seoul}`)).toEqual(bySlug)
    const { uuid, id } = await isolatedCapitalUuid()
    // The gateway notices the grant within a second (docs/access.md).
    await expect.poll(async () => (await t.get(`/v1/datasets/${uuid}`)).status, { interval: 5 }).toBe(200)
    expect((await json(`/v1/datasets/${uuid}`)).data.id).toBe(id)
  })

  test.each([
    ['an unknown slug', 'nowhere', 404, 'NOT_FOUND'],
    ['a slug in another letter case', 'SEOUL', 404, 'NOT_FOUND'],
    ['an unknown UUID', '99999999-0000-4000-8000-000000000001', 404, 'NOT_FOUND'],
    ['the id of an item', ITEM.palace, 404, 'NOT_FOUND'],
    ['a dataset of a tier that the key has not', 'paid', 403, 'DATASET_ACCESS_DENIED'],
    ['a restricted dataset', 'restricted', 403, 'DATASET_ACCESS_DENIED'],
    ['a draft', 'draft', 403, 'DATASET_ACCESS_DENIED'],
    ['an inactive dataset', DATASET.inactive, 403, 'DATASET_ACCESS_DENIED'],
  ])('answers %s with %s: %i %s', async (_what, id, status, code) => {
    const response = await t.get(`/v1/datasets/${id}`)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
  })

  async function isolatedCapitalUuid() {
    const id = 'abcdefab-0000-4000-8000-00000000000a'
    const { prisma } = t.database
    const { key } = t
    await prisma.dataset.create({ data: newDataset({ id, slug: 'hex', name: 'Hex', status: 'draft' }) })
    const [owner] = await prisma.apiKey.findMany()
    expect(key).toMatch(/^dck_/)
    await grantDataset(prisma, { keyId: owner?.id ?? '', dataset: 'hex', expiresAt: null })
    return { uuid: id.toUpperCase(), id }
  }
})
