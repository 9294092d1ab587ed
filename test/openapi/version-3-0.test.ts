import { describe, expect, test } from 'vitest'
import { openApiDocument, serversAt } from '../../src/api/openapi/documents.ts'
import { toOpenApi30 } from '../../src/api/openapi/version-3-0.ts'
import { useApp } from '../support/app.ts'
import { lint } from '../support/openapi.ts'

describe('The OpenAPI 3.0 document', () => {
  const t = useApp()

  test('is served without a key, with the address of the request, and is made from the 3.1 document', async () => {
    const served = await fetch(`${t.url}/v1/openapi-3.0.json`)
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(await served.json()).toEqual({ ...toOpenApi30(openApiDocument()), servers: serversAt(t.url) })
    const etag = served.headers.get('etag') ?? ''
    const again = await fetch(`${t.url}/v1/openapi-3.0.json`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('has no problem that a linter finds', async () => {
    const text = JSON.stringify(toOpenApi30(openApiDocument()))
    expect(text).toContain('"openapi":"3.0.3"')
    // In 3.0 only a URL can identify a license, and ours has none.
    expect(await lint(text, { 'info-license-strict': 'off' })).toEqual([])
  })

  test('has no keyword of 3.1, and the same names', () => {
    const document = openApiDocument()
    const converted = toOpenApi30(document)
    expect(JSON.stringify(converted)).not.toMatch(/"(const|examples|identifier)":|"type":\[/)
    expect(namesIn(converted)).toEqual(namesIn(document))
  })
})

const namesIn = ({ paths, components }: Record<string, unknown>) => {
  const keys = (value: unknown) => Object.keys(value ?? {})
  return [keys(paths), ...Object.values(components ?? {}).map(keys)]
}

const PROPERTIES = { properties: { type: { type: 'integer' } } }

test.each<[string, object, object]>([
  [
    'a value that may be null',
    { type: ['string', 'null'], format: 'a' },
    { type: 'string', nullable: true, format: 'a' },
  ],
  ['a constant', { type: 'string', const: 'Point' }, { type: 'string', enum: ['Point'] }],
  ['an example', { type: 'object', examples: [{ const: 1 }] }, { type: 'object', example: { const: 1 } }],
  ['a reference with a description', { $ref: '#/a', description: 'b' }, { allOf: [{ $ref: '#/a' }], description: 'b' }],
  ['a reference alone', { $ref: '#/a' }, { $ref: '#/a' }],
  ['a license', { license: { name: 'P', identifier: 'LicenseRef-P' } }, { license: { name: 'P' } }],
  ['a member with the name of a keyword', PROPERTIES, PROPERTIES],
])('OpenAPI 3.0 writes %s in its own way', (_what, schema, expected) => {
  expect(toOpenApi30({ ...schema })).toEqual({ ...expected, openapi: '3.0.3' })
})
