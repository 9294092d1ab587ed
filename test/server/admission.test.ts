import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import type { StoredKey } from '../../src/auth/api-key.ts'
import { createAdmission } from '../../src/gateway/admission/admission.ts'
import { keyWith } from '../support/key.ts'

const allowance = { limit: 9, remaining: 9, resetSeconds: 1, windowSeconds: 60, isExceeded: false }

/** Sends a request of a key. Its count takes some time, in which `change` returns the key as it is then. Returns whom the gateway admits. */
async function admitted(first: StoredKey, change: () => Promise<StoredKey>): Promise<StoredKey | string> {
  let current = first
  const app = Fastify()
  const admit = createAdmission({
    findKey: Object.assign(async () => current, { isUnchanged: (key: object) => key === current }),
    findKeyOrigins: async () => ({ all: new Set(), byKey: new Map() }),
    read: () => () => Promise.reject(new Error('nothing is read')),
    limits: {
      countRequest: async () => {
        current = await change()
        return allowance
      },
      countItems: async () => allowance,
      countRefusal: async () => allowance,
      close: () => {},
    },
    maxInFlight: 1,
    report: () => {},
  })
  let result: StoredKey | string = 'nobody'
  app.get('/', async (request, reply) => {
    const { key } = await admit(request, reply)
    result = key === current ? current : 'the key as it was'
    return ''
  })
  await app.inject({ url: '/', headers: { authorization: `Bearer dck_${'A'.repeat(43)}` } })
  await app.close()
  return result
}

const stored = (given: Partial<StoredKey>): StoredKey => ({
  ...keyWith(),
  requestsPerMinute: 9,
  revokedAt: null,
  ...given,
})

test('a key that changes while its request is counted is admitted as it is then', async () => {
  const changed = stored({ accessTiers: ['gold'] })
  expect(await admitted(stored({}), async () => changed)).toBe(changed)
})

test('a key that expires while its request is counted is not admitted', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const expiresAt = new Date(Date.now() + 1)
  const expiring = stored({ expiresAt })
  const count = async () => {
    vi.setSystemTime(expiresAt)
    return expiring
  }
  expect(await admitted(expiring, count)).toBe('nobody')
  vi.useRealTimers()
})
