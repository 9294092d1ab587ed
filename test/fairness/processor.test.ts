import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { type BeginWork, shareProcessor as share } from '../../src/fairness/processor.ts'

/** Longer than the beginning of most requests, so that it counts as large. */
const LARGE_MS = 20

/** The clock of the gateway. It moves only while the processor is busy, so a slow machine changes nothing. */
let nowMs = 0
beforeEach(() => {
  nowMs = 0
})
const shareProcessor = () => share(() => nowMs)

function keepBusy(ms: number): void {
  nowMs += ms
}

/** A turn of the event loop, in which other work takes a millisecond. */
async function nextTurn(): Promise<void> {
  await setImmediate()
  keepBusy(1)
}

/**
 * Begins a request of a key, which keeps the processor busy for some milliseconds, and returns the number of turns of the event loop until
 * the key may begin the next one.
 */
async function countTurns(waitForTurn: BeginWork, key: string, busyMs: number): Promise<number> {
  await waitForTurn(key)
  keepBusy(busyMs)
  let hasBegun = false
  const next = Promise.resolve(waitForTurn(key)).then(() => {
    hasBegun = true
  })
  let turns = 0
  while (!hasBegun) {
    await nextTurn()
    turns += 1
  }
  await next
  return turns
}

describe('After the beginning of a large request', () => {
  test('a key that is active alone begins the next one in the next turn of the event loop', async () => {
    expect(await countTurns(shareProcessor(), 'alone', LARGE_MS)).toBeLessThanOrEqual(2)
  })

  test('a key pauses while another key is active, so that small requests, which need five turns, come before', async () => {
    const waitForTurn = shareProcessor()
    await waitForTurn('other')
    await setImmediate()
    expect(await countTurns(waitForTurn, 'large', LARGE_MS)).toBeGreaterThan(5)
  })

  test('another key begins in the next turn', async () => {
    const waitForTurn = shareProcessor()
    await waitForTurn('other')
    await setImmediate()
    await waitForTurn('large')
    keepBusy(LARGE_MS)
    const begun: string[] = []
    const both = ['large', 'other'].map(async (key) => {
      await waitForTurn(key)
      begun.push(key)
    })
    await setImmediate()
    expect(begun).toEqual(['other'])
    keepBusy(LARGE_MS)
    await Promise.all(both)
  })
})

test('Small requests of a key begin at once, and many that arrive together begin in more than one turn of the event loop', async () => {
  const waitForTurn = shareProcessor()
  const starts: (Promise<void> | undefined)[] = []
  for (let n = 0; n < 200; n += 1) {
    starts.push(waitForTurn('alone'))
    keepBusy(0.1)
  }
  const waiting = starts.filter((start) => start !== undefined)
  expect(starts[1]).toBeUndefined()
  expect(waiting.length).toBeGreaterThan(100)
  let begun = 0
  for (const start of waiting) {
    void start.then(() => {
      keepBusy(0.1)
      begun += 1
    })
  }
  await setImmediate()
  expect(begun).toBeGreaterThan(1)
  expect(begun).toBeLessThan(waiting.length)
  await Promise.all(waiting)
})

test('A key with small requests begins one in each turn of the event loop while another key is active', async () => {
  const waitForTurn = shareProcessor()
  await waitForTurn('other')
  await setImmediate()
  expect(await countTurns(waitForTurn, 'small', 0)).toBeLessThanOrEqual(2)
})

test('A request does not begin before those that wait already', async () => {
  const waitForTurn = shareProcessor()
  await waitForTurn('first')
  keepBusy(LARGE_MS)
  const late = Promise.resolve(waitForTurn('second')).then(() => waitForTurn('fourth') === undefined)
  const third = waitForTurn('third')
  expect(await late).toBe(false)
  await third
})
