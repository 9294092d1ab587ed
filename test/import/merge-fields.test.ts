import { describe, expect, test } from 'vitest'
import { ndjson, row, useImporter } from '../support/import.ts'

/* A change of any single field of a dataset or of an item reaches the database; an import without a change writes nothing. */

const t = useImporter()

const FIRST = new Date('2026-01-01T00:00:00Z')
const SECOND = new Date('2026-02-01T00:00:00Z')
const file = (...rows: object[]) => ({ 'a.ndjson': ndjson(...rows) })
const dataset = () => t.db.database.prisma.dataset.findFirstOrThrow()
const item = () =>
  t.db.database.prisma.item.findFirstOrThrow({ where: { name: { startsWith: 'A' } }, include: { images: true } })

describe('A dataset', () => {
  const before = {
    ...{ visibility: 'paid', accessTier: 'gold', description: 'Old' },
    ...{ license: 'CC0-1.0', publisher: 'Old', contact: 'a@example.org', termsUrl: 'https://example.org/terms' },
    ...{ sourceUrl: 'https://example.org/data', sourceDate: '2026-01-31', updateFrequency: 'daily' },
  }

  test.each([
    ['name', 'New'],
    ['description', 'New'],
    ['description', null],
    ['status', 'archived'],
    ['visibility', 'restricted'],
    ['accessTier', 'silver'],
    ['accessTier', null],
    ['attribution', 'New'],
    ['license', 'ODbL-1.0'],
    ['publisher', 'New'],
    ['contact', null],
    ['termsUrl', 'https://example.org/new'],
    ['sourceUrl', null],
    ['sourceDate', '2026-02-28'],
    ['updateFrequency', 'New'],
  ])('whose %s becomes %j alone is updated', async (field, value) => {
    await t.importer.run(file(row()), { dataset: before, now: FIRST })
    await t.importer.run(file(row()), { dataset: { ...before, [field]: value }, now: SECOND })
    expect(await dataset()).toMatchObject({ [field]: value, createdAt: FIRST, updatedAt: SECOND })
  })

  test('without a change keeps its times and its revision', async () => {
    await t.importer.run(file(row()), { dataset: before, now: FIRST })
    const stored = await dataset()
    await t.importer.run(file(row()), { dataset: before, now: SECOND })
    expect(await dataset()).toEqual(stored)
  })

  test.each(['createdAt', 'updatedAt'] as const)('whose %s is given alone is updated', async (field) => {
    await t.importer.run(file(row()), { dataset: before, now: FIRST })
    const given = new Date('2020-05-05T05:05:05.555Z')
    await t.importer.run(file(row()), { dataset: { ...before, [field]: given }, now: SECOND })
    expect((await dataset())[field]).toEqual(given)
  })
})

describe('An item', () => {
  const given = { createdAt: '2020-01-01T00:00:00Z', updatedAt: '2020-02-01T00:00:00Z' }
  const images = [{ originalUrl: 'one' }]

  test.each<[string, object]>([
    ['createdAt', { createdAt: '2020-01-01T00:00:00.001Z' }],
    ['updatedAt', { updatedAt: '2020-02-01T00:00:00.001Z' }],
    ['email', { email: 'a@example.org' }],
    ['postalCode', { postalCode: '04001' }],
    ['extraAttributes', { extraAttributes: { a: [1] } }],
    ['keywords', { keywords: ['a', 'b'] }],
    ['latitude', { latitude: '37.5000001' }],
    ['images', { images: [{ originalUrl: 'two' }] }],
    ['text of an image', { images: [{ originalUrl: 'one', altText: 'new' }] }],
  ])('whose %s changes alone is updated, and the others stay', async (_field, change) => {
    const other = row({ externalId: 'b', name: 'B', images: [{ originalUrl: 'other' }] })
    await t.importer.run(file(row({ ...given, images }), other), { now: FIRST })
    const others = () =>
      t.db.database.prisma.$queryRaw<unknown[]>`
        SELECT i.xmin::text AS item, p.xmin::text AS image, i.updated_at FROM items i JOIN images p ON p.item_id = i.id WHERE i.name = 'B'`
    const before = await others()
    const summary = await t.importer.run(file(row({ ...given, images, ...change }), other), { now: SECOND })
    expect(summary).toMatchObject({ created: 0, updated: 1, unchanged: 1, removed: 0 })
    expect(await others()).toEqual(before)
    expect((await item()).images).toHaveLength(1)
  })

  test('whose number gets other digits alone is updated, though its value is the same', async () => {
    const files = (number: string) => ({
      'a.ndjson': ndjson(row({ extraAttributes: { a: 0 } })).replace('"a":0', `"a":${number}`),
    })
    await t.importer.run(files('1.5'))
    expect(await t.importer.run(files('1.50'))).toMatchObject({ updated: 1, unchanged: 0 })
    expect(await t.importer.run(files('1.50'))).toMatchObject({ updated: 0, unchanged: 1 })
  })

  test('may lose its parent, and get one that is new, in the import that removes the old one', async () => {
    const child = (more: object) => row({ externalId: 'b', name: 'B', ...more })
    await t.importer.run(file(row(), child({ parentExternalId: 'a' })))
    const summary = await t.importer.run(file(child({ parentExternalId: 'c' }), row({ externalId: 'c', name: 'C' })))
    expect(summary).toMatchObject({ created: 1, updated: 1, removed: 1 })
    const [b, c] = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
    expect([b?.parentItemId, c?.parentItemId]).toEqual([c?.id, null])
  })
})
