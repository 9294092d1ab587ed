import { expect, test } from 'vitest'
import { ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

test('keywords that change alone move the times of the item and of the dataset, and the revision', async () => {
  const stored = () => t.db.database.prisma.dataset.findFirstOrThrow({ include: { items: true } })
  await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: ['a'] })) }, { now: new Date('2026-01-01T00:00:00Z') })
  const before = await stored()
  const later = new Date('2026-02-01T00:00:00Z')
  const summary = await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: ['a', 'b'] })) }, { now: later })
  expect(summary).toMatchObject({ updated: 1, unchanged: 0 })
  const after = await stored()
  expect([after.updatedAt, after.items[0]?.updatedAt]).toEqual([later, later])
  expect(after.revision).toBeGreaterThan(before.revision)
  expect(await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: 'b;a' })) })).toMatchObject({ updated: 1 })
  expect(await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: 'b;a' })) })).toMatchObject({ updated: 0 })
})

test('the database stores no keyword that is null, and no list of lists', async () => {
  await t.importer.run({ 'a.ndjson': ndjson(row()) })
  const set = (list: string) =>
    t.db.database.withSession((session) => session.query('UPDATE items SET keywords = $1::text[]', [list]))
  await expect(set('{a,NULL}')).rejects.toThrow('items_keywords_are_a_list')
  await expect(set('{{a},{b}}')).rejects.toThrow('items_keywords_are_a_list')
})
