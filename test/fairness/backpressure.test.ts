import { array, assert, constantFrom, integer, property, tuple } from 'fast-check'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { createSlots, FairShare } from '../../src/gateway/admission/fair-share.ts'
import { UnreadResponses } from '../../src/gateway/admission/unread.ts'

/** Takes slots for a key until there is none for it. Returns their number. */
function fill({ take }: ReturnType<typeof createSlots>, key: string): number {
  let count = 0
  while (count < 1_000 && take(key)) count += 1
  return count
}

test('a key alone may have half of the requests in flight, and another key has room', () => {
  const slots = createSlots(500)
  expect(fill(slots, 'a')).toBe(250)
  expect(slots.take('b')).toBe(true)
})

test('keys that keep sending come to the same number of requests in flight, and a newcomer has room', () => {
  const slots = createSlots(60)
  const counts = new Map(['a', 'b', 'c'].map((key) => [key, fill(slots, key)]))
  for (let n = 0; n < 100; n += 1) {
    for (const [key, count] of counts) {
      slots.release(key)
      counts.set(key, count - 1 + fill(slots, key))
    }
  }
  expect([...counts.values()]).toEqual([15, 15, 15])
  expect(slots.take('newcomer')).toBe(true)
})

test('one slot is enough for one request, also after many that have ended', () => {
  const slots = createSlots(1)
  for (let n = 0; n < 3; n += 1) {
    expect(slots.take('a')).toBe(true)
    expect(slots.take('b')).toBe(false)
    slots.release('a')
  }
})

test('the total is what the owners hold, never above the capacity, except for an amount that has it alone', () => {
  const steps = array(
    tuple(constantFrom('a', 'b', 'c', 'd'), integer({ min: 1, max: 150 }), integer({ min: 0, max: 1 })),
  )
  assert(
    property(steps, (all) => {
      const shares = new FairShare(100)
      const held = new Map<string, number[]>()
      for (const [owner, amount, isEnd] of all) {
        const own = held.get(owner) ?? []
        held.set(owner, own)
        if (isEnd) shares.add(owner, -(own.shift() ?? 0))
        else if (shares.hasRoom(owner, amount)) {
          own.push(amount)
          shares.add(owner, amount)
        }
        const sums = [...held].map(([name, amounts]) => ({ name, sum: amounts.reduce((sum, each) => sum + each, 0) }))
        expect(shares.total).toBe(sums.reduce((total, { sum }) => total + sum, 0))
        expect(shares.total <= 100 || [...held.values()].flat().length === 1).toBe(true)
      }
    }),
  )
})

test('responses whose size is estimated leave nothing behind when they are read', async () => {
  const app = fastify()
  const unread = new UnreadResponses(app, { unreadBytes: 1_000_000, responseStallTimeoutMs: 60_000 }, () => 'a')
  const all = Promise.withResolvers<void>()
  let begun = 0
  app.get('/', async (request, reply) => {
    begun += 1
    unread.reserve(request, reply, 20_000 + begun / 10)
    if (begun === 3) all.resolve()
    await all.promise
    return 'body'
  })
  await Promise.all([1, 2, 3].map(() => app.inject('/')))
  await expect.poll(() => unread.bytes).toBe(0)
  await app.close()
})

test('who holds nothing alone may hold any amount; a newcomer has a share; who has given all back is none of the owners', () => {
  const memory = new FairShare(12)
  expect(memory.hasRoom('a', 100)).toBe(true)
  memory.add('a', 6)
  expect([memory.hasRoom('a', 1), memory.hasRoom('b', 6), memory.hasRoom('b', 7)]).toEqual([false, true, false])
  expect([memory.isEntitled('b', 4), memory.isEntitled('b', 5)]).toEqual([true, false])
  memory.add('a', -6)
  expect([memory.isEntitled('b', 6), memory.isEntitled('b', 7)]).toEqual([true, false])
})
