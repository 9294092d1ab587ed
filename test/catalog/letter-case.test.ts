import { beforeAll, expect, test } from 'vitest'
import { newDataset, newPlace } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { createPublicReader } from '../support/reader.ts'

/* UUIDs match in any letter case. These have letters; those of the small catalog have none. */

const ID = {
  dataset: 'aabbccdd-eeff-4abc-8def-aabbccddeeff',
  item: 'abcdefab-cdef-4abc-8def-abcdefabcdef',
  image: 'fedcbafe-dcba-4abc-8def-fedcbafedcba',
}

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await prisma.dataset.create({ data: newDataset({ id: ID.dataset, slug: 'letters' }) })
  await prisma.item.create({ data: newPlace({ id: ID.item, datasetId: ID.dataset }) })
  const urls = { originalUrl: '', cdnUrl: '', thumbnailSmallUrl: '', thumbnailMediumUrl: '', thumbnailLargeUrl: '' }
  await prisma.image.create({ data: { id: ID.image, itemId: ID.item, sortOrder: 0, isPrimary: true, ...urls } })
})

test.each([
  ['lower case', (id: string) => id],
  ['capitals', (id: string) => id.toUpperCase()],
  ['both', (id: string) => id.replace(/[a-d]/g, (letter) => letter.toUpperCase())],
])('a dataset, an item and an image are found by their UUID in %s', async (_case, write) => {
  const read = createPublicReader(db.database)
  const found = await read(async (catalog) => [
    catalog.dataset(write(ID.dataset)).id,
    (await catalog.item(write(ID.item))).id,
    JSON.parse((await catalog.item(write(ID.item), { members: ['id'], form: 'json' })).written ?? '').id,
    ...(await catalog.nodes(Object.values(ID).map(write))).map((node) => node?.id),
  ])
  expect(found).toEqual([ID.dataset, ID.item, ID.item, ID.dataset, ID.item, ID.image])
})

test('a slug is no UUID, in any letter case', async () => {
  for (const slug of [ID.item, ID.item.toUpperCase()]) {
    const change = db.database.prisma.dataset.update({ where: { id: ID.dataset }, data: { slug } })
    await expect(change).rejects.toThrow('slug_is_not_a_uuid')
  }
})
