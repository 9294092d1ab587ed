import { describe, expect, test } from 'vitest'
import { type EndTurn, FairQueue } from '../../src/database/fair-queue.ts'

/** Turns that a test never gives must not fail while later tests run. */
const NEVER_MS = 2 ** 31 - 1

/** A queue whose clock stands still until a test moves it. */
function createQueue(places: number) {
  let nowMs = 0
  const queue = new FairQueue({ places, timeoutMs: NEVER_MS, clock: () => nowMs })
  return {
    queue,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

/** Begins statements of a key, and lists the order in which they get their turns. */
function begin(queue: FairQueue, log: string[], key: string, count = 1): Promise<EndTurn>[] {
  return Array.from({ length: count }, async () => {
    const end = await queue.begin([key])
    log.push(key)
    return end
  })
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a key alone has all places but the last, and another key gets this one at once', async () => {
  const { queue } = createQueue(4)
  const log: string[] = []
  void begin(queue, log, 'greedy', 10)
  await settled()
  expect(log).toEqual(['greedy', 'greedy', 'greedy'])
  void begin(queue, log, 'other')
  await settled()
  expect(log.at(-1)).toBe('other')
})

/** Lets a key run this many statements, one after the other. */
async function prove({ queue, pass }: ReturnType<typeof createQueue>, key: string, count: number, ms: number) {
  for (let n = 0; n < count; n += 1) {
    const end = await queue.begin([key])
    pass(ms)
    end()
  }
}

describe('While another key is active', () => {
  test('a key has a quarter of the places until its statements prove to be short', async () => {
    const state = createQueue(8)
    await prove(state, 'other', 1, 1)
    const log: string[] = []
    const turns = begin(state.queue, log, 'new', 10)
    await settled()
    expect(log).toHaveLength(2)
    for (const turn of turns.slice(0, 5)) {
      state.pass(1)
      ;(await turn)()
    }
    await settled()
    expect(log).toHaveLength(10)
  })

  test('all keys with long statements share a quarter of the places, and a key with short ones gets the others', async () => {
    const state = createQueue(8)
    for (const key of ['long', 'also long']) await prove(state, key, 6, 200)
    await prove(state, 'short', 6, 1)
    const log: string[] = []
    for (const key of ['long', 'also long', 'short']) void begin(state.queue, log, key, 4)
    await settled()
    // The first statement of a key begins in any free place.
    expect(log.toSorted()).toEqual(['also long', 'long', 'long', 'short', 'short', 'short', 'short'])
  })

  test('the statements of keys with short ones do not count for the share', async () => {
    const state = createQueue(8)
    await prove(state, 'short', 6, 1)
    const log: string[] = []
    void begin(state.queue, log, 'short', 4)
    void begin(state.queue, log, 'new', 4)
    await settled()
    expect(log.filter((key) => key === 'new')).toHaveLength(2)
  })

  test('some long statements among many short ones are no reason to wait', async () => {
    const state = createQueue(8)
    await prove(state, 'mostly short', 2, 100)
    await prove(state, 'mostly short', 20, 1)
    await prove(state, 'other', 1, 1)
    const log: string[] = []
    void begin(state.queue, log, 'mostly short', 10)
    await settled()
    expect(log).toHaveLength(7)
  })

  test('the share ends a second after the last statement of the other key', async () => {
    const state = createQueue(8)
    await prove(state, 'other', 1, 1)
    state.pass(1_001)
    const log: string[] = []
    void begin(state.queue, log, 'new', 10)
    await settled()
    expect(log).toHaveLength(7)
  })
})

test('the only place of a queue is for any key', async () => {
  const { queue } = createQueue(1)
  const log: string[] = []
  const [first] = begin(queue, log, 'a', 2)
  ;(await first)?.()
  await settled()
  expect(log).toEqual(['a', 'a'])
})

test('of the keys that wait, the one that has used least while others waited goes first', async () => {
  const { queue, pass } = createQueue(1)
  const log: string[] = []
  const [a] = begin(queue, log, 'a')
  const endA = await a
  const [b] = begin(queue, log, 'b')
  pass(500)
  endA?.()
  const endB = await b
  for (const key of ['a', 'b', 'c', 'd']) void begin(queue, log, key)
  pass(100)
  endB?.()
  await settled()
  expect(log).toEqual(['a', 'b', 'c'])
})

test('a key that used a lot while nobody waited has no debt, and a new key has no credit', async () => {
  const state = createQueue(1)
  // Some time ago, one job waited for another one.
  const log: string[] = []
  for (const turn of begin(state.queue, log, 'known', 2)) (await turn)()
  log.length = 0
  await prove(state, 'known', 100, 50)
  const turns = begin(state.queue, log, 'new', 5)
  await settled()
  turns.push(...begin(state.queue, log, 'known'))
  state.pass(10)
  ;(await turns[0])?.()
  await settled()
  expect(log).toEqual(['new', 'known'])
})

/** A queue with one place, and the order in which jobs get it. `runFor` ends the job that runs. */
function createOnlyPlace() {
  const { queue, pass } = createQueue(1)
  const log: string[] = []
  let endRunning: EndTurn | undefined
  const send = (key: string) =>
    void queue.begin([key]).then((end) => {
      log.push(key)
      endRunning = end
    })
  const runFor = async (ms: number) => {
    pass(ms)
    endRunning?.()
    await settled()
  }
  return { log, send, runFor }
}

test('a key that sends now and then waits for one job of a key that sends many', async () => {
  const { log, send, runFor } = createOnlyPlace()
  for (let n = 0; n < 50; n += 1) send('many')
  await settled()
  for (let n = 0; n < 20; n += 1) {
    send('few')
    await runFor(100)
    expect(log.at(-1)).toBe('few')
    await runFor(50)
    expect(log.at(-1)).toBe('many')
  }
})

test('two keys that always have jobs get equal times, although the jobs of one are ten times as long', async () => {
  const { queue, pass } = createQueue(1)
  const used = { short: 0, long: 0 }
  const jobMs = { short: 10, long: 100 }
  let running: { key: 'short' | 'long'; end: EndTurn } | undefined
  const send = (key: 'short' | 'long') =>
    void queue.begin([key]).then((end) => {
      running = { key, end }
    })
  for (let n = 0; n < 1_000; n += 1) for (const key of ['short', 'long'] as const) send(key)
  for (let n = 0; n < 500; n += 1) {
    await settled()
    if (!running) continue
    const { key, end } = running
    pass(jobMs[key])
    used[key] += jobMs[key]
    end()
  }
  expect(Math.abs(used.short - used.long)).toBeLessThanOrEqual(jobMs.long)
})

test('a statement that keys share goes when the first of them would go', async () => {
  const { queue, pass } = createQueue(1)
  const log: string[] = []
  const [turn] = begin(queue, log, 'used')
  const end = await turn
  pass(100)
  void begin(queue, log, 'used')
  void queue.begin(['used', 'new']).then(() => log.push('shared'))
  end?.()
  await settled()
  expect(log).toEqual(['used', 'shared'])
})

test('a statement that waits too long fails, and takes no place', async () => {
  const queue = new FairQueue({ places: 1, timeoutMs: 20 })
  const end = await queue.begin(['a'])
  await expect(queue.begin(['b'])).rejects.toThrow('The job waited longer than 20 ms for its turn')
  expect(queue.waiting).toBe(0)
  end()
  await queue.begin(['c'])
})

test('whatever keys send, places are never exceeded, none is idle without reason, and each statement gets its turn', async () => {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 50; round += 1) {
    const places = 1 + random(5)
    const { queue, pass } = createQueue(places)
    const running = new Map<EndTurn, readonly string[]>()
    let begun = 0
    let started = 0
    for (let step = 0; step < 100; step += 1) {
      pass(random(50))
      if (random(3) > 0) {
        const keys = [...new Set([`k${random(4)}`, `k${random(4)}`])].slice(0, 1 + random(2))
        begun += 1
        void queue.begin(keys).then((end) => {
          started += 1
          running.set(end, keys)
        })
      } else {
        const [first] = running.keys()
        if (first) {
          running.delete(first)
          first()
        }
      }
      await settled()
      expect(running.size).toBeLessThanOrEqual(places)
      // A key alone never waits for nothing.
      if (queue.waiting > 0) expect(running.size).toBeGreaterThanOrEqual(1)
      expect(started + queue.waiting).toBe(begun)
    }
    while (running.size > 0) {
      const [end] = running.keys()
      if (end) running.delete(end)
      end?.()
      await settled()
    }
    expect(started).toBe(begun)
  }
})

describe('A job that can not get its turn in time', () => {
  const burst = async (jobMs: number, count: number) => {
    let nowMs = 0
    const queue = new FairQueue({ places: 2, timeoutMs: 1_000, clock: () => nowMs })
    for (let n = 0; n < 4; n += 1) {
      const end = await queue.begin(['key'])
      nowMs += jobMs
      end()
    }
    const outcomes: string[] = []
    for (let n = 0; n < count; n += 1) {
      const isPatient = n === count - 1
      void queue.begin(['key'], isPatient).then(
        () => outcomes.push('begins'),
        () => outcomes.push('refused'),
      )
    }
    await settled()
    return { outcomes, waiting: queue.waiting }
  }

  test('is refused at once, if the last jobs of its key were long', async () => {
    // One runs, and those wait before which 0, 300, 600 and 900 milliseconds pass. The last one must wait.
    expect(await burst(300, 10)).toEqual({ outcomes: ['begins', ...Array(4).fill('refused')], waiting: 5 })
  })

  test('waits if the last jobs of its key were short', async () => {
    expect(await burst(1, 100)).toEqual({ outcomes: ['begins'], waiting: 99 })
  })
})
