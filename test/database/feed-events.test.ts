import { expect, test } from 'vitest'
import { clockMs, type FeedEvent, FeedState } from '../../src/database/change-feed.ts'

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

test('a change makes old what was read before it', () => {
  const state = stateAfter(COMPLETE)
  const since = state.latest() ?? 0
  state.apply({ kind: 'changed', payload: 'dataset a' })
  expect(state.isUnchanged(['datasets'], since)).toBe(false)
})

test('the position is unknown from a change or a new connection until the position after it arrives', () => {
  for (const event of [{ kind: 'changed', payload: 'key a' }, { kind: 'connected' }] as const) {
    const state = stateAfter(COMPLETE, POSITION, event)
    expect(state.position()).toBeUndefined()
    state.apply({ kind: 'position', mark: 'a', offset: '8' })
    expect(state.position()).toEqual({ mark: 'a', offset: 8n })
  }
})
