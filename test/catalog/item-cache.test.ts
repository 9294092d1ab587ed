import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { ItemCache } from '../../src/catalog/sql/item-cache.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'
import { createFeed } from '../support/changes.ts'

const t = useApp()

/** What a cache knows of each lookup after one of them has stored a value. */
function open() {
  const { feed, notify } = createFeed()
  const cache = new ItemCache<number>(feed, { limit: 100 })
  const known = (...lookup: Parameters<typeof cache.lookup>) => cache.lookup(...lookup).value
  return { cache, known, notify }
}

test('a value is known only for the same datasets and the same question', () => {
  const { cache, known } = open()
  cache.lookup(['a', 'b'], { text: 'x' }).store(7)
  expect(known(['a', 'b'], { text: 'x' })).toBe(7)
  for (const other of [[], ['a'], ['b'], ['a', 'c'], ['b', 'a'], ['a', 'b', 'c'], ['a,b']]) {
    expect([other, known(other, { text: 'x' })]).toEqual([other, undefined])
  }
  expect(known(['a', 'b'], { text: 'y' })).toBeUndefined()
  expect(known(['a', 'b'], { text: 'x' }, (value) => value > 7)).toBeUndefined()
})

test.each(['a', 'b'])('a change of any of the datasets ends a value: %s', (id) => {
  const { cache, known, notify } = open()
  cache.lookup(['a', 'b'], 'x').store(7)
  notify('dataset c')
  expect(known(['a', 'b'], 'x')).toBe(7)
  notify(`dataset ${id}`)
  expect(known(['a', 'b'], 'x')).toBeUndefined()
})

test('the kept total of a text counts only items that the key may access, whoever asked first', async () => {
  const { key: granted } = await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })
  const places = [DATASET.seoul, DATASET.restricted, DATASET.restricted].map((datasetId) =>
    newPlace({ datasetId, name: 'Observatory' }),
  )
  await t.database.prisma.item.createMany({ data: places })
  await t.hearChanges()
  const count = async (key: string, form: string) =>
    (await t.graphql(`{ searchItems(text: "observatory" ${form}) { total } }`, {}, key)).body.data.searchItems.total
  // An answer of another form is not a cached response.
  for (const [n, key] of [granted, t.key, granted, t.key].entries()) {
    expect([n, await count(key, `page: ${n + 1}`)]).toEqual([n, key === granted ? 3 : 1])
  }
})
