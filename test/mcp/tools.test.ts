import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolError } from '../../src/api/mcp/errors.ts'
import { createTools } from '../../src/api/mcp/tools.ts'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { CatalogError } from '../../src/errors/errors.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { callOf, callTool, connect, type Era, post } from './client.ts'

/*
 * The tools of /mcp: their answers are those of REST.
 */

const t = useApp()

/** The routes with data, which are tools too. */
const ROUTES = REST_ROUTES.filter(({ tag }) => tag !== 'Key')

const ITEMS = '/v1/datasets/seoul/items'
const NEARBY = '/v1/dataset-items/nearby'
const AT = { latitude: 37.58, longitude: 126.977 }
const BOX = { west: 126, south: 37, east: 128, north: 38 }

/** Each tool with arguments, and the REST request with the same answer: its path, and the parameters that are not the arguments. */
const CALLS: [string, Record<string, unknown>, string, Record<string, string>?][] = [
  ['listDatasets', {}, '/v1/datasets'],
  ['getDataset', { datasetId: 'seoul' }, '/v1/datasets/seoul'],
  ['getDataset', { datasetId: DATASET.archived.toUpperCase() }, `/v1/datasets/${DATASET.archived}`],
  ['listItems', { datasetId: 'seoul' }, ITEMS],
  ['listItems', { datasetId: 'seoul', page: 2, limit: 3, sort: 'createdAt', order: 'desc' }, ITEMS],
  [
    'listItems',
    { datasetId: 'seoul', categoryCode: 'twin', administrativeAreaCode: '11680', sort: 'updatedAt' },
    ITEMS,
  ],
  ['listItems', { datasetId: 'seoul', parentItemId: ITEM.palace }, ITEMS],
  ['listItems', { datasetId: 'seoul', parentItemId: null }, ITEMS, { parentItemId: '' }],
  ['listItems', { datasetId: 'seoul', rootItemsOnly: true }, ITEMS, { rootItemsOnly: '', parentItemId: 'null' }],
  ['listItems', { datasetId: 'seoul', rootItemsOnly: false, parentItemId: ITEM.palace }, ITEMS, { rootItemsOnly: '' }],
  ['listItems', { datasetId: 'seoul', categoryCode: null, page: null }, ITEMS, { categoryCode: '', page: '' }],
  ['findNearbyItems', AT, NEARBY],
  ['findNearbyItems', { ...AT, latitude: 1e-7, radius: 50_000, datasetId: 'seoul' }, NEARBY, { latitude: '0.0000001' }],
  ['searchItems', { text: 'gwang' }, '/search'],
  ['searchItems', { within: BOX, categoryCode: 'twin' }, '/search', { within: Object.values(BOX).join() }],
  // Some agents write objects, numbers and truth values as JSON text.
  ['searchItems', { within: JSON.stringify(BOX), limit: '2' }, '/search', { within: Object.values(BOX).join() }],
  [
    'findNearbyItems',
    { latitude: '37.5', longitude: ' 127 ', radius: '5e4', geojson: 'false' },
    NEARBY,
    { longitude: '127', radius: '50000', geojson: '' },
  ],
  ['searchItems', { ...AT, text: 'gung', radius: 5000 }, '/search'],
  ['getItem', { itemId: ITEM.palace }, `/v1/dataset-items/${ITEM.palace}`],
]

describe.each<Era>(['2025-11-25', '2026-07-28'])('To a client of the revision %s', (era) => {
  test.each(CALLS)('%s %j answers as REST does', async (name, given, path, written = {}) => {
    const query = new URLSearchParams(Object.entries({ ...given, ...written }).map(([key, value]) => [key, `${value}`]))
    for (const [key, value] of [...query]) if (value === '' || path.includes(value)) query.delete(key)
    const body = await (await t.get(`${path}?${query}`)).text()
    const client = await connect(t.url, t.key, era)
    // The second answer comes from the response cache.
    for (let n = 0; n < 2; n += 1) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
      expect(isError).toBeUndefined()
      expect(content.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: body }])
      expect(structuredContent).toEqual(JSON.parse(body))
    }
    await client.close()
  })
})

