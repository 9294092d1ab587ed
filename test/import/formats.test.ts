import { expect, test } from 'vitest'
import { csv, HEADER, ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

const items = () =>
  t.db.database.prisma.item.findMany({
    orderBy: { name: 'asc' },
    include: { images: { orderBy: { sortOrder: 'asc' } } },
  })

test('a row without optional values is stored with empty texts and nulls', async () => {
  await t.importer.run({ 'a.ndjson': ndjson(row({ latitude: '37.57961745' })) })
  const [item] = await items()
  expect(item).toMatchObject({ name: 'A', description: '', email: null, extraAttributes: {} })
  expect([item?.latitude.toFixed(), item?.longitude.toFixed()]).toEqual(['37.5796175', '127'])
})

test('an empty file has no items, and removes none with keepMissing', async () => {
  await t.importer.run({ 'a.ndjson': ndjson(row()) })
  expect(await t.importer.run({ 'a.csv': '' }, { keepMissing: true })).toMatchObject({ created: 0, removed: 0 })
  expect(await t.importer.run({ 'a.csv': `${HEADER}\n` })).toMatchObject({ created: 0, removed: 1 })
})

test('ids and namespaces may be UUIDs of any version', async () => {
  const id = '11111111-1111-0111-1111-111111111111'
  const images = [{ originalUrl: 'https://a.example/1' }]
  const rows = ndjson(row({ id, externalId: null, images }), row({ externalId: 'b' }))
  expect(await t.importer.run({ 'a.ndjson': rows }, { dataset: { id } })).toMatchObject({ created: 2 })
})

test('spaces around a code do not make another one, and labels find it', async () => {
  const files = {
    'a.csv': csv('a,A, 11,station\u00a0,1,2', 'b,B,11 , station,1,2'),
    'l.csv': 'code,label\n station,Station\n',
  }
  await t.importer.run(files, { items: ['a.csv'], labels: { categoryCode: 'l.csv' } })
  const codes = (await items()).map(({ administrativeAreaCode, categoryCode }) => [
    administrativeAreaCode,
    categoryCode,
  ])
  expect(codes).toEqual([
    ['11', 'station'],
    ['11', 'station'],
  ])
  expect(t.importer.reported.warnings).toEqual([])
})

test('the longest names, codes and external ids fit in the indexes', async () => {
  const longest = {
    externalId: '가'.repeat(500),
    name: '나'.repeat(500),
    administrativeAreaCode: '다'.repeat(100),
    categoryCode: '라'.repeat(100),
  }
  expect(await t.importer.run({ 'a.ndjson': ndjson(row(longest)) })).toMatchObject({ created: 1 })
})

test('an import fills in the URLs of images, and makes the first by sortOrder primary', async () => {
  await t.importer.run({
    'a.ndjson': ndjson(
      row({
        images: [
          { originalUrl: 'o1', sortOrder: 5 },
          { originalUrl: 'o2', cdnUrl: 'c2', thumbnailSmallUrl: 's2', altText: 'two' },
        ],
      }),
    ),
  })
  const [item] = await items()
  expect(item?.images).toMatchObject([
    {
      originalUrl: 'o2',
      cdnUrl: 'c2',
      thumbnailSmallUrl: 's2',
      thumbnailMediumUrl: 'c2',
      thumbnailLargeUrl: 'c2',
      altText: 'two',
      sortOrder: 1,
      isPrimary: true,
    },
    { originalUrl: 'o1', cdnUrl: 'o1', thumbnailSmallUrl: 'o1', altText: '', sortOrder: 5, isPrimary: false },
  ])
  expect(item?.thumbnailUrl).toBe('s2')
})
