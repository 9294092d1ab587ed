import { expect, test } from 'vitest'
import { cacheDatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import { newDataset } from '../support/catalog.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'
import { createDatabase } from '../support/database.ts'

test('the list of datasets is read once until a dataset changes, and for each read while the change feed is down', async () => {
  const db = await createDatabase()
  const { prisma } = db.database
  const create = (slug: string) => prisma.dataset.create({ data: newDataset({ slug }) })
  const { feed, notify } = createFeed()
  const current = cacheDatasetList(prisma, feed)
  const uncached = cacheDatasetList(prisma, silentChangeFeed)
  const slugs = async (read: typeof current) => (await read()).all.map(({ slug }) => slug)
  try {
    const { id } = await create('b')
    expect([await slugs(current), await slugs(uncached)]).toEqual([['b'], ['b']])
    await create('a')
    expect([await slugs(current), await slugs(uncached)]).toEqual([['b'], ['a', 'b']])
    for (const dataset of await prisma.dataset.findMany()) notify(`dataset ${dataset.id}`)
    const list = await current()
    expect(list.all.map(({ slug }) => slug)).toEqual(['a', 'b'])
    expect([list.withId(id)?.slug, list.withSlug('b')?.id, list.withSlug('c')]).toEqual(['b', id, undefined])
  } finally {
    await db.close()
  }
})
