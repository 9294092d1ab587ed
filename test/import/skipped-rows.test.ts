import { describe, expect, test } from 'vitest'
import { ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()
const skipInvalid = { skipInvalid: true }
const items = () =>
  t.db.database.prisma.item.findMany({
    select: { externalId: true, name: true, parentItemId: true, updatedAt: true },
    orderBy: { name: 'asc' },
  })
const file = (...rows: object[]) => ({ 'a.ndjson': ndjson(...rows) })
const one = (externalId: string, more: object = {}) => row({ externalId, name: externalId, ...more })
const childOf = (parentExternalId: string, externalId: string, more: object = {}) =>
  one(externalId, { parentExternalId, ...more })

describe('An item whose row is bad', () => {
  test('stays as it was, and so do its children', async () => {
    const rows = [one('a'), childOf('a', 'b'), childOf('b', 'c'), one('d'), one('e')]
    await t.importer.run(file(...rows))
    const before = await items()
    const changed = [
      one('a', { latitude: 91, url: 'new' }),
      ...[childOf('a', 'b'), childOf('b', 'c', { name: 'changed' }), one('d')],
    ]
    expect(await t.importer.run(file(...changed), skipInvalid)).toMatchObject({
      ...{ created: 0, updated: 1, unchanged: 2, removed: 1, skipped: 1, unidentified: 0 },
    })
    expect(await items()).toEqual([
      ...before.slice(0, 2),
      { ...before[2], name: 'changed', updatedAt: expect.any(Date) },
      before[3],
    ])
  })

  test('is recognised by its id, which the row has in any letter case', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-000000000001'
    await t.importer.run(file(one('a', { id }), one('b')))
    const bad = { id: id.toUpperCase(), name: '' }
    expect(await t.importer.run(file(bad, one('b')), skipInvalid)).toMatchObject({
      unchanged: 1,
      removed: 0,
      skipped: 1,
    })
  })

  test('keeps its ancestors, also if the files lack them', async () => {
    await t.importer.run(file(one('a'), childOf('a', 'b'), childOf('b', 'c'), one('d')))
    expect(await t.importer.run(file(childOf('b', 'c', { longitude: 'x' }), one('e')), skipInvalid)).toMatchObject({
      ...{ created: 1, removed: 1, skipped: 1 },
    })
    expect((await items()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'e'])
  })

  test('can be the parent of a new item', async () => {
    await t.importer.run(file(one('a')))
    await t.importer.run(file(one('a', { name: '' }), childOf('a', 'b')), skipInvalid)
    const [a, b] = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
    expect(b?.parentItemId).toBe(a?.id)
  })

  test('is one that has lost its parent, or whose parents form a cycle', async () => {
    await t.importer.run(file(one('a'), childOf('a', 'b'), one('c')))
    const before = await items()
    const orphan = [one('a'), childOf('nobody', 'b'), one('c')]
    expect(await t.importer.run(file(...orphan), skipInvalid)).toMatchObject({ removed: 0, skipped: 1 })
    const cycle = [childOf('b', 'a'), childOf('a', 'b'), one('c')]
    expect(await t.importer.run(file(...cycle), skipInvalid)).toMatchObject({ removed: 0, skipped: 2 })
    // b stays below a, because its row is bad.
    const hidden = [childOf('b', 'a'), one('b', { name: '' }), one('c')]
    expect(await t.importer.run(file(...hidden), skipInvalid)).toMatchObject({ removed: 0, skipped: 2 })
    expect(await items()).toEqual(before)
  })

  test('keeps its externalId, so another row that takes it is bad too', async () => {
    const ids = [1, 2, 3].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`)
    const [first, second, third] = ids
    await t.importer.run(file(one('a', { id: first }), one('b', { id: second }), one('c', { id: third })))
    const before = await items()
    // Each of three items takes the externalId of the next one.
    const turned = [one('c', { id: first }), one('a', { id: second }), one('b', { id: third, latitude: 91 })]
    expect(await t.importer.run(file(...turned), skipInvalid)).toMatchObject({ updated: 0, removed: 0, skipped: 3 })
    expect(await items()).toEqual(before)
  })
})

describe('A bad row that names no item', () => {
  test.each<[string, Record<string, string>]>([
    ['is not JSON', { 'a.ndjson': `${ndjson(one('a'))}{"externalId": "b"\n` }],
    ['has neither an id nor an externalId', file(one('a'), one('', { latitude: 91 }))],
  ])('%s: nothing is removed', async (_what, files) => {
    await t.importer.run(file(one('a'), one('b'), one('c')))
    expect(await t.importer.run(files, skipInvalid)).toMatchObject({ removed: 0, skipped: 1, unidentified: 1 })
    expect(await t.db.database.prisma.item.count()).toBe(3)
  })
})

describe('A bad row of which one half of the identity is damaged names no item, so nothing is removed:', () => {
  const idOf = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`
  const columns = Object.fromEntries(['id', ...Object.keys(one(''))].map((field) => [field, field]))
  test.each([
    [
      'the id, and the file is the first with an externalId',
      { id: idOf(1) },
      { id: idOf(1).slice(0, -1), externalId: 'a' },
    ],
    [
      'the externalId, and the file is the first with an id',
      { externalId: 'a' },
      { id: idOf(1), externalId: 'a'.repeat(501) },
    ],
  ])('%s', async (_what, stored, damaged) => {
    const [a, b] = [{ ...one('a'), externalId: undefined, ...stored }, one('b')]
    for (const items of [undefined, [{ file: 'a.ndjson', columns }]]) {
      await t.importer.run(file(a, b, one('c')))
      expect(await t.importer.run(file({ ...a, ...damaged }, b), { ...skipInvalid, items })).toMatchObject({
        ...{ unchanged: 1, removed: 0, skipped: 1, unidentified: 1 },
      })
    }
  })
})

describe('The parent of a good row is never a bad row, if another item has its externalId:', () => {
  const [id1, id2, id3] = [1, 2, 3].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`)
  const child = childOf('x', 'child')
  const parentOfChild = async () => (await items()).find(({ name }) => name === 'child')?.parentItemId

  test.each([
    ['the first of two rows', [one('x', { id: id1 }), one('x', { id: id2 }), child], id1],
    [
      'the second one, if the first repeats an id',
      [one('a', { id: id1 }), one('x', { id: id1 }), one('x', { id: id2 }), child],
      id2,
    ],
  ])('%s', async (_what, rows, parent) => {
    expect(await t.importer.run(file(...rows), skipInvalid)).toMatchObject({ skipped: 1 })
    expect(await parentOfChild()).toBe(parent)
  })

  test('the stored item, which stays because of the bad row', async () => {
    await t.importer.run(file(one('other', { id: id3 })), { dataset: { slug: 'other' } })
    await t.importer.run(file(one('x', { id: id1 }), one('b')))
    const rows = [one('x', { id: id3 }), one('b'), child]
    expect(await t.importer.run(file(...rows), skipInvalid)).toMatchObject({ created: 1, removed: 0, skipped: 1 })
    expect(await parentOfChild()).toBe(id1)
  })

  test('none, if its row has lost its own parent', async () => {
    const rows = [childOf('nobody', 'x'), child, childOf('child', 'c'), one('d')]
    expect(await t.importer.run(file(...rows), skipInvalid)).toMatchObject({ created: 1, skipped: 3 })
    expect((await items()).map(({ name }) => name)).toEqual(['d'])
  })
})

test('columns of a manifest name the item of a row whose other columns are bad', async () => {
  const columns = {
    ...{ externalId: { template: '{no}-x' }, name: 'no', latitude: 'lat', longitude: { value: '127' } },
    ...{ administrativeAreaCode: { value: 'x' }, categoryCode: { value: 'y' } },
    extraAttributes: [{ column: 'lat', type: 'number' }],
  }
  const load = (content: string) =>
    t.importer.run({ 'n.csv': content }, { items: [{ file: 'n.csv', columns }], ...skipInvalid })
  await load('no,lat\n1,37\n2,37\n3,37\n')
  expect(await load('no,lat\n1,high\n2,37\n')).toMatchObject({ unchanged: 1, removed: 1, skipped: 1 })
  expect((await items()).map(({ externalId }) => externalId)).toEqual(['1-x', '2-x'])
})

test('a bad value that is a part of the externalId names no item, so nothing is removed', async () => {
  const columns = {
    ...{ externalId: { template: '{name}|{lat}' }, name: 'name', latitude: 'lat', longitude: { value: '127' } },
    ...{ administrativeAreaCode: { value: '11' }, categoryCode: { value: 'x' } },
  }
  const items = [{ file: 'a.csv', columns }]
  await t.importer.run({ 'a.csv': 'name,lat\nA,37\nB,38\n' }, { items })
  const changed = { 'a.csv': 'name,lat\nA,370\nB,38\n' }
  expect(await t.importer.run(changed, { items, ...skipInvalid })).toMatchObject({
    ...{ unchanged: 1, removed: 0, skipped: 1, unidentified: 1 },
  })
})
