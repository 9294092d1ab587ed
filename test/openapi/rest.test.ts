import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/openapi/documents.ts'
import { SUCCESS_HEADERS } from '../../src/api/openapi/operations.ts'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import { checkDocumented, lint } from '../support/openapi.ts'

/*
 * The committed OpenAPI document is up to date and valid, and every response matches it.
 */

const t = useApp()

const COMMITTED = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(JSON.parse(COMMITTED), 'openapi')

interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
  examples?: unknown[]
}

interface Operation {
  responses: Record<string, { $ref?: string; headers: object }>
}

/** All objects inside a value, itself included. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : [Object.fromEntries(Object.entries(value))]
  return [...own, ...Object.values(value).flatMap(objectsIn)]
}

test('openapi.json is up to date (npm run schema), and the gateway serves it without a key, with its own address', async () => {
  expect(`${JSON.stringify(openApiDocument(), undefined, 2)}\n`).toBe(COMMITTED)
  const served = await fetch(`${t.url}/v1/openapi.json`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const servers = [{ url: t.url, description: 'This server' }]
  expect(await served.json()).toEqual({ ...JSON.parse(COMMITTED), servers })
})

test('a linter finds no problem in the document', async () => {
  expect(await lint(COMMITTED)).toEqual([])
})

const { components, paths, info } = JSON.parse(COMMITTED)

test('every record, list, error and GeoJSON object has a name, for the types of generated clients', () => {
  const unnamed = objectsIn(paths).filter(({ type, properties }) => type === 'object' || properties !== undefined)
  expect(unnamed).toEqual([])
})

test('arrays of pages have a limit, numbers a format, and constants a type', () => {
  const { ItemListResponse, NearbyItemFeatureCollection } = components.schemas
  expect([ItemListResponse.properties.data, NearbyItemFeatureCollection.properties.features]).toMatchObject([
    { maxItems: 100 },
    { maxItems: 100 },
  ])
  const all = objectsIn({ components, paths })
  const numbers = all.filter(({ type }) => type === 'integer' || type === 'number')
  expect(numbers.length).toBeGreaterThan(15)
  expect(new Set(numbers.map(({ type, format }) => `${type} ${format}`))).toEqual(
    new Set(['integer int32', 'number double']),
  )
  const constants = all.filter((schema) => 'const' in schema)
  expect(constants.map(({ const: value, type }) => [value, type]).sort()).toEqual(
    ['Feature', 'Feature', 'Feature', ...Array(3).fill('FeatureCollection'), 'Point', 'about:blank', 'null'].map(
      (value) => [value, 'string'],
    ),
  )
})

test('parentItemId is a UUID or the text null', () => {
  const { parameters } = paths['/v1/datasets/{datasetId}/items'].get
  const { schema } = parameters.find(({ name }: { name: string }) => name === 'parentItemId')
  const isValid = ajv.compile(schema)
  expect([ITEM.palace, 'null', 'x', ''].map((value) => isValid(value))).toEqual([true, true, false, false])
})

test('every response documents the RateLimit headers, and every operation the status 431', () => {
  for (const { get } of Object.values<{ get: Operation }>(paths)) {
    expect(Object.keys(get.responses)).toEqual(
      expect.arrayContaining(['200', '304', '400', '401', '429', '431', '503']),
    )
    for (const response of Object.values(get.responses)) {
      const name = response.$ref?.split('/').at(-1)
      const { headers } = name === undefined ? response : components.responses[name]
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']))
    }
  }
})

test('the texts are those of REST, and name a contact', () => {
  expect(COMMITTED).not.toMatch(/null with an error|explicit null|itemConnection|\bCREATED_AT\b/i)
  expect(info.contact.name).toBe('Maintainers of the Dataset Catalog')
})

test('every member, parameter and error has an example that matches its schema', () => {
  let seen = 0
  const check = (path: string, schema: object, example: unknown) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
    expect([path, ajv.validate(absolute, example)]).toEqual([path, true])
    seen += 1
  }
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { examples, example, schema, ...rest } = Object.fromEntries(Object.entries(value))
    for (const each of examples ?? []) check(path, rest, each)
    if (example !== undefined) check(path, schema, example)
    for (const [name, child] of Object.entries(value)) visit(child, `${path}/${name}`)
  }
  visit({ components, paths }, '')
  expect(seen).toBeGreaterThan(100)
  for (const [name, { properties = {} }] of Object.entries<Schema>(components.schemas)) {
    if (/^(ApiError|Problem)/.test(name)) continue
    const leaves = Object.entries(properties).filter(
      ([, { type, ...rest }]) => type && !('items' in rest || 'const' in rest),
    )
    for (const [member, { examples }] of leaves) expect([name, member, examples?.length]).toEqual([name, member, 1])
  }
})

describe('A response matches the document', () => {
  const PAGES = ['/v1/datasets/seoul/items', '/v1/dataset-items/nearby?latitude=37.58&longitude=126.97&radius=50000']

  test.each(['/v1/datasets', '/v1/datasets/seoul', ...PAGES, `/v1/dataset-items/${ITEM.palace}`])('%s', async (url) => {
    // `get` compares the body with the document.
    const response = await t.get(url)
    expect(response.status).toBe(200)
    for (const name of SUCCESS_HEADERS) {
      expect([name, response.headers.has(name)]).toEqual([name, !/^RateLimit|^Authentication-Info$/.test(name)])
    }
  })

  test.each(PAGES)('%s as GeoJSON', async (url) => {
    const response = await t.get(url, { authorization: `Bearer ${t.key}`, accept: 'application/geo+json' })
    expect([response.status, response.headers.has('link')]).toEqual([200, true])
  })

  test.each<[string, number, Record<string, string>?]>([
    ['/v1/datasets/seoul/items?limit=0&page=x', 400],
    ['/v1/datasets', 401, {}],
    ['/v1/datasets/draft', 403],
    ['/v1/dataset-items/x', 404],
  ])(
    '%s is refused with %i, also as a problem',
    async (url, status, headers = { authorization: `Bearer ${t.key}` }) => {
      expect((await t.get(url, headers)).status).toBe(status)
      const problem = await t.get(url, { ...headers, accept: 'application/problem+json' })
      expect([problem.status, problem.headers.get('content-type')]).toEqual([
        status,
        'application/problem+json; charset=utf-8',
      ])
    },
  )

  test('the check finds a response that does not match', async () => {
    const answer = (status: number, body: unknown) =>
      checkDocumented(`${t.url}/v1/datasets`, Response.json(body, { status }))
    await expect(answer(200, { data: [{ id: 1 }], meta: { total: 1 } })).rejects.toThrow('is not as documented')
    await expect(answer(418, {})).rejects.toThrow('is not documented')
    await expect(answer(200, { data: [], meta: { total: 0 } })).resolves.toBeUndefined()
  })
})
