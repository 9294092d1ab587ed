import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openRateLimits, type RateLimits } from '../../src/auth/rate-limit.ts'

const START = new Date('2026-11-20T12:00:00Z')

let limits: RateLimits
beforeEach(() => {
  vi.useFakeTimers({ now: START })
  limits = openRateLimits({ refusalsPerMinute: 2, report: () => {} })
})
afterEach(() => {
  limits.close()
  vi.useRealTimers()
})

const count = () => limits.countRequest('key', 2)

test('a key may make as many requests as its limit says, and the first one beyond it is refused', async () => {
  const allowances = [await count(), await count(), await count(), await count()]
  expect(allowances.map(({ isExceeded }) => isExceeded)).toEqual([false, false, true, true])
  expect(allowances.map(({ remaining }) => remaining)).toEqual([1, 0, 0, 0])
  expect(allowances[0]).toMatchObject({ limit: 2, windowSeconds: 60, resetSeconds: 60 })
})

test('a limit of a thousand requests is counted to its end', async () => {
  let last = await limits.countRequest('busy', 1_000)
  for (let n = 1; n < 1_000; n += 1) last = await limits.countRequest('busy', 1_000)
  expect(last).toMatchObject({ remaining: 0, isExceeded: false })
  expect(await limits.countRequest('busy', 1_000)).toMatchObject({ isExceeded: true })
})

test('each key and each network is counted by itself', async () => {
  for (let n = 0; n < 3; n += 1) await count()
  expect(await limits.countRequest('other', 2)).toMatchObject({ isExceeded: false })
  for (let n = 0; n < 3; n += 1) await limits.countRefusal('192.0.2.1')
  expect(await limits.countRefusal('192.0.2.1')).toMatchObject({ limit: 2, isExceeded: true })
  expect(await limits.countRefusal('192.0.2.2')).toMatchObject({ isExceeded: false })
})

test('the window ends after a minute, and its last moment still counts as a second', async () => {
  for (let n = 0; n < 3; n += 1) await count()
  await vi.advanceTimersByTimeAsync(59_600)
  expect(await count()).toMatchObject({ isExceeded: true, resetSeconds: 1 })
  await vi.advanceTimersByTimeAsync(401)
  expect(await count()).toMatchObject({ isExceeded: false, resetSeconds: 60 })
})

test('the wait is at most the window, also after the clock is set back', async () => {
  await count()
  vi.setSystemTime(START.getTime() - 3_600_000)
  expect(await count()).toMatchObject({ resetSeconds: 60 })
})