test.each(CALLS)('%s %j answers the same with null for each other argument, and as JSON text', async (name, given) => {
  const { inputSchema } = createTools().get(name)?.definition ?? {}
  const unset = Object.keys(inputSchema?.properties ?? {}).filter((argument) => !(argument in given))
  const { structuredContent } = await callTool(t.url, t.key, name, given)
  const nulls = Object.fromEntries(unset.map((argument) => [argument, null]))
  expect((await callTool(t.url, t.key, name, { ...nulls, ...given })).structuredContent).toEqual(structuredContent)
  // Text is text, also the word null.
  const isText = (argument: string) => inputSchema?.properties[argument]?.type === 'string'
  const texts = Object.entries({ ...nulls, ...given }).map(([argument, value]) => [
    argument,
    isText(argument) || typeof value === 'string' ? value : JSON.stringify(value),
  ])
  expect((await callTool(t.url, t.key, name, Object.fromEntries(texts))).structuredContent).toEqual(structuredContent)
})

test('there is a tool for each REST route with data, and each tool is called by these tests', () => {
  const names = [...createTools().keys()]
  expect(names).toEqual([...ROUTES.map(({ name }) => name), 'suggestItems'])
  expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(ROUTES.map(({ name }) => name)))
})

test('the arguments of each tool are in the part of JSON Schema that the models of Anthropic, Google and OpenAI all take', () => {
  const document =
    '"""A.""" query children($of: ID, $ids: [ID], $in: BoundingBox) { dataset(id: "a") { items(parentItemId: $of) { total } } nodes(ids: $ids) { id } searchItems(within: $in) { total } }'
  for (const { definition } of createTools(new Map([['a', document]])).values()) {
    expect(definition.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(definition.inputSchema.type).toBe('object')
    for (const property of Object.values(definition.inputSchema.properties)) checkArgument(property)
  }
  expect(JSON.stringify([...createTools().values()].map(({ definition }) => definition))).not.toMatch(/null/)
})

const argumentSchema = z.strictObject({
  type: z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object']),
  description: z.string().min(1).optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string().min(1)).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false).optional(),
})

function checkArgument(schema: unknown): void {
  const { type, items, properties = {} } = argumentSchema.parse(schema)
  if (type === 'array') checkArgument(items)
  expect(Object.keys(properties).length > 0).toBe(type === 'object')
  for (const property of Object.values(properties)) checkArgument(property)
}

test('listDatasets has pages, each with the cursor of the next one', async () => {
  const more = Array.from({ length: 250 }, (_, n) => ({
    ...({ id: randomUUID(), slug: `many-${n}`, name: `Many ${n}`, status: 'active', visibility: 'public' } as const),
    ...{ attribution: 'Test', createdAt: new Date(0), updatedAt: new Date(0) },
  }))
  await t.database.prisma.dataset.createMany({ data: more })
  await expect.poll(async () => (await (await t.get('/v1/datasets')).json()).meta.total).toBeGreaterThan(250)
  const { data, meta } = await (await t.get('/v1/datasets')).json()
  const pageAfter = async (after?: string) =>
    (await callTool(t.url, t.key, 'listDatasets', { after })).structuredContent
  const pages = [await pageAfter()]
  while (pages.at(-1).meta.endCursor !== undefined) pages.push(await pageAfter(pages.at(-1).meta.endCursor))
  expect(pages.flatMap((page) => page.data)).toEqual(data)
  expect(pages.map((page) => page.data.length)).toEqual([100, 100, meta.total - 200])
  expect(pages.map((page) => page.meta.total)).toEqual([meta.total, meta.total, meta.total])
  await t.database.prisma.dataset.deleteMany({ where: { slug: { startsWith: 'many-' } } })
  const { _meta } = await callTool(t.url, t.key, 'listDatasets', { after: 'x' })
  expect(_meta?.error.details).toEqual([{ field: 'after', message: 'must be a cursor of this list' }])
})

