import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM, newPlace } from '../support/catalog.ts'

/* How long a door takes says nothing about the content of a hidden item: PostgreSQL does not read it. */

const t = useApp()

const DOORS: Record<string, () => Promise<unknown>> = {
  'a REST item': () => t.get(`/v1/dataset-items/${ITEM.paid}`),
  'a tool call': () => callTool(t.url, t.key, 'getItem', { itemId: ITEM.paid }),
  'an item as JSON of PostgreSQL': () => t.graphql(`{ item(id: "${ITEM.paid}") { name extraAttributes } }`),
  'an item with its parent and children': () =>
    t.graphql(`{ item(id: "${ITEM.paid}") { a: name parent { name } children { nodes { name } } } }`),
  'a node that is an item': () => t.graphql(`{ node(id: "${ITEM.paid}") { id ... on Item { name } } }`),
  'a node that is an image': () => t.graphql(`{ node(id: "${IMAGE.restricted}") { id ... on Image { originalUrl } } }`),
  'the features of a hidden collection': () => t.get(`/ogc/collections/${DATASET.paid}/items/${ITEM.paid}`),
  'a feature of another collection': () => t.get(`/ogc/collections/seoul/items/${ITEM.paid}`),
}

test('an item or image that one key has read is hidden from another key afterwards too', async () => {
  const { key } = await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })
  const node = (id: string, query: string) => ({
    method: 'POST',
    body: JSON.stringify({ query: query.replace('ID', id) }),
  })
  const ask = async (path: string, init: RequestInit, secret: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    return (await fetch(`${t.url}${path}`, { headers, ...init })).text()
  }
  const requests = [
    [`/v1/dataset-items/${ITEM.restricted}`, {}],
    ['/graphql', node(ITEM.restricted, '{ node(id: "ID") { __typename } }')],
    ['/graphql', node(IMAGE.restricted, '{ node(id: "ID") { __typename } }')],
  ] as const
  for (const [path, init] of requests) {
    const read = await ask(path, init, key)
    expect(read).toMatch(/"data":\{("id"|"node":\{)/)
    expect(await ask(path, init, key)).toBe(read)
    expect(await ask(path, init, t.key)).toMatch(/DATASET_ACCESS_DENIED|"node":null/)
  }
})

test.each(Object.entries(DOORS))('%s does not read the content', async (_what, ask) => {
  t.statements.length = 0
  await ask()
  const readers = t.statements.filter((sql) => /FROM (items|images)\b/.test(sql))
  for (const sql of readers) expect(sql).toMatch(/CASE WHEN i\.dataset_id = ANY|WHERE i\.dataset_id = \$/)
})

/* No door that takes a text finds an item that the key may not access, however the text names it. */

const NAME = 'Zanzibar Observatory'
const HIDDEN = '99999999-0000-4000-8000-000000000001'

let granted: string
beforeAll(async () => {
  granted = (await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })).key
  const place = { id: HIDDEN, datasetId: DATASET.restricted, name: NAME, keywords: ['Stargazer'] }
  await t.database.prisma.item.create({ data: newPlace({ ...place, latitude: 10, longitude: 20 }) })
})

const TEXTS = {
  'its whole name': NAME,
  'the beginning of its name': 'Zanzibar Obs',
  'a word of its name': 'observatory',
  'its misspelt name': 'Zanzbar Observatry',
  'its keyword': 'Stargazer',
  'its misspelt keyword': 'Stargazr',
}
const MISSPELT: readonly string[] = [TEXTS['its misspelt name'], TEXTS['its misspelt keyword']]

type Ask = (text: string, key: string) => Promise<string>

const graphql =
  (field: string): Ask =>
  async (text, key) =>
    JSON.stringify((await t.graphql(`query ($text: String!) { ${field} }`, { text }, key)).body)

const path =
  (before: string, after = ''): Ask =>
  async (text, key) =>
    (await t.get(`${before}${encodeURIComponent(text)}${after}`, { authorization: `Bearer ${key}` })).text()

const tool =
  (name: string, given: object = {}): Ask =>
  async (text, key) =>
    JSON.stringify(await callTool(t.url, key, name, { text, ...given }))

const BOX = '{ west: 19, south: 9, east: 21, north: 11 }'
const CIRCLE = 'latitude: 10, longitude: 20, radius: 1000'

const SUGGESTIONS: Record<string, Ask> = {
  'suggestions of GraphQL': graphql('suggestItems(text: $text) { id name }'),
  'suggestions in a box': graphql(`suggestItems(text: $text, within: ${BOX}) { id name }`),
  'suggestions of a category': graphql('suggestItems(text: $text, categoryCode: "c") { id name }'),
  'the tool of suggestions': tool('suggestItems'),
}
const SEARCHES: Record<string, Ask> = {
  'a search of GraphQL': graphql('searchItems(text: $text) { total nodes { id name } }'),
  'a search in a box': graphql(`searchItems(text: $text, within: ${BOX}) { total nodes { id name } }`),
  'a search for one of all forms': graphql('findItems(text: $text) { total nodes { item { id name } } }'),
  'a search in a circle': graphql(`findItems(text: $text, ${CIRCLE}) { total nodes { item { id name } } }`),
  'a search of REST': path('/search?text='),
  'a search of REST in a circle': path('/search?text=', '&latitude=10&longitude=20&radius=1000'),
  'a search of REST in a box': path('/search?text=', '&within=19,9,21,11'),
  'the tool of searches': tool('searchItems'),
  'the tool of searches in a circle': tool('searchItems', { latitude: 10, longitude: 20, radius: 1000 }),
  'a tile': path('/tiles/all/0/0/0.mvt?text='),
  'a tile of a circle': path('/tiles/all/0/0/0.mvt?text=', '&latitude=10&longitude=20&radius=1000'),
}

test.each(Object.entries({ ...SUGGESTIONS, ...SEARCHES }))('%s does not find a hidden item', async (door, ask) => {
  for (const [how, text] of Object.entries(TEXTS)) {
    const hidden = await ask(text, t.key)
    expect(hidden, how).not.toContain(HIDDEN)
    expect(hidden, how).not.toContain(NAME)
    const isFound = door in SUGGESTIONS || !MISSPELT.includes(text)
    expect((await ask(text, granted)).includes(HIDDEN), how).toBe(isFound)
  }
})
