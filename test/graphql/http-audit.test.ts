import { serverAudits } from 'graphql-http'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'

const t = useApp()

/** The suite of graphql-http, by those who wrote the specification: MUST, SHOULD and MAY. */
describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${t.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${t.key}`)
      return fetch(url, { ...init, headers })
    },
  })
  test.each(audits.map((audit) => ({ audit, title: `${audit.id} ${audit.name}` })))('$title', async ({ audit }) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok')
  })
})
