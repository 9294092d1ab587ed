import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'

const t = useApp()
let importer: Importer
beforeAll(async () => {
  importer = await createImporter(t.database)
})
afterAll(async () => {
  await importer.close()
})

const COUNTS = { red: 30, green: 70 } as const

/** All items have the same colour, and each colour has a different number of items. */
const load = (colour: keyof typeof COUNTS) =>
  importer.run({
    'a.ndjson': ndjson(
      ...Array.from({ length: COUNTS[colour] }, (_, n) =>
        row({
          externalId: String(n),
          name: colour,
          images: [{ originalUrl: colour }],
          parentExternalId: n === 0 ? null : '0',
        }),
      ),
    ),
  })

test('a response shows one state of the database during imports, also if it takes several statements', async () => {
  await load('red')
  let isLoading = true
  const seen = new Set<string>()
  const ask = async () => {
    while (isLoading) {
      const { body } = await t.graphql(
        '{ dataset(id: "places") { items(limit: 100) { total nodes { name parent { name } images { originalUrl } } } itemConnection { totalCount } } }',
      )
      const { items, itemConnection } = body.data.dataset
      const colours = new Set<string>()
      for (const { name, parent, images } of items.nodes) {
        for (const colour of [name, parent?.name ?? name, images[0].originalUrl]) colours.add(colour)
      }
      seen.add([...colours, items.total, items.nodes.length, itemConnection.totalCount].join())
    }
  }
  const list = async () => {
    while (isLoading) {
      const { data, meta } = await (await t.get('/v1/datasets/places/items?limit=100')).json()
      seen.add([...new Set(data.map(({ name }: { name: string }) => name)), meta.total, data.length, meta.total].join())
    }
  }
  const readers = [ask(), ask(), list(), list()]
  for (let round = 0; round < 8; round += 1) await load(round % 2 === 0 ? 'green' : 'red')
  isLoading = false
  await Promise.all(readers)
  expect([...seen].sort()).toEqual(['green,70,70,70', 'red,30,30,30'])
})
