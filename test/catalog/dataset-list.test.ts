import { describe, expect, test } from 'vitest'
import { cacheDatasetList, readDatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import type { ChangeFeed } from '../../src/database/change-feed.ts'
import { newDataset } from '../support/catalog.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'
import { createDatabase } from '../support/database.ts'

/** Reads the list as `cacheDatasetList` does, and counts the datasets that its statement can return; and reads it in one statement. */
async function useList(announced?: ChangeFeed['announced']) {
  const db = await createDatabase()
  const { prisma } = db.database
  const { feed, notify } = createFeed(announced)
  const current = cacheDatasetList(prisma, feed)
  const readList = async () => {
    db.statements.length = 0
    db.parameters.length = 0
    const list = await current()
    const isWhole = db.statements.some((sql) => !sql.includes('"id" IN') && !sql.includes('"id" ='))
    const ids = db.parameters.flatMap((json) => json.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [])
    return { read: isWhole ? 'all' : ids.sort(), list }
  }
  return { db, prisma, notify, readList, readWhole: async () => (await readDatasetList(prisma)).all }
}

describe('After a change, the list of datasets', () => {
  test('is read again only where it has changed, and is what one statement would read', async () => {
    const { db, prisma, notify, readList, readWhole } = await useList()
    const ids: string[] = []
    const create = async (name: string) => {
      const { id } = await prisma.dataset.create({ data: newDataset({ slug: `d${ids.length}`, name }) })
      ids.push(id)
      return id
    }
    // U+FF21 comes before U+1F3DB by code point, and after it by UTF-16 code unit.
    for (const name of ['B', '\u{1f3db}', '\uff21', 'A', 'B', 'b']) await create(name)
    await readList()
    const [first = '', second = '', third = ''] = ids
    const changes: (() => Promise<string[]>)[] = [
      async () => [(await prisma.dataset.update({ where: { id: first }, data: { name: '\uff21' } })).id],
      async () => [await create('B'), await create('\u{1f3db}')],
      async () => [(await prisma.dataset.delete({ where: { id: second } })).id],
      async () => [(await prisma.dataset.update({ where: { id: third }, data: { slug: 'other', name: '' } })).id],
      async () => [],
    ]
    for (const change of changes) {
      const changed = await change()
      for (const id of changed) notify(`dataset ${id}`)
      const { read, list } = await readList()
      expect(read).toEqual(changed.sort())
      expect(list.all).toEqual(await readWhole())
      for (const dataset of list.all)
        expect([list.withId(dataset.id), list.withSlug(dataset.slug)]).toEqual([dataset, dataset])
      expect(list.withId(second)).toBe(list.all.find(({ id }) => id === second))
    }
    notify('everything')
    expect((await readList()).read).toBe('all')
    await db.close()
  })

  test('is read again if another dataset changes before the statement, and is announced after it', async () => {
    let announce = async () => {}
    const { db, prisma, notify, readList, readWhole } = await useList(() => announce())
    const ids = ['a', 'b', 'c', 'd', 'e']
    const changed = await Promise.all(
      ids.map(async (slug) => (await prisma.dataset.create({ data: newDataset({ slug, name: slug }) })).id),
    )
    await readList()
    for (const [late, expected] of [
      [1, changed.slice(0, 2)],
      [4, 'all'],
    ] as const) {
      // One transaction changes all, and the announcements of some are late.
      await prisma.dataset.updateMany({
        data: { description: `after ${late}` },
        where: { id: { in: changed.slice(0, late + 1) } },
      })
      notify(`dataset ${changed[0]}`)
      const waiting = changed.slice(1, late + 1)
      announce = async () => {
        const id = waiting.shift()
        if (id !== undefined) notify(`dataset ${id}`)
      }
      const { read, list } = await readList()
      expect(new Set(read)).toEqual(new Set(expected))
      expect(list.all).toEqual(await readWhole())
    }
    await db.close()
  })

  test('is right after more changes than its index knows', async () => {
    const { db, prisma, notify, readList, readWhole } = await useList()
    await prisma.dataset.createMany({
      data: Array.from({ length: 130 }, (_, n) => newDataset({ slug: `d${n}`, name: `n${n % 7}` })),
    })
    const { list } = await readList()
    for (const [n, { id }] of [...list.all].entries()) {
      if (n % 5 === 0) await prisma.dataset.delete({ where: { id } })
      else await prisma.dataset.update({ where: { id }, data: { slug: `e${n}`, name: `n${(n * 3) % 11}` } })
      notify(`dataset ${id}`)
      const { list } = await readList()
      expect([list.withId(id)?.slug, list.withSlug(`e${n}`)?.id]).toEqual(
        n % 5 === 0 ? [undefined, undefined] : [`e${n}`, id],
      )
    }
    const current = (await readList()).list
    expect(current.all).toEqual(await readWhole())
    expect(list.all.flatMap(({ slug }) => current.withSlug(slug) ?? [])).toEqual([])
    await db.close()
  })
})

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
