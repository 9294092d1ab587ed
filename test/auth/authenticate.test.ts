import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'

const t = useApp()

describe('The Authorization header', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('accepts the scheme %s, in any letter case', async (scheme) => {
    expect((await t.get('/v1/datasets', { authorization: `${scheme} ${t.key}` })).status).toBe(200)
  })

  const unknown = `dck_${'A'.repeat(43)}`
  test.each([
    ['no header', undefined, /^Bearer realm="[^"]+"$/],
    ['the scheme alone', 'Bearer', /error="invalid_token"/],
    ['another scheme', 'Basic dXNlcjpwYXNz', /^Bearer /],
    ['an unknown key', `Bearer ${unknown}`, /error="invalid_token"/],
    ['two keys', `Bearer ${unknown} ${unknown}`, /error="invalid_token"/],
    ['a key of 10 kB', `Bearer dck_${'A'.repeat(10_000)}`, /error="invalid_token"/],
    ['a key that is not ASCII', 'Bearer dck_\u00e9', /error="invalid_token"/],
    ['SQL', "Bearer ' OR 1=1 --", /error="invalid_token"/],
  ])('%s is a 401 that says how to authenticate, on every endpoint', async (_what, authorization, challenge) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const path of [
      '/v1/datasets',
      '/v1/datasets/seoul',
      '/v1/datasets/seoul/items?limit=101',
      '/v1/dataset-items/nearby',
      '/v1/dataset-items/x',
      '/graphql?query={datasets{total}}',
    ]) {
      const response = await t.get(path, headers)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(challenge)
      const body = await response.json()
      expect((body.error ?? body.errors[0].extensions).code).toBe('UNAUTHORIZED')
    }
  })

  test('a key in the query string is ignored', async () => {
    expect((await t.get(`/v1/datasets?access_token=${t.key}&authorization=Bearer%20${t.key}`, {})).status).toBe(401)
  })
})
