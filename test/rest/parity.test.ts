import { expect, test } from 'vitest'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { ITEM_FILTERS } from '../../src/catalog/filters.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { ITEM, PALACE } from '../support/catalog.ts'

const t = useApp()

/** An example of each route: its path, and the variables that say the same. */
const EXAMPLES: Record<string, [string, Record<string, unknown>]> = {
  '/v1/datasets': ['/v1/datasets', {}],
  '/v1/datasets/:datasetId(.+)': ['/v1/datasets/seoul', { datasetId: 'seoul' }],
  '/v1/datasets/:datasetId(.+)/items': [
    '/v1/datasets/seoul/items?sort=createdAt&order=desc&limit=3&page=2&parentItemId=null',
    { datasetId: 'seoul', sort: 'CREATED_AT', order: 'DESC', limit: 3, page: 2, parentItemId: null },
  ],
  '/v1/dataset-items/nearby': [
    '/v1/dataset-items/nearby?latitude=37.57&longitude=126.97&radius=5000.5&datasetId=seoul',
    { latitude: 37.57, longitude: 126.97, radius: 5000.5, datasetId: 'seoul' },
  ],
  '/key': ['/key?days=7', { days: 7 }],
  '/search': [
    '/search?text=gw&within=126,37,128,38&latitude=37.57&longitude=126.97&radius=5000.5&datasetId=seoul&limit=5',
    {
      ...{ text: 'gw', within: { west: 126, south: 37, east: 128, north: 38 } },
      ...{ latitude: 37.57, longitude: 126.97, radius: 5000.5, datasetId: 'seoul', limit: 5 },
    },
  ],
  '/v1/dataset-items/:itemId(.+)': [`/v1/dataset-items/${ITEM.palace}`, { itemId: ITEM.palace }],
}

test.each([...REST_ROUTES])('$path gives the same data as its operation on /graphql', async (route) => {
  const example = EXAMPLES[route.path]
  if (!example) throw new Error(`Add an example of ${route.path} to EXAMPLES in test/rest/parity.test.ts`)
  const [path, variables] = example
  const rest = await (await t.get(path)).json()
  const { body } = await t.graphql(route.operation, variables)
  const resource = route.resource.reduce((value, member) => value[member], body.data)
  expect(rest).toEqual(JSON.parse(JSON.stringify(route.envelope(resource))))
})

test.each(ITEM_FILTERS)(
  '%s selects the same items in the tool, on /graphql, and at /v1 if it has the filter',
  async (filter) => {
    const given = { datasetId: 'seoul', [filter]: `${PALACE[filter]}` }
    const list = REST_ROUTES.find(({ name }) => name === 'listItems')
    const { body } = await t.graphql(list?.operation ?? '', given)
    const { structuredContent } = await callTool(t.url, t.key, 'listItems', given)
    expect(structuredContent.data).toEqual(body.data.dataset.items.nodes)
    expect(structuredContent.data.map(({ id }: { id: string }) => id)).toContain(ITEM.palace)
    expect(structuredContent.meta.total).toBeLessThan(9)
    const rest = await (
      await t.get(`/v1/datasets/seoul/items?${new URLSearchParams({ [filter]: given[filter] ?? '' })}`)
    ).json()
    const { total } = Object.hasOwn(list?.query.shape ?? {}, filter) ? structuredContent.meta : { total: 9 }
    expect(rest.meta.total).toBe(total)
  },
)
