import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { SUCCESS_HEADERS } from '../../src/rest/openapi/responses.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { checkDocumented } from '../support/openapi.ts'

/*
 * The OpenAPI document is what the gateway does: it is the one that is committed, it is in order, and every answer is as it says.
 */

let t: TestApp
beforeAll(async () => {
  t = await startApp()
})
afterAll(() => t.close())

const COMMITTED = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')

test('openapi.json is up to date (npm run schema), and the gateway serves it without a key', async () => {
  expect(`${JSON.stringify(openApiDocument(), undefined, 2)}\n`).toBe(COMMITTED)
  const served = await fetch(`${t.url}/v1/openapi.json`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await served.json()).toEqual(JSON.parse(COMMITTED))
})

test('a linter finds no problem in the document', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: COMMITTED, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('every member, parameter and error has an example that matches its schema', () => {
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

describe('A response matches the document', () => {
  const PAGES = ['/v1/datasets/seoul/items', '/v1/dataset-items/nearby?latitude=37.58&longitude=126.97&radius=50000']

  test.each([
    '/v1/datasets',
    '/v1/datasets/seoul',
    `/v1/datasets/${DATASET.archived}`,
    '/v1/datasets/seoul/items?page=9&sort=createdAt&order=desc&parentItemId=null',
    ...PAGES,
    `/v1/dataset-items/${ITEM.palace}`,
    `/v1/dataset-items/${ITEM.gate}`,
  ])('%s', async (url) => {
    // `get` holds the body against the document.
    const response = await t.get(url)
    expect(response.status).toBe(200)
    for (const name of SUCCESS_HEADERS) {
      expect([name, response.headers.has(name)]).toEqual([name, !name.startsWith('RateLimit')])
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
