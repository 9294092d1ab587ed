import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM } from '../support/catalog.ts'

/* How long a door takes says nothing about the content of a hidden item: PostgreSQL does not read it. */

const t = useApp()

const call = (name: string, args: object) =>
  fetch(`${t.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${t.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })

const DOORS: Record<string, () => Promise<unknown>> = {
  'a REST item': () => t.get(`/v1/dataset-items/${ITEM.paid}`),
  'a tool call': () => call('getItem', { itemId: ITEM.paid }),
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
