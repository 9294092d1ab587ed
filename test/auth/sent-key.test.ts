import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'

const lines: string[] = []
const t = useApp({ log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) })

const HOW = 'send the header Authorization: Bearer <API_KEY>'
const SECRET = `dck_${'s3cret-'.repeat(7)}`

test.each<[string, Record<string, string>, string, string]>([
  ['nothing', {}, '', 'An API key is required'],
  ['X-API-Key', { 'x-api-key': SECRET }, '', 'The header X-API-Key is not read'],
  ['apikey', { apikey: SECRET }, '', 'The header ApiKey is not read'],
  [
    'Basic',
    { authorization: `Basic ${btoa(`user:${SECRET}`)}` },
    '',
    'Authorization has the scheme Basic, which is not read',
  ],
  ['Token', { authorization: `token ${SECRET}` }, '', 'Authorization has the scheme Token, which is not read'],
  ['a key alone', { authorization: SECRET }, '', 'Authorization has a key without the word Bearer before it'],
  ['Bearer:', { authorization: `Bearer:${SECRET}` }, '', 'Authorization needs a space after Bearer'],
  ['a scheme of its own', { authorization: `${SECRET} x` }, '', 'Authorization has another scheme, which is not read'],
  [
    'api_key',
    {},
    `?API_KEY=${SECRET}`,
    'The parameter api_key in the query string is not read, because logs keep addresses',
  ],
  ['key', {}, `?x=1&key=${SECRET}`, 'The parameter key in the query string is not read, because logs keep addresses'],
  ['another name', {}, `?k=${SECRET}`, 'A key in the query string is not read, because logs keep addresses'],
])(
  'a key that is sent as %s is a 401 that says what was seen and what to send',
  async (_what, headers, query, seen) => {
    lines.length = 0
    for (const path of ['/v1/datasets', '/tiles/all/0/0/0.mvt', '/graphql', '/ogc', '/key']) {
      const response = await t.get(path + query, headers)
      expect([path, response.status]).toEqual([path, 401])
      const text = await response.text()
      expect(text).toContain(`${seen}: ${HOW}`)
      for (const said of [text, JSON.stringify([...response.headers])]) expect(said).not.toMatch(/s3cret|czNjcmV0/)
    }
    const mcp = await fetch(`${t.url}/mcp${query}`, { method: 'POST', headers, body: '{}' })
    expect(await mcp.text()).toContain(`${seen}: ${HOW}`)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('')).not.toMatch(/s3cret|czNjcmV0/)
  },
)

test('a key or an old secret that stops working within 14 days says so in each response', async () => {
  const { prisma } = t.database
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
  const soon = await createKey(prisma, { name: 'soon', expiresAt: inDays(13.9) })
  const later = await createKey(prisma, { name: 'later', expiresAt: inDays(14.1) })
  const notice = async (key: string, path: string, more: Record<string, string> = {}) =>
    (await t.get(path, { authorization: `Bearer ${key}`, ...more })).headers.get('authentication-info')
  for (const path of ['/v1/datasets', '/v1/datasets/nowhere', '/exports/seoul.csv', '/ogc']) {
    expect(await notice(soon.key, path)).toBe(`expires="${soon.expiresAt?.toISOString()}"`)
    for (const { key } of [later, t]) expect(await notice(key, path)).toBeNull()
  }
  expect(await notice(soon.key, '/v1/datasets', { 'if-none-match': '*' })).not.toBeNull()
})
