import { describe, expect, test } from 'vitest'
import { grantDataset } from '../../src/auth/grants.ts'
import { createKey } from '../../src/auth/keys.ts'
import { Random } from '../simulate/random.ts'
import { randomCases } from '../support/cases.ts'
import { createImporter, ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

const at = (day: number) => new Date(Date.UTC(2026, 0, day, 1, 2, 3, 456))
const b = (more: object = {}) => row({ externalId: 'b', name: 'B', ...more })
const file = (...rows: object[]) => ({ 'a.ndjson': ndjson(...rows) })
const items = () =>
  t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' }, include: { images: { orderBy: { id: 'asc' } } } })
const dataset = () => t.db.database.prisma.dataset.findFirstOrThrow()

/** All rows, with the transaction that wrote each. */
const everything = () =>
  t.db.database.prisma.$queryRaw<unknown[]>`
    SELECT xmin::text, to_jsonb(d)::text FROM datasets d
     UNION ALL SELECT xmin::text, to_jsonb(i)::text FROM items i
     UNION ALL SELECT xmin::text, to_jsonb(p)::text FROM images p ORDER BY 2`

const images = [{ originalUrl: 'o1' }, { originalUrl: 'o1', altText: 'again' }, { originalUrl: 'o2' }]

describe('Importing again', () => {
  test('the same files changes nothing at all', async () => {
    const files = file(
      row({ images, extraAttributes: { z: 1, a: { b: [1.5, null] } } }),
      b({ parentExternalId: 'a', createdAt: at(1) }),
    )
    expect(await t.importer.run(files)).toMatchObject({ created: 2, updated: 0, unchanged: 0, removed: 0, skipped: 0 })
    const before = await everything()
    expect(await t.importer.run(files)).toMatchObject({ created: 0, updated: 0, unchanged: 2, removed: 0, skipped: 0 })
    expect(await everything()).toEqual(before)
  })

  test('creates, updates and removes items, and leaves the timestamps of unchanged items', async () => {
    await t.importer.run(file(row(), b(), row({ externalId: 'c', name: 'C' })), { now: at(1) })
    const summary = await t.importer.run(file(row({ description: 'new' }), b(), row({ externalId: 'd', name: 'D' })), {
      now: at(2),
    })
    expect(summary).toMatchObject({ slug: 'places', created: 1, updated: 1, unchanged: 1, removed: 1, skipped: 0 })
    expect((await items()).map(({ name, createdAt, updatedAt }) => [name, createdAt, updatedAt])).toEqual([
      ['A', at(1), at(2)],
      ['B', at(1), at(1)],
      ['D', at(2), at(2)],
    ])
    expect(await dataset()).toMatchObject({ createdAt: at(1), updatedAt: at(2) })
  })

  test('keeps items that the files no longer have, with keepMissing', async () => {
    await t.importer.run(file(row(), b()))
    expect(await t.importer.run(file(row({ name: 'A2' })), { keepMissing: true })).toMatchObject({
      updated: 1,
      removed: 0,
    })
    expect((await items()).map(({ name }) => name)).toEqual(['A2', 'B'])
  })

  test('changes an item when its images change, and leaves the other images as they are', async () => {
    await t.importer.run(file(row({ images }), b({ images: [{ originalUrl: 'x' }] })), { now: at(1) })
    const [, before] = await items()
    const summary = await t.importer.run(
      file(row({ images: images.slice(1) }), b({ images: [{ originalUrl: 'x' }] })),
      {
        now: at(2),
      },
    )
    expect(summary).toMatchObject({ updated: 1, unchanged: 1 })
    const [a, after] = await items()
    expect(a?.images.map((image) => image.originalUrl).sort()).toEqual(['o1', 'o2'])
    expect(a?.updatedAt).toEqual(at(2))
    expect(after).toEqual(before)
  })

  test('updates the dataset by its slug, and its keys keep their grants', async () => {
    const { prisma } = t.db.database
    await t.importer.run(file(row()), { dataset: { status: 'draft' }, now: at(1) })
    const { id } = await createKey(prisma, { name: 'k' })
    await grantDataset(prisma, { keyId: id, dataset: 'places', expiresAt: null })
    await t.importer.run(file(row()), { dataset: { status: 'archived', description: 'New' }, now: at(2) })
    expect(await dataset()).toMatchObject({
      status: 'archived',
      description: 'New',
      createdAt: at(1),
      updatedAt: at(2),
    })
    expect(await prisma.grant.count({ where: { apiKeyId: id } })).toBe(1)
  })

  test('stores given timestamps to the millisecond', async () => {
    await t.importer.run(file(row({ createdAt: '2020-01-01T09:00:00.123456+09:00', updatedAt: '2020-01-02' })), {
      dataset: { createdAt: '2019-01-01T00:00:00Z', updatedAt: '2019-06-01T00:00:00Z' },
    })
    const [item] = await items()
    expect(item?.createdAt.toISOString()).toBe('2020-01-01T00:00:00.123Z')
    expect(item?.updatedAt.toISOString()).toBe('2020-01-02T00:00:00.000Z')
    expect((await dataset()).updatedAt.toISOString()).toBe('2019-06-01T00:00:00.000Z')
  })
})

/** A row with few ids and names, so that rows often meet. */
const randomRow = (random: Random) =>
  row({
    externalId: `e${random.below(8)}`,
    name: `n${random.below(3)}`,
    ...(random.chance(0.4) && { parentExternalId: `e${random.below(8)}` }),
    ...(random.chance(0.2) && { images: [{ originalUrl: `o${random.below(2)}` }] }),
    ...(random.chance(0.02) && { name: '' }),
  })

const seeds = Array.from({ length: randomCases({ all: 12, few: 2 }) }, (_, n) => `files ${n}`)
test.each(seeds)(
  'The files alone decide what an import says and leaves, not the imports before it: %s',
  async (seed) => {
    const random = new Random(seed)
    const outcome = async (rows: object[]) => {
      const said = await t.importer.run(file(...rows)).then(() => 'imported', String)
      const found = (await items()).map(({ createdAt, updatedAt, ...item }) => item)
      return { said, found: said === 'imported' && found.sort((a, b) => a.id.localeCompare(b.id)) }
    }
    for (let sequence = 0; sequence < 8; sequence += 1) {
      let rows: object[] = []
      for (let step = 0; step < 5; step += 1) {
        const kept = rows.filter(() => random.chance(0.8))
        rows = random.shuffle([...kept, ...Array.from({ length: random.below(4) }, () => randomRow(random))])
        if (step < 4) await t.importer.run(file(...rows)).catch(() => {})
      }
      const after = await outcome(rows)
      await t.db.database.prisma.dataset.deleteMany()
      expect(after, JSON.stringify(rows)).toEqual(await outcome(rows))
    }
  },
)

describe('Identity', () => {
  test('a dataset has the version 5 UUID of its slug, an item that of its externalId in the dataset', async () => {
    const { datasetId } = await t.importer.run(file(row()), { dataset: { slug: 'museums' } })
    // uuid5(NAMESPACE_URL, "museums") and uuid5 of "a" in that, by Python.
    expect(datasetId).toBe('f9c8fd2b-5551-52fa-9c5a-16e4072379d2')
    expect((await items())[0]?.id).toBe('05d1c988-709d-5062-80fc-256170256977')
  })

  test('a dataset keeps its id, and another id is refused', async () => {
    const id = '11111111-0000-4000-8000-000000000001'
    expect(await t.importer.run(file(row()), { dataset: { id } })).toMatchObject({ datasetId: id })
    expect(await t.importer.run(file(row()))).toMatchObject({ datasetId: id, unchanged: 1 })
    expect(await t.importer.fail(file(row()), { dataset: { id: '11111111-0000-4000-8000-000000000002' } })).toContain(
      'has the id',
    )
    expect(await t.importer.fail(file(row()), { dataset: { id, slug: 'other' } })).toContain(
      'belongs to the dataset places',
    )
  })

  test('an item is recognised by its externalId after an earlier import gave it an id', async () => {
    const id = '22222222-0000-4000-8000-00000000000A'
    await t.importer.run(file(row({ id })))
    expect(await t.importer.run(file(row({ name: 'Again' })))).toMatchObject({ created: 0, updated: 1, removed: 0 })
    expect(await items()).toMatchObject([{ id: id.toLowerCase(), name: 'Again' }])
  })

  test('images keep their ids when an item is named by id and externalId, and then by one of them', async () => {
    // Images with one sortOrder are ordered by their ids. The first is primary, and gives the thumbnail.
    const tied = ['o1', 'o2', 'o2', 'o3', 'o4'].map((originalUrl) => ({ originalUrl, sortOrder: 0 }))
    const rowsWith = (more: object) =>
      file(
        ...Array.from({ length: 30 }, (_, n) => row({ externalId: String(n), name: String(n), images: tied })),
        b({ images: tied, ...more }),
      )
    const id = '22222222-0000-4000-8000-000000000001'
    await t.importer.run(rowsWith({ id }))
    const before = await everything()
    for (const more of [{}, { id }, {}]) {
      expect(await t.importer.run(rowsWith(more))).toMatchObject({ created: 0, updated: 0, unchanged: 31, removed: 0 })
    }
    expect(await everything()).toEqual(before)
    const [, { images: [one] = [] } = {}] = await t.db.database.prisma.item.findMany({
      ...{ where: { OR: [{ id }, { externalId: '0' }] }, orderBy: { name: 'asc' } },
      include: { images: { where: { originalUrl: 'o1' } } },
    })
    // uuid5 of "o1" in the item's id, by Python.
    expect(one?.id).toBe('e3a72022-2802-57d7-9ca1-eacd7c11b4bf')
  })

  describe('An externalId that stands for the id of another item', () => {
    const REASON = (id: string) =>
      `the externalId gives an id that another item has; add another id to the row: a gives ${id}, the id of the item with the externalId b`
    /** The id that the externalId a stands for is now that of the item b. */
    const renumber = async () => {
      await t.importer.run(file(row()))
      const [item] = await items()
      await t.importer.run(file(b({ id: item?.id })))
      return item?.id ?? ''
    }

    test('is refused with keepMissing, and the other item stays', async () => {
      const id = await renumber()
      expect(await t.importer.fail(file(row()), { keepMissing: true })).toContain(`a.ndjson:1: ${REASON(id)}`)
      expect(await items()).toMatchObject([{ id, name: 'B', externalId: 'b' }])
      const other = '22222222-0000-4000-8000-000000000001'
      expect(await t.importer.run(file(row({ id: other })), { keepMissing: true })).toMatchObject({ created: 1 })
      expect(await t.importer.run(file(row(), b()))).toMatchObject({ unchanged: 2 })
    })

    test.each([0, 1])('is refused beside the other item, in row %i', async (place) => {
      const id = await renumber()
      const others = [b(), b({ id })]
      for (const keepMissing of [false, true]) {
        for (const other of others) {
          const rows = place === 0 ? [row(), other] : [other, row()]
          expect(await t.importer.fail(file(...rows), { keepMissing })).toContain(
            `a.ndjson:${place + 1}: ${REASON(id)}`,
          )
          expect(await t.importer.run(file(...rows), { keepMissing, skipInvalid: true })).toMatchObject({
            ...{ unchanged: 1, skipped: 1 },
          })
        }
      }
      await t.db.database.prisma.dataset.deleteMany()
      expect(await t.importer.fail(file(b({ id }), row()))).toContain(`a.ndjson:2: ${REASON(id)}`)
      const { externalId, ...nameless } = b({ id })
      expect(await t.importer.fail(file(nameless, row()))).toContain(
        `a.ndjson:2: the externalId gives an id that another item has; add another id to the row: a gives ${id}, the id of another row`,
      )
    })

    test('replaces an item that the files no longer have', async () => {
      const id = await renumber()
      expect(await t.importer.run(file(row()))).toMatchObject({ updated: 1 })
      expect(await items()).toMatchObject([{ id, externalId: 'a' }])
    })
  })

  test('an id of an item of another dataset is refused', async () => {
    const id = '22222222-0000-4000-8000-000000000001'
    await t.importer.run(file(row({ id })))
    expect(await t.importer.fail(file(row({ id })), { dataset: { slug: 'other' } })).toContain(
      `the id belongs to an item of the dataset places; give the manifest that slug, or leave out the columns of "id" and "images": ${id}`,
    )
  })

  test('an image id may occur in one item only', async () => {
    const image = { id: '33333333-0000-4000-8000-000000000001', originalUrl: 'o' }
    expect(await t.importer.fail(file(row({ images: [image] }), b({ images: [image] })))).toContain(
      'same id of an image as line 1',
    )
    await t.importer.run(file(row({ images: [image] }), b()))
    expect(await t.importer.fail(file(row({ images: [image] })), { dataset: { slug: 'other' } })).toContain(
      'belongs to another item',
    )
    expect(await t.importer.run(file(row(), b({ images: [image] })))).toMatchObject({ updated: 2 })
  })

  test('items may swap their externalIds and their parents', async () => {
    const one = { id: '22222222-0000-4000-8000-000000000001' }
    const two = { id: '22222222-0000-4000-8000-000000000002' }
    await t.importer.run(file(row({ ...one }), b({ ...two, parentItemId: one.id })))
    expect(await t.importer.run(file(b({ ...one, parentItemId: two.id }), row({ ...two })))).toMatchObject({
      updated: 2,
    })
    expect(await items()).toMatchObject([
      { ...two, externalId: 'a', parentItemId: null },
      { ...one, externalId: 'b', parentItemId: two.id },
    ])
  })
})

describe('Parents', () => {
  test('may come later in the file, or in another file', async () => {
    const files = {
      'a.ndjson': ndjson(row({ parentExternalId: 'b' }), b({ parentExternalId: 'c' })),
      'c.ndjson': ndjson(row({ externalId: 'c', name: 'C' })),
    }
    await t.importer.run(files)
    const [a, parent, grandparent] = await items()
    expect([a?.parentItemId, parent?.parentItemId, grandparent?.parentItemId]).toEqual([
      parent?.id,
      grandparent?.id,
      null,
    ])
  })

  test('may be items that the files do not have, only with keepMissing', async () => {
    await t.importer.run(file(row()))
    expect(await t.importer.run(file(b({ parentExternalId: 'a' })), { keepMissing: true })).toMatchObject({
      created: 1,
    })
    expect(await t.importer.fail(file(b({ parentExternalId: 'a' })))).toContain('the parent is not there: a')
  })

  test('may not form a cycle with items that keepMissing keeps', async () => {
    await t.importer.run(file(row(), b({ parentExternalId: 'a' })))
    expect(await t.importer.fail(file(row({ parentExternalId: 'b' })), { keepMissing: true })).toContain(
      'its parents form a cycle',
    )
  })

  test('may be removed together with their children', async () => {
    await t.importer.run(file(row(), b({ parentExternalId: 'a' }), row({ externalId: 'c', name: 'C' })))
    expect(await t.importer.run(file(row({ externalId: 'c', name: 'C' })))).toMatchObject({ removed: 2, unchanged: 1 })
  })
})

describe('Other sessions', () => {
  const many = (name: string, count = 3000) =>
    file(...Array.from({ length: count }, (_, n) => row({ externalId: String(n), name: `${name} ${n}` })))

  test('see the dataset before the import or after it, and nothing in between', async () => {
    await t.importer.run(many('old'))
    const seen = new Set<string>()
    let running = true
    const reader = (async () => {
      while (running) {
        const rows = await t.db.database.prisma.$queryRaw<{ names: string }[]>`
          SELECT string_agg(DISTINCT split_part(name, ' ', 1), ',') || count(*) AS names FROM items`
        seen.add(rows[0]?.names ?? '')
      }
    })()
    await t.importer.run(many('new', 2500))
    running = false
    await reader
    for (const names of seen) expect(['old3000', 'new2500']).toContain(names)
  })

  test('may import the same dataset at the same time: one comes after the other', async () => {
    const [first, second] = [await createImporter(t.db.database), await createImporter(t.db.database)]
    const summaries = await Promise.all([first.run(many('same')), second.run(many('same'))])
    expect(summaries.map(({ created, unchanged }) => created + unchanged)).toEqual([3000, 3000])
    expect(summaries.reduce((sum, { created }) => sum + created, 0)).toBe(3000)
    await Promise.all([first.close(), second.close()])
  })
})
