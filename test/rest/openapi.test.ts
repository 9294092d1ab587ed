import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'

/*
 * The OpenAPI document is what the gateway does: it is the one that is committed, it is in order, and every answer is as it says.
 */

let t: TestApp
beforeAll(async () => {
  t = await startApp()
})
afterAll(() => t.close())

const COMMITTED = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')

test('openapi.json is what `npm run schema` writes, and what is served without a key', async () => {
  expect(`${JSON.stringify(openApiDocument(), undefined, 2)}\n`).toBe(COMMITTED)
  const served = await fetch(`${t.url}/v1/openapi.json`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await served.json()).toEqual(JSON.parse(COMMITTED))
})

test('a linter finds nothing in it', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: COMMITTED, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('every member, parameter and error has an example, which is as its schema says', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(JSON.parse(COMMITTED), 'openapi')
  let seen = 0
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { type, examples, example, schema, description, ...rest } = Object.fromEntries(Object.entries(value))
    const isLeaf = typeof description === 'string' && type !== undefined && !('properties' in rest || 'items' in rest)
    const isShown = isLeaf && /\/paths\/.*\/(data|meta|features)\//.test(path)
    if (isShown) expect([path, examples?.length]).toEqual([path, 1])
    for (const each of examples ?? []) expect([path, ajv.validate({ type, ...rest }, each)]).toEqual([path, true])
    if (example !== undefined) {
      const resolved = schema?.$ref ? { $ref: `openapi${schema.$ref}` } : schema
      expect([path, ajv.validate(resolved, example)]).toEqual([path, true])
      seen += 1
    }
    for (const [name, child] of Object.entries(value)) visit(child, `${path}/${name}`)
  }
  visit(JSON.parse(COMMITTED), '')
  expect(seen).toBeGreaterThan(30)
})

describe('An answer is as the document says', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(JSON.parse(COMMITTED), 'openapi')
  const pointer = (path: string, status: number, type = 'application/json') =>
    `openapi#/paths/${path.replaceAll('/', '~1')}/get/responses/${status}/content/${type.replace('/', '~1')}/schema`

  test.each<[string, string, number]>([
    ['/v1/datasets', '/v1/datasets', 200],
    ['/v1/datasets/{datasetId}', '/v1/datasets/seoul', 200],
    ['/v1/datasets/{datasetId}', `/v1/datasets/${DATASET.archived}`, 200],
    ['/v1/datasets/{datasetId}/items', '/v1/datasets/seoul/items', 200],
    [
      '/v1/datasets/{datasetId}/items',
      '/v1/datasets/seoul/items?page=9&sort=createdAt&order=desc&parentItemId=null',
      200,
    ],
    ['/v1/dataset-items/nearby', '/v1/dataset-items/nearby?latitude=37.58&longitude=126.97&radius=50000', 200],
    ['/v1/dataset-items/{itemId}', `/v1/dataset-items/${ITEM.palace}`, 200],
    ['/v1/dataset-items/{itemId}', `/v1/dataset-items/${ITEM.gate}`, 200],
  ])('%s: %s is %i', async (path, url, status) => {
    const response = await t.get(url)
    expect(response.status).toBe(status)
    const isValid = ajv.getSchema(pointer(path, status))
    const body = await response.json()
    expect([isValid?.(body), isValid?.errors]).toEqual([true, null])
    const { responses } = JSON.parse(COMMITTED).paths[path].get
    for (const name of ['X-Request-Id', 'ETag', 'Cache-Control', 'Vary']) {
      expect(responses[status].headers).toHaveProperty(name)
      expect(response.headers.has(name)).toBe(true)
    }
  })

  test.each([
    ['/v1/datasets/{datasetId}/items', '/v1/datasets/seoul/items'],
    ['/v1/dataset-items/nearby', '/v1/dataset-items/nearby?latitude=37.58&longitude=126.97&radius=50000'],
  ])('%s as GeoJSON', async (path, url) => {
    const type = 'application/geo+json'
    const isValid = ajv.getSchema(pointer(path, 200, type))
    const response = await t.get(url, { authorization: `Bearer ${t.key}`, accept: type })
    expect([isValid?.(await response.json()), isValid?.errors]).toEqual([true, null])
  })

  test.each<[string, string, number, Record<string, string>?]>([
    ['/v1/datasets/{datasetId}/items', '/v1/datasets/seoul/items?limit=0&page=x', 400],
    ['/v1/datasets', '/v1/datasets', 401, {}],
    ['/v1/datasets/{datasetId}', '/v1/datasets/draft', 403],
    ['/v1/dataset-items/{itemId}', '/v1/dataset-items/x', 404],
  ])('%s: %s is refused with %i', async (path, url, status, headers) => {
    const response = await (headers ? t.get(url, headers) : t.get(url))
    expect(response.status).toBe(status)
    expect(JSON.parse(COMMITTED).paths[path].get.responses).toHaveProperty(String(status))
    const isValid = ajv.getSchema('openapi#/components/schemas/Error')
    expect([isValid?.(await response.json()), isValid?.errors]).toEqual([true, null])
    const problem = await t.get(url, {
      ...(headers ?? { authorization: `Bearer ${t.key}` }),
      accept: 'application/problem+json',
    })
    const isProblem = ajv.getSchema('openapi#/components/schemas/Problem')
    expect([isProblem?.(await problem.json()), isProblem?.errors]).toEqual([true, null])
  })
})
