import { array, assert, constantFrom, integer, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { FairShare, limitInFlight } from '../../src/database/fair-share.ts'

/** Begins work for a key until it is refused. Returns the functions that end it. */
function fill(work: ReturnType<typeof limitInFlight>, key: string): (() => void)[] {
  const ends: (() => void)[] = []
  let isRefused = false
  for (let n = 0; n < 1_000; n += 1) {
    const { promise, resolve } = Promise.withResolvers<void>()
    work(key, () => {
      ends.push(resolve)
      return promise
    }).catch(() => {
      isRefused = true
    })
    // The work begins, or is refused, at once.
    if (ends.length <= n) break
  }
  expect(isRefused).toBe(false)
  return ends
}

test('a key alone may have half of the requests in flight, and the error says when to try again', async () => {
  const work = limitInFlight(500)
  const ends = fill(work, 'a')
  expect(ends).toHaveLength(250)
  await expect(work('a', async () => 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 })
  await expect(work('b', async () => 1)).resolves.toBe(1)
  for (const end of ends) end()
})

test('keys that keep sending come to the same number of requests in flight, and a newcomer has room', async () => {
  const work = limitInFlight(60)
  const keys = ['a', 'b', 'c']
  const ends = new Map(keys.map((key) => [key, fill(work, key)]))
  for (let n = 0; n < 100; n += 1) {
    for (const key of keys) {
      ends.get(key)?.shift()?.()
      await new Promise(setImmediate)
      ends.get(key)?.push(...fill(work, key))
    }
  }
  expect(keys.map((key) => ends.get(key)?.length)).toEqual([15, 15, 15])
  await expect(work('newcomer', async () => 1)).resolves.toBe(1)
})

test('work that fails leaves its place, and one place is enough for one request', async () => {
  const work = limitInFlight(1)
  for (let n = 0; n < 3; n += 1)
    await expect(work('a', async () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  await expect(work('b', async () => work('a', async () => 1))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
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
        const largest = Math.max(...sums.map(({ sum }) => sum))
        expect(sums.find(({ name }) => name === shares.largestOwner())?.sum ?? 0).toBe(largest)
        // Whoever has less than its share either has room, or another holds more than its own share.
        if (shares.isEntitled(owner, 10) && !shares.hasRoom(owner, 10)) expect(shares.largestOwner()).not.toBe(owner)
      }
    }),
  )
})
