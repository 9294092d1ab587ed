import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/openapi/documents.ts'
import { readConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()

test('the OpenAPI document and the explorer have the contact', async () => {
  const { limits, contact } = readConfig({ CONTACT: 'keys@example.org' })
  const app = await createApp({ database: db.database, corsOrigins: [], responseCacheBytes: 0, limits, contact })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const path of ['/openapi.json', '/v1/openapi.json', '/v1/openapi-3.0.json']) {
    const { info, components } = await (await fetch(url + path)).json()
    expect(info.contact).toEqual({ email: 'keys@example.org' })
    const { description } = components.securitySchemes.apiKey
    expect(description).toBe('An API key. Whom to ask for one: keys@example.org')
  }
  expect(await (await fetch(url)).text()).toContain('"contact":"keys@example.org"')
  await app.close()
})

test('a browser that opens a link without a key is told whom to ask, a program is not', async () => {
  const { limits, contact } = readConfig({ CONTACT: 'keys@example.org' })
  const app = await createApp({ database: db.database, corsOrigins: [], responseCacheBytes: 0, limits, contact })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const bodyOf = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, { headers })
    expect(response.status).toBe(401)
    return response.text()
  }
  for (const path of [
    '/v1/datasets',
    '/search?text=a',
    '/exports/a.csv',
    '/tiles/all/0/0/0.mvt',
    '/ogc/conformance?f=json',
  ]) {
    expect(await bodyOf(path, { accept })).toContain('. Whom to ask for a key: keys@example.org"')
    expect(await bodyOf(path, { accept, authorization: 'Bearer dck_x' })).toContain('keys@example.org')
    expect(await bodyOf(path, {})).not.toContain('keys@example.org')
  }
  expect(await (await fetch(`${url}/nowhere`, { headers: { accept } })).text()).not.toContain('keys@example.org')
  await app.close()
})

test.each([
  ['keys@example.org', { email: 'keys@example.org' }],
  ['https://example.org/keys', { url: 'https://example.org/keys' }],
  ['Kim, room 5', { name: 'Kim, room 5' }],
])('the contact %s is %j in the OpenAPI document', (contact, expected) => {
  expect(openApiDocument(contact).info).toMatchObject({ contact: expected })
})

test.each(['a\nb', 'x'.repeat(201)])('CONTACT %j is refused', (contact) => {
  expect(() => readConfig({ CONTACT: contact })).toThrow('CONTACT must be one line of at most 200 characters')
})