test('suggestItems finds what was probably meant, with the members of a REST item', async () => {
  const { structuredContent } = await callTool(t.url, t.key, 'suggestItems', { text: 'gwangwamun', limit: 3 })
  const list = await (await t.get('/search?text=gwanghwamun')).json()
  expect(structuredContent).toEqual({ data: list.data, meta: {} })
  const none = await callTool(t.url, t.key, 'suggestItems', { text: 'gwangwamun', categoryCode: 'hall' })
  expect(none.structuredContent).toEqual({ data: [], meta: {} })
  const inBox = (within: object) => callTool(t.url, t.key, 'suggestItems', { text: 'gwangwamun', within })
  const around = { west: 126.975, south: 37.5755, east: 126.9769, north: 37.577 }
  expect((await inBox(around)).structuredContent.data).toEqual(list.data)
  expect((await inBox({ ...around, north: 37.5756 })).structuredContent.data).toEqual([])
  const { _meta } = await inBox({ west: 1 })
  expect(_meta?.error.details).toContainEqual({ field: 'within.north', message: 'is required' })
})

test('searchItems needs a text or a box, and names every bad argument', async () => {
  const errorOf = async (given: object) => (await callTool(t.url, t.key, 'searchItems', given))._meta?.error
  expect(await errorOf({})).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: 'give text, within, or latitude and longitude',
  })
  const within = { west: 'one', south: 2, east: 3, height: 4 }
  expect((await errorOf({ within, limit: 1.5 })).details).toEqual([
    { field: 'within.north', message: 'is required' },
    { field: 'within.west', message: 'must be a number' },
    { field: 'within.height', message: 'is not a parameter' },
    { field: 'limit', message: 'must be a whole number' },
  ])
  expect((await errorOf({ within: [1, 2, 3, 4] })).details).toEqual([{ field: 'within', message: 'must be an object' }])
})

describe.each<Era>(['2025-11-25', '2026-07-28'])('To a client of the revision %s, an error', (era) => {
  test('has no structuredContent, which would have to be as the outputSchema of the tool says', async () => {
    const client = await connect(t.url, t.key, era)
    await client.listTools()
    for (const [name] of CALLS) {
      const result = await client.callTool({ name, arguments: { x: 1 } })
      expect(result).toMatchObject({ isError: true, _meta: { error: { code: 'VALIDATION_FAILED' } } })
      expect(result).not.toHaveProperty('structuredContent')
    }
    await client.close()
  })
})

test('an error of the server has its requestId in the text, because agents read nothing else', () => {
  const { content } = toolError(new CatalogError('INTERNAL_ERROR', 'The server failed'), 'a-1')
  expect(content).toMatchObject([{ text: expect.stringMatching(/^INTERNAL_ERROR: .* the requestId a-1\.$/) }])
})

