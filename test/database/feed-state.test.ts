import { afterEach, expect, test, vi } from 'vitest'
import { clockMs, FeedState } from '../../src/database/change-feed.ts'

afterEach(() => {
  vi.restoreAllMocks()
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
