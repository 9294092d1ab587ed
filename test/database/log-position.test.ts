import { describe, expect, test } from 'vitest'
import { faultOf, includes, PositionTracker, readReplicaPosition } from '../../src/database/log-position.ts'
import type { SqlSession } from '../../src/sql.ts'

/* A position is that of one primary: after a failover, a higher number of the old one's log says nothing (log-position.ts). */

const PRIMARY = { mark: 'new', offset: 100n }

describe('A replica', () => {
  test.each([
    [true, { mark: 'new', offset: 100n }],
    [true, { mark: 'new', offset: 101n }],
    [false, { mark: 'new', offset: 99n }],
    [false, { mark: 'old', offset: 100n }],
    [false, { mark: 'old', offset: 1_000_000n }],
  ])('has the state of the primary (%s) at %o', (isIncluded, replayed) => {
    expect(includes(replayed, PRIMARY)).toBe(isIncluded)
    expect(faultOf(replayed, PRIMARY) === undefined).toBe(isIncluded)
  })

  test.each([
    ['it lags by 7 bytes of the log', { mark: 'new', offset: 93n }],
    [
      'it lacks the mark of the primary: it follows another server, or lags since before the last start of the primary',
      { mark: 'old', offset: 1_000_000n },
    ],
    ['promoted', { fault: 'promoted' }],
    ['promoted', { fault: 'promoted', ownMark: 'old' }],
    [undefined, { fault: 'promoted', ownMark: 'new' }],
  ])('is at fault (%s): %o', (fault, replayed) => {
    expect(faultOf(replayed, PRIMARY)).toBe(fault)
  })

  const ROW = { mark: 'new', offset: '100', fault: null, isMarked: false }
  test.each([
    [{ mark: 'new', offset: 100n }, ROW],
    [{ fault: 'it has replayed nothing' }, { ...ROW, offset: null }],
    [{ fault: 'promoted' }, { ...ROW, fault: 'promoted' }],
    [
      { fault: 'promoted', ownMark: 'new' },
      { ...ROW, fault: 'promoted', isMarked: true },
    ],
    [{ fault: 'it has no mark of a primary' }, undefined],
  ])('has replayed %o if its server says %o', async (replayed, row) => {
    expect(await readReplicaPosition(sessionOf(async () => row))).toEqual(replayed)
  })
})

/** A session whose statements return a row. */
function sessionOf(read: () => Promise<object | undefined>): SqlSession {
  const query = async () => {
    const row = await read()
    return { rows: row ? [row] : [], rowCount: row ? 1 : 0 }
  }
  return Object.assign(Object.create(null), { query })
}

test('a position is announced only after an answer that no notification has overtaken', async () => {
  const announced: bigint[] = []
  const answers: PromiseWithResolvers<object>[] = []
  const session = sessionOf(() => {
    const answer = Promise.withResolvers<object>()
    answers.push(answer)
    return answer.promise
  })
  const tracker = new PositionTracker(session, ({ offset }) => announced.push(offset))
  const answer = (n: number, offset: number) => answers[n]?.resolve({ mark: 'new', offset: String(offset) })
  tracker.update()
  tracker.update()
  answer(0, 1)
  await expect.poll(() => answers.length).toBe(2)
  expect(announced).toEqual([])
  answer(1, 2)
  await expect.poll(() => announced).toEqual([2n])
  tracker.update()
  await expect.poll(() => answers.length).toBe(3)
  answer(2, 3)
  await expect.poll(() => announced).toEqual([2n, 3n])
})