describe('An error', () => {
  test.each([
    ['getDataset', { datasetId: 'nowhere' }, '/v1/datasets/nowhere', 'listDatasets returns the datasets'],
    ['getDataset', { datasetId: 'restricted' }, '/v1/datasets/restricted', 'this API key needs access'],
    ['listItems', { datasetId: 'draft' }, '/v1/datasets/draft/items', 'Do not retry'],
    ['getItem', { itemId: 'x' }, '/v1/dataset-items/x', 'Do not guess ids'],
    ['listItems', { datasetId: 'seoul', limit: 101, page: 0 }, `${ITEMS}?limit=101&page=0`, 'and call the tool again'],
    ['listItems', { datasetId: 'seoul', sort: 'size' }, `${ITEMS}?sort=size`, 'Correct the named arguments'],
    ['findNearbyItems', { latitude: 91 }, `${NEARBY}?latitude=91&longitude=200`, 'Correct the named arguments'],
  ])('of %s %j has the code and the members of REST, and says what to do', async (name, given, path, advice) => {
    const { error } = await (await t.get(path)).json()
    const { isError, content, _meta } = await callTool(t.url, t.key, name, given)
    expect([isError, Object.keys(_meta?.error)]).toEqual([true, Object.keys(error)])
    expect(_meta?.error.code).toBe(error.code)
    expect(content[0]?.text).toContain(`${error.code}: ${_meta?.error.message}. `)
    expect(content[0]?.text).toContain(advice)
  })

  test('about a bound has the message of REST', async () => {
    const { error } = await (await t.get('/v1/datasets/seoul/items?limit=101&page=0')).json()
    const { _meta } = await callTool(t.url, t.key, 'listItems', { datasetId: 'seoul', limit: 101, page: 0 })
    expect({ ..._meta?.error, requestId: '' }).toEqual({ ...error, requestId: '' })
  })

  test.each([
    [{}, 'datasetId is required'],
    [{ datasetId: null }, 'datasetId is required'],
    [
      { datasetId: 'seoul', rootItemsOnly: true, parentItemId: ITEM.palace },
      'rootItemsOnly must be false with a parentItemId',
    ],
    [{ datasetId: 7 }, 'datasetId must be text'],
    [{ datasetId: 'seoul', limit: '' }, 'limit must be a whole number'],
    [{ datasetId: 'seoul', limit: '"5"' }, 'limit must be a whole number'],
    [{ datasetId: 'seoul', limit: '5 items' }, 'limit must be a whole number'],
    [{ datasetId: 'seoul', limit: true }, 'limit must be a whole number'],
    [{ datasetId: 'seoul', limit: 1000 }, 'limit must be at most 100'],
    [{ datasetId: 'seoul', page: 3_000_000_000 }, 'page must be at most 2147483647'],
    [{ datasetId: 'seoul', page: Number.MAX_VALUE }, 'page must be at most 2147483647'],
    [{ datasetId: 'seoul', sort: 'CREATED_AT' }, 'sort must be one of'],
    [{ datasetId: 'seoul', order: {} }, 'order must be one of asc, desc'],
    [{ datasetId: 'seoul', categoryCode: [] }, 'categoryCode must be text'],
    [{ datasetId: 'seoul', categoryCode: 'a\0' }, 'categoryCode must not contain NUL'],
    [{ datasetId: 'seoul', parentItemId: 'null' }, 'parentItemId must be a UUID'],
    [{ datasetId: 'seoul', category: 'twin' }, 'category is not a parameter'],
    [{ datasetId: 'seoul', constructor: 1, toString: 2 }, 'constructor is not a parameter; toString is not a'],
    [{ datasetId: 'seoul', ['x'.repeat(10_000)]: 1 }, `${'x'.repeat(60)}… is not a parameter`],
  ])('names the wrong argument in %j', async (given, message) => {
    const { _meta } = await callTool(t.url, t.key, 'listItems', given)
    expect(_meta?.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(message),
      details: expect.arrayContaining([{ field: expect.any(String), message: expect.any(String) }]),
    })
  })
})

test('extraAttributes keep numbers that JavaScript can not represent, and every key', async () => {
  const exact = '{"big": 12345678901234567890, "__proto__": {"a": 1}, "$&": "$1"}'
  await t.database.withSession((session) =>
    session.query('UPDATE items SET extra_attributes = $1::jsonb WHERE id = $2', [exact, ITEM.tower]),
  )
  const itemId = ITEM.tower
  const read = async () => (await callTool(t.url, t.key, 'getItem', { itemId })).content[0]?.text
  await expect.poll(read).toContain('12345678901234567890')
  const text = await (await post(t.url, t.key, callOf('getItem', { itemId }))).text()
  const body = await (await t.get(`/v1/dataset-items/${itemId}`)).text()
  expect(text).toContain(`"structuredContent":${body}`)
})

test('a list of places as GeoJSON has the features of REST', async () => {
  const rest = await t.get('/v1/datasets/seoul/items?limit=3', {
    authorization: `Bearer ${t.key}`,
    accept: 'application/geo+json',
  })
  const given = { datasetId: 'seoul', limit: 3, geojson: true }
  const { structuredContent } = await callTool(t.url, t.key, 'listItems', given)
  expect(structuredContent).toEqual(await rest.json())
  expect((await callTool(t.url, t.key, 'listItems', { ...given, geojson: false })).structuredContent.data).toHaveLength(
    3,
  )
})
