import { buildSchema, printSchema } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Deprecations } from '../../src/deprecations.ts'
import { deprecate } from '../../src/graphql/deprecate.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { addRoute, createHttp } from '../../src/server/http.ts'

/** As one line each would be in src/deprecations.ts. */
const DEPRECATIONS: Deprecations = {
  '/v1/datasets/{datasetId}': { since: '2027-01-31', sunset: '2028-01-31', instead: 'Use /v2/datasets.' },
  'Place.fax': { since: '2027-01-31', sunset: '2028-01-31', instead: 'Use telephone.' },
  'Place.near(radius:)': { since: '2027-01-31', sunset: '2028-01-31', instead: 'Use box.' },
}

const app = createHttp({ corsOrigins: [], limits: readConfig({}).limits })
beforeAll(async () => {
  const send = (path: string) => ({
    path,
    methods: ['GET' as const],
    handler: (_request: unknown, reply: { send: (body: object) => unknown }) => void reply.send({}),
  })
  addRoute(app, send('/v1/datasets/:datasetId(.+)'), DEPRECATIONS)
  addRoute(app, send('/v1/datasets'), DEPRECATIONS)
  await app.ready()
})
afterAll(() => app.close())

test('a deprecated route says since when and until when, also to HEAD', async () => {
  for (const method of ['GET', 'HEAD'] as const) {
    const { headers } = await app.inject({ method, url: '/v1/datasets/airports' })
    expect(headers).toMatchObject({ deprecation: '@1801353600', sunset: 'Mon, 31 Jan 2028 00:00:00 GMT' })
  }
  const { headers } = await app.inject('/v1/datasets')
  expect(headers).not.toHaveProperty('deprecation')
  expect(headers).not.toHaveProperty('sunset')
})

test('OpenAPI marks the route, and no other', () => {
  const marked = Object.entries(openApiDocument(undefined, DEPRECATIONS).paths).filter(([, item]) =>
    JSON.stringify(item).includes('"deprecated":true'),
  )
  expect(marked.map(([path]) => path)).toEqual(['/v1/datasets/{datasetId}'])
})

test('the GraphQL schema marks fields and arguments, and says what to use', () => {
  const schema = buildSchema('type Query { a: Place } type Place { fax: String near(radius: Int): Int }')
  expect(printSchema(deprecate(schema, DEPRECATIONS))).toContain(
    'fax: String @deprecated(reason: "Use telephone. A release after 2028-01-31 may lack it.")\n' +
      '  near(radius: Int @deprecated(reason: "Use box. A release after 2028-01-31 may lack it.")): Int',
  )
  expect(() => deprecate(buildSchema('type Query { a: Int }'), DEPRECATIONS)).toThrow()
})
