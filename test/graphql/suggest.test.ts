import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace } from '../support/catalog.ts'

const t = useApp()

const SUGGEST = `query ($text: String!, $datasetId: ID, $within: BoundingBox, $category: String, $limit: Int) {
  suggestItems(text: $text, datasetId: $datasetId, within: $within, categoryCode: $category, limit: $limit) { id name keywords }
}`

async function suggest(variables: Record<string, unknown>, key?: string) {
  const { status, body } = await t.graphql(SUGGEST, variables, key)
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data.suggestItems.map(({ id }: { id: string }) => id)
}

describe('suggestItems', () => {
  test('finds what was probably meant, in all datasets or in one', async () => {
    expect(await suggest({ text: 'gyeonbokgung' })).toEqual([ITEM.palace])
    expect(await suggest({ text: '경봉궁', limit: 1 })).toEqual([ITEM.palace])
    expect(await suggest({ text: 'gyeonbokgung', datasetId: 'seoul' })).toEqual([ITEM.palace])
    expect(await suggest({ text: 'gyeonbokgung', datasetId: 'archived' })).toEqual([])
    expect(await suggest({ text: 'twin', limit: 1 })).toEqual([ITEM.same1])
  })

  test('gives the best first, whatever their ids are', async () => {
    const first = 'ffffffff-0000-4000-8000-000000000000'
    const second = '00000000-0000-4000-8000-000000000001'
    await t.database.prisma.item.createMany({
      data: [
        newPlace({ id: first, datasetId: DATASET.seoul, name: 'Zebrafish' }),
        newPlace({ id: second, datasetId: DATASET.seoul, name: 'Zebrafish Hall' }),
      ],
    })
    await expect.poll(() => suggest({ text: 'zebrafihs' })).toEqual([first, second])
  })

  test('reads only what is selected, images and parents too', async () => {
    t.statements.length = 0
    await t.graphql('{ suggestItems(text: "gwanhwamun") { id } }')
    const read = t.statements.join()
    expect(read).toContain('letter_grams')
    expect(read).not.toMatch(/telephone|extra_attributes|parent_item_id|item_images|FROM images/)
    const { body } = await t.graphql(`{ suggestItems(text: "gwanhwamun", limit: 1) {
      __typename name parent { id name } images { altText } dataset { slug } children { total } } }`)
    expect(body.data.suggestItems).toEqual([
      {
        __typename: 'Item',
        name: 'Gwanghwamun',
        parent: { id: ITEM.palace, name: 'Gyeongbokgung' },
        images: [],
        dataset: { slug: 'seoul' },
        children: { total: 0 },
      },
    ])
  })

  test('gives nothing of datasets that the key may not access', async () => {
    expect(await suggest({ text: 'palce' })).toEqual([ITEM.palace, ITEM.archived])
    const { key } = await createKey(t.database.prisma, { name: 'gold', accessTiers: ['gold'] })
    expect((await suggest({ text: 'palce' }, key)).toSorted()).toEqual(
      [ITEM.palace, ITEM.paid, ITEM.archived].toSorted(),
    )
    const codeOf = async (datasetId: string) =>
      (await t.graphql(SUGGEST, { text: 'a', datasetId })).body.errors[0].extensions.code
    expect(await codeOf('nowhere')).toBe('NOT_FOUND')
    expect(await codeOf('restricted')).toBe('DATASET_ACCESS_DENIED')
  })

  test.each<[Record<string, unknown>, string, string]>([
    [{ text: '' }, 'text', 'must not be empty'],
    [{ text: 'a', limit: 101 }, 'limit', 'must be at most 100'],
    [{ text: 'a', category: '' }, 'categoryCode', 'must not be empty'],
    [{ text: 'a', within: { west: 0, south: 2, east: 1, north: 1 } }, 'within.south', 'must be at most north'],
  ])('refuses %j: %s %s', async (variables, field, message) => {
    const { body } = await t.graphql(SUGGEST, variables)
    expect(body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', details: [{ field, message }] })
  })
})
