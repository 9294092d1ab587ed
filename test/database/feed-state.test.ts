import { afterEach, describe, expect, test, vi } from 'vitest'
import { ChangeLog, clockMs, type FeedEvent, FeedState } from '../../src/database/change-feed.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('The log of changes', () => {
  test('a topic is unchanged until its own notification arrives', () => {
    const log = new ChangeLog()
    const since = log.latest
    expect(log.isUnchanged(['dataset a', 'key b', 'datasets'], since)).toBe(true)
    log.add('key b')
    expect(log.isUnchanged(['dataset a', 'datasets', 'key c'], since)).toBe(true)
    expect(log.isUnchanged(['key b'], since)).toBe(false)
    expect(log.isUnchanged(['dataset a', 'key b'], since)).toBe(false)
    expect(log.isUnchanged(['key b', 'dataset a'], since)).toBe(false)
  })

  test('a change is seen by what was read before it, and not by what is read after it', () => {
    const log = new ChangeLog()
    for (const payload of ['dataset a', 'dataset a', 'everything'] as const) {
      const before = log.latest
      log.add(payload)
      expect(log.latest).toBeGreaterThan(before)
      expect(log.isUnchanged(['dataset a'], before)).toBe(false)
      expect(log.isUnchanged(['dataset a'], log.latest)).toBe(true)
    }
  })

  test('the change of one dataset changes the list of datasets, and that of one key all keys', () => {
    const log = new ChangeLog()
    const since = log.latest
    log.add('key a')
    expect(log.isUnchanged(['datasets'], since)).toBe(true)
    expect(log.isUnchanged(['keys'], since)).toBe(false)
    log.add('dataset a')
    expect(log.isUnchanged(['datasets'], since)).toBe(false)
  })

  test('a notification of everything changes topics that nothing has named yet', () => {
    const log = new ChangeLog()
    const since = log.latest
    log.add('everything')
    for (const topic of ['datasets', 'dataset a', 'key a'] as const) expect(log.isUnchanged([topic], since)).toBe(false)
  })

  test('after missed notifications everything counts as changed, and what is read afterwards is current', () => {
    const log = new ChangeLog()
    const since = log.latest
    log.invalidateAll()
    expect(log.isUnchanged(['key a'], since)).toBe(false)
    expect(log.isUnchanged(['key a'], log.latest)).toBe(true)
  })

  test('the log forgets old topics when it has too many, and then everything counts as changed', () => {
    const log = new ChangeLog()
    const since = log.latest
    // Each is a topic, and the topic of all keys is one too.
    for (let n = 1; n < 100_000; n += 1) log.add(`key ${n}`)
    expect(log.isUnchanged(['dataset a'], since)).toBe(true)
    log.add('key more')
    expect(log.isUnchanged(['dataset a'], since)).toBe(false)
  })
})

const COMPLETE = { kind: 'complete', untilMs: Number.MAX_SAFE_INTEGER, untilDateMs: Number.MAX_SAFE_INTEGER } as const
const POSITION: FeedEvent = { kind: 'position', mark: 'a', offset: '7' }

function stateAfter(...events: FeedEvent[]): FeedState {
  const state = new FeedState()
  for (const event of events) state.apply(event)
  return state
}

/** Whether a process with this state may use what it has cached, and what it knows. */
const known = (state: FeedState) => [
  state.latest() !== undefined,
  state.isUnchanged(['datasets'], Number.MAX_SAFE_INTEGER),
  state.position()?.offset,
]

test('nothing is current before the feed is complete, after its time is over, and after the connection is lost', () => {
  expect(known(stateAfter())).toEqual([false, false, undefined])
  expect(known(stateAfter(POSITION))).toEqual([false, false, undefined])
  expect(known(stateAfter({ ...COMPLETE, untilMs: clockMs() - 1 }, POSITION))).toEqual([false, false, undefined])
  expect(known(stateAfter(COMPLETE, POSITION))).toEqual([true, true, 7n])
  expect(known(stateAfter(COMPLETE, POSITION, { kind: 'disconnected' }))).toEqual([false, false, undefined])
})

test('a new connection makes everything old that was read before it', () => {
  const state = stateAfter(COMPLETE)
  const since = state.latest() ?? 0
  state.apply({ kind: 'disconnected' })
  state.apply({ kind: 'connected' })
  state.apply(COMPLETE)
  expect(state.isUnchanged(['datasets'], since)).toBe(false)
  expect(state.isUnchanged(['datasets'], state.latest() ?? 0)).toBe(true)
})

test('a change, and a connection without the end of the one before, make old what was read before them', () => {
  for (const event of [{ kind: 'changed', payload: 'dataset a' }, { kind: 'connected' }] as const) {
    const state = stateAfter(COMPLETE)
    const since = state.latest() ?? 0
    state.apply(event)
    expect(state.isUnchanged(['dataset a'], since)).toBe(false)
    expect(state.isUnchanged(['dataset a'], state.latest() ?? 0)).toBe(true)
  }
})

test('a time in which changes could be missed makes everything old that was read in it or before', () => {
  const state = stateAfter(COMPLETE)
  const since = state.latest() ?? 0
  state.apply(COMPLETE)
  expect(state.isUnchanged(['datasets'], since)).toBe(true)
  state.apply({ ...COMPLETE, untilMs: clockMs() - 1 })
  state.apply(COMPLETE)
  expect(state.isUnchanged(['datasets'], since)).toBe(false)
  expect(state.isUnchanged(['datasets'], state.latest() ?? 0)).toBe(true)
})

test('the position is unknown from a change or a new connection until the position after it arrives', () => {
  for (const event of [{ kind: 'changed', payload: 'key a' }, { kind: 'connected' }] as const) {
    const state = stateAfter(COMPLETE, POSITION, event)
    expect(state.position()).toBeUndefined()
    state.apply({ kind: 'position', mark: 'a', offset: '8' })
    expect(state.position()).toEqual({ mark: 'a', offset: 8n })
  }
})

/** A state that no notification is missing from for an hour. */
function completeState(): FeedState {
  const state = new FeedState()
  state.apply({ kind: 'complete', untilMs: clockMs() + 3_600_000, untilDateMs: Date.now() + 3_600_000 })
  state.apply({ kind: 'position', mark: 'a', offset: '1' })
  return state
}
const facts = (state: FeedState) => [
  state.latest(),
  state.isUnchanged(['datasets'], 1),
  state.position(),
  state.snapshot().length,
]
const NOTHING = [undefined, false, undefined, 0]

test('says what it knows until the end of its time', () => {
  expect(facts(completeState())).toEqual([1, true, { mark: 'a', offset: 1n }, 2])
})

test.each(['the monotonic clock', 'the date'])('knows nothing when the time is over by %s alone', (clock) => {
  const state = completeState()
  if (clock === 'the date') vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_001)
  else vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_001)
  expect(facts(state)).toEqual(NOTHING)
  vi.restoreAllMocks()
  expect(facts(state)).not.toEqual(NOTHING)
})

test('gives another process the same state', () => {
  const events = JSON.parse(JSON.stringify(completeState().snapshot()))
  const other = new FeedState()
  for (const event of events) other.apply(event)
  expect(facts(other)).toEqual([1, true, { mark: 'a', offset: 1n }, 2])
})
