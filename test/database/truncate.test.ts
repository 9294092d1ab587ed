import { expect, inject, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { decodeTile, totalOf } from '../support/tiles.ts'

/*
 * Readers during TRUNCATE and recount_items(). Each response shows all items with all counts, or none of both.
 */

/** More than a map tile shows one by one. */
const ITEMS = 1_200
const ROUNDS = 6
/** Readers of each kind. The embedded database runs one statement at a time, so more of them would only wait. */
const READERS = inject('template').kind === 'postgres' ? 2 : 1

const t = useApp()

const FILL = `
  INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  SELECT gen_random_uuid(), '${DATASET.seoul}', 'Place ' || n, 'a', 'c', 37 + n / 10000.0, 127 + n / 10000.0, now(), now()
    FROM generate_series(1, ${ITEMS}) AS n`
const WRITES = [
  'TRUNCATE items CASCADE',
  FILL,
  'SELECT recount_items()',
  `BEGIN; TRUNCATE items CASCADE; ${FILL}; COMMIT`,
]

const QUERY = `{ dataset(id: "seoul") {
  items { total nodes { name images { altText } } } itemConnection { totalCount edges { node { name } } } categories { total }
  nearbyItems(latitude: 37, longitude: 127, radius: 50000) { total nodes { item { name } } }
  searchItems(text: "place") { total nodes { name } } } }`
const PAGE = 20

/** The number of items that each part of a response shows. A page that is full shows all. */
const READS: Readonly<Record<string, () => Promise<number[]>>> = {
  list: async () => {
    const { data, meta } = await expectOk(await t.get('/v1/datasets/seoul/items')).json()
    return [meta.total, shown(data)]
  },
  nearby: async () => {
    const path = '/v1/dataset-items/nearby?latitude=37&longitude=127&radius=50000&datasetId=seoul'
    const { data, meta } = await expectOk(await t.get(path)).json()
    return [meta.total, shown(data)]
  },
  tile: async () => {
    const tile = await expectOk(await t.get('/tiles/seoul/0/0/0.mvt')).arrayBuffer()
    return [totalOf(decodeTile(tile, { z: 0, x: 0, y: 0 }))]
  },
  operation: async () => {
    const { status, body } = await t.graphql(QUERY)
    expect([status, body.errors]).toEqual([200, undefined])
    const { items, itemConnection, categories, nearbyItems, searchItems } = body.data.dataset
    return [
      ...[items, nearbyItems, searchItems].flatMap(({ total, nodes }) => [total, shown(nodes)]),
      ...[itemConnection.totalCount, shown(itemConnection.edges)],
      categories.reduce((sum: number, { total }: { total: number }) => sum + total, 0),
    ]
  },
}

const shown = ({ length }: readonly unknown[]) => (length === PAGE ? ITEMS : length)

function expectOk(response: Response): Response {
  expect(response.status).toBe(200)
  return response
}

test('show one state of items and counts, and no error', async () => {
  await t.database.withSession(async (session) => {
    await session.query('TRUNCATE items CASCADE')
    // The first statement of a kind is slow on the embedded database: it compiles WebAssembly. Eight of them at once would time out.
    for (const read of Object.values(READS)) await read()
    let isWriting = true
    const seen = new Set<string>()
    const readers = Object.entries(READS).flatMap(([name, read]) =>
      Array.from({ length: READERS }, async () => {
        while (isWriting) seen.add([name, ...new Set(await read())].join())
      }),
    )
    const writer = (async () => {
      for (let round = 0; round < ROUNDS; round += 1) for (const write of WRITES) await session.query(write)
      isWriting = false
    })()
    await Promise.all([writer.finally(() => (isWriting = false)), ...readers])
    const states = Object.keys(READS).flatMap((name) => [`${name},0`, `${name},${ITEMS}`])
    expect([...seen].filter((state) => !states.includes(state))).toEqual([])
  })
})
