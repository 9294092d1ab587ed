import { expect, test } from 'vitest'
import { createTools } from '../../src/api/mcp/tools.ts'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { ITEM_SORTS } from '../../src/catalog/sorts.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { callTool, connect } from './client.ts'

/*
 * A trusted document is a tool if its operation has a name and a description.
 */

const CODES = `"""The codes of a dataset, with the number of items of each."""
query codesOf($slug: ID!, "How many parents to show." $limit: Int = 2, $sort: ItemSort! = CREATED_AT) {
  dataset(id: $slug) { status categories { code total } items(limit: $limit, sort: $sort) { nodes { ...Name } } }
}
fragment Name on Item { name }`

const THINGS = '"""Records by id.""" query recordsById($ids: [ID!]!) { nodes(ids: $ids) { id } }'

const DOCUMENTS = new Map([
  ['codes', CODES],
  ['things', THINGS],
  ['nameless', '"""No name.""" query { datasets { total } }'],
  ['undescribed', 'query undescribed { datasets { total } }'],
  ['two', '"""A.""" query a { datasets { total } } """B.""" query b { datasets { total } }'],
  ['old', '"""Old.""" query datasetNames { datasets { total } }'],
  ['new', '"""New.""" query datasetNames { datasets { nodes { name } } }'],
])

const t = useApp({ trustedDocuments: DOCUMENTS })

test('only documents of one operation with a name and a description are tools; the last one with a name counts', async () => {
  const client = await connect(t.url, t.key)
  const { tools } = await client.listTools()
  expect(
    tools
      .slice(REST_ROUTES.filter(({ tag }) => tag !== 'Key').length + 1)
      .map(({ name, description }) => [name, description]),
  ).toEqual([
    ['codesOf', 'The codes of a dataset, with the number of items of each.'],
    ['recordsById', 'Records by id.'],
    ['datasetNames', 'New.'],
  ])
  await client.close()
})

test('the variables are the parameters, with their own descriptions and defaults or those of the schema', async () => {
  const tool = createTools(DOCUMENTS).get('codesOf')
  expect(tool?.definition.inputSchema).toEqual({
    type: 'object',
    properties: {
      slug: { type: 'string', description: 'UUID, in any letter case, or slug.' },
      limit: { type: 'integer', description: 'How many parents to show.', default: 2 },
      sort: {
        type: 'string',
        enum: [...ITEM_SORTS].sort(),
        description: 'Sort key.',
        default: 'createdAt',
      },
    },
    required: ['slug'],
    additionalProperties: false,
  })
})

test('the answer is the data that /graphql returns', async () => {
  const variables = { slug: 'seoul', limit: 1, sort: 'NAME' }
  const { body } = await t.graphql(CODES, variables)
  const { structuredContent } = await callTool(t.url, t.key, 'codesOf', { ...variables, sort: 'name' })
  expect(structuredContent).toEqual(body)
  const { structuredContent: byDefault } = await callTool(t.url, t.key, 'codesOf', { slug: DATASET.seoul })
  expect(byDefault.data.dataset.items.nodes).toHaveLength(2)
})

test('a variable that is a list is a list of JSON', async () => {
  const tool = createTools(DOCUMENTS).get('recordsById')
  expect(tool?.definition.inputSchema.properties.ids).toMatchObject({ type: 'array', items: { type: 'string' } })
  const { structuredContent } = await callTool(t.url, t.key, 'recordsById', { ids: [DATASET.seoul, DATASET.draft] })
  expect(structuredContent).toEqual({ data: { nodes: [{ id: DATASET.seoul }, null] } })
  const bad = await callTool(t.url, t.key, 'recordsById', { ids: [DATASET.seoul, 7, null] })
  expect(bad._meta?.error.details).toEqual([
    { field: 'ids.1', message: 'must be text' },
    { field: 'ids.2', message: 'must not be null' },
  ])
  const single = await callTool(t.url, t.key, 'recordsById', { ids: DATASET.seoul })
  expect(single._meta?.error.message).toBe('ids must be a list')
})

test('errors have the codes of the other tools', async () => {
  const codeOf = async (given: object) => {
    const { isError, _meta } = await callTool(t.url, t.key, 'codesOf', given)
    return [isError, _meta?.error.code, _meta?.error.message]
  }
  expect(await codeOf({ slug: 'nowhere' })).toEqual([true, 'NOT_FOUND', 'The dataset does not exist'])
  expect(await codeOf({ slug: 'draft' })).toEqual([true, 'DATASET_ACCESS_DENIED', expect.any(String)])
  expect(await codeOf({ slug: 'seoul', limit: 0 })).toEqual([true, 'VALIDATION_FAILED', 'limit must be at least 1'])
  expect(await codeOf({ slug: 'seoul', sort: 'size' })).toEqual([
    true,
    'VALIDATION_FAILED',
    expect.stringMatching(/^sort must/),
  ])
  // Null is the same as nothing, so the default counts.
  expect(await codeOf({ slug: 'seoul', sort: null })).toEqual([undefined, undefined, undefined])
  expect(await codeOf({})).toEqual([true, 'VALIDATION_FAILED', 'slug is required'])
})

test('a document with the name of another tool stops the start', () => {
  const trusted = new Map([['x', '"""Mine.""" query listItems { datasets { total } }']])
  expect(() => createTools(trusted)).toThrow(/TRUSTED_DOCUMENTS .* listItems/)
})
