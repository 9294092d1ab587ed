import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/openapi/documents.ts'
import { readConfig } from '../../src/config/config.ts'
import { useApp } from '../support/app.ts'

const t = useApp({ contact: 'keys@example.org' })

test('the OpenAPI document and the explorer have the contact', async () => {
  for (const path of ['/openapi.json', '/v1/openapi.json', '/v1/openapi-3.0.json']) {
    const { info, components } = await (await fetch(t.url + path)).json()
    expect(info.contact).toEqual({ email: 'keys@example.org' })
    const { description } = components.securitySchemes.apiKey
    expect(description).toBe('An API key. Whom to ask for one: keys@example.org')
  }
  expect(await (await fetch(t.url)).text()).toContain('"contact":"keys@example.org"')
})

const OPENS_A_LINK = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const LINKS = ['/v1/datasets', '/search?text=a', '/exports/a.csv', '/tiles/all/0/0/0.mvt', '/ogc/conformance?f=json']

test.each(LINKS)('a browser that opens %s without a key is told whom to ask, a program is not', async (path) => {
  const bodyOf = async (headers: Record<string, string>) => {
    const response = await fetch(t.url + path, { headers })
    expect(response.status).toBe(401)
    return response.text()
  }
  expect(await bodyOf({ accept: OPENS_A_LINK })).toContain('. Whom to ask for a key: keys@example.org"')
  expect(await bodyOf({ accept: OPENS_A_LINK, authorization: 'Bearer dck_x' })).toContain('keys@example.org')
  expect(await bodyOf({})).not.toContain('keys@example.org')
})

test('an unknown path has no contact', async () => {
  expect(await (await fetch(`${t.url}/nowhere`, { headers: { accept: OPENS_A_LINK } })).text()).not.toContain('@')
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
