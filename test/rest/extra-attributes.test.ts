import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { createImporter, type Importer } from '../support/import.ts'

const t = useApp()
let importer: Importer
let datasetId: string
let itemId: string
beforeAll(async () => {
  importer = await createImporter(t.database)
  const summary = await importer.run({
    'a.ndjson': `{"externalId":9007199254740993,"name":"A","administrativeAreaCode":"11","categoryCode":"x","latitude":1,"longitude":2,"extraAttributes":${ATTRIBUTES}}\n`,
  })
  datasetId = summary.datasetId
  itemId = (await t.database.prisma.item.findFirstOrThrow({ where: { datasetId } })).id
})
afterAll(async () => {
  await importer.close()
})

/** In the key order of PostgreSQL: short keys first, then by bytes. JavaScript would put `10` before `a`. */
const ATTRIBUTES =
  '{"a":1,"10":2,"n":12345678901234567890,"pi":3.14159265358979323846264338327950288,"list":[9007199254740993,{"b":-0.12345678901234567891}],"toString":2,"__proto__":{"constructor":12345678901234567890},"constructor":1}'

/** The JSON text of the first `extraAttributes` in a response. */
async function attributesIn(response: Response): Promise<string | undefined> {
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(() => JSON.parse(text)).not.toThrow()
  const start = text.indexOf('"extraAttributes":') + '"extraAttributes":'.length
  return text.slice(start, start + stored.length)
}

/** `n` stands before `10`, because it is shorter. */
const stored = ATTRIBUTES.replace('"a":1,"10":2,"n":12345678901234567890,', '"a":1,"n":12345678901234567890,"10":2,')

test('REST gives the attributes of an item as they were imported', async () => {
  expect(await attributesIn(await t.get(`/v1/dataset-items/${itemId}`))).toBe(stored)
})

describe('GraphQL gives the attributes of an item as they were imported', () => {
  const post = (query: string) =>
    fetch(`${t.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })

  test.each([
    ['by id', () => `{ item(id: "${itemId}") { extraAttributes } }`],
    ['by node', () => `{ node(id: "${itemId}") { ... on Item { extraAttributes } } }`],
    ['in a page', () => `{ dataset(id: "${datasetId}") { items { nodes { name extraAttributes } } } }`],
    [
      'in a connection',
      () => `{ dataset(id: "${datasetId}") { itemConnection(first: 1) { nodes { extraAttributes } } } }`,
    ],
    [
      'in a search',
      () =>
        `{ dataset(id: "${datasetId}") { nearbyItems(latitude: 1, longitude: 2) { nodes { item { extraAttributes } } } } }`,
    ],
  ])('%s', async (_path, query) => {
    expect(await attributesIn(await post(query()))).toBe(stored)
  })

  test('twice under aliases, beside a page that PostgreSQL writes', async () => {
    const response = await post(
      `{ dataset(id: "${datasetId}") { items { nodes { name } } } one: item(id: "${itemId}") { x: extraAttributes y: extraAttributes } }`,
    )
    expect((await response.text()).replaceAll(' ', '')).toBe(
      `{"data":{"dataset":{"items":{"nodes":[{"name":"A"}]}},"one":{"x":${stored},"y":${stored}}}}`,
    )
  })
})
