import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { callOf } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { openSocket } from '../support/raw.ts'

/*
 * Many requests that a key sends together take turns, so some of them wait. If the key is revoked meanwhile, those that still wait are
 * refused.
 */

const t = useApp({ limits: { maxConnectionsPerAddress: 10_000, refusalsPerMinute: 1_000_000 } })

/** So many that most of them still wait when the gateway knows of the change, unless the machine is busy. */
const REQUESTS = 600

interface Sent {
  path: string
  accept: string
  bodyOf: (n: number) => string
}

/** The answers that come after the gateway knows of a revocation, with a refusal among them. */
async function answersWithRefusal(sent: Sent): Promise<string[]> {
  for (;;) {
    const late = await answersAfterRevocation(sent)
    if (late.some((answer) => answer.includes('refused'))) return late
  }
}

/**
 * Sends requests together, each on a connection that is open already, and revokes the key when the first is answered. Returns the answers
 * that come after the gateway knows of it: the status, whether it is a refusal, and whether it has a challenge.
 */
async function answersAfterRevocation({ path, accept, bodyOf }: Sent): Promise<string[]> {
  const { key, id } = await createKey(t.database.prisma, { name: 'revoked' })
  let isKnown = false
  const late: string[] = []
  const send = async (n: number) => {
    const socket = await openSocket(t.url)
    const body = bodyOf(n)
    const fields = [
      ...['Host: x', `Authorization: Bearer ${key}`, `Accept: ${accept}`],
      ...['Content-Type: application/json', `Content-Length: ${body.length}`],
    ]
    return async () => {
      socket.write(`POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`)
      const text = String(await once(socket, 'data'))
      socket.destroy()
      const [, status] = /^HTTP\/1.1 (\d+)/.exec(text) ?? []
      const kind = text.includes('UNAUTHORIZED') ? 'refused' : 'success'
      if (isKnown) late.push(`${status} ${kind}${/^www-authenticate: Bearer/im.test(text) ? ' with a challenge' : ''}`)
    }
  }
  await (await send(REQUESTS))()
  const prepared = await Promise.all(Array.from({ length: REQUESTS }, (_, n) => send(n)))
  const sent = prepared.map((begin) => begin())
  await Promise.race(sent)
  await revokeKey(t.database.prisma, id)
  const statusOfKey = async () => (await t.get('/v1/datasets', { authorization: `Bearer ${key}` })).status
  await expectWithinASecond(statusOfKey, (status) => expect(status).toBe(401))
  isKnown = true
  await Promise.all(sent)
  return late
}

test('a cached response of a tool is not given to a key that was revoked while the call waited', async () => {
  const body = callOf('listDatasets')
  const late = await answersWithRefusal({ path: '/mcp', accept: 'application/json', bodyOf: () => body })
  // A few were on their way already.
  expect(late.filter((answer) => answer.includes('success')).length).toBeLessThan(REQUESTS / 10)
})

test('a GraphQL operation of a key that was revoked while it waited is 401, in each media type', async () => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    // Each is another operation, so none is cached.
    const bodyOf = (n: number) => JSON.stringify({ query: `{ datasets { total } } # ${n}` })
    const late = await answersWithRefusal({ path: '/graphql', accept, bodyOf })
    const refused = late.filter((answer) => answer.includes('refused'))
    expect([...new Set(refused)]).toEqual(['401 refused with a challenge'])
  }
})
