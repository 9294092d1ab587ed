import { expect, test } from 'vitest'
import { ServerWatch } from '../../src/database/server-watch.ts'

function watchAt(role: 'primary' | 'replica') {
  const lines: string[] = []
  const clock = { ms: 1_000 }
  const report = (line: string) => void lines.push(line)
  const watch = new ServerWatch({ role, address: 'db:5432', patienceMs: 5_000, report, nowMs: () => clock.ms })
  return { watch, lines, after: (ms: number) => (clock.ms += ms) }
}

test('one line says that a server is lost, and one that it is back, however often it is asked', () => {
  const { watch, lines, after } = watchAt('replica')
  watch.found()
  for (let n = 0; n < 10; n += 1) {
    after(1_000)
    watch.missed('it lags')
    expect(watch.isUsable).toBe(n < 4)
  }
  expect(lines).toEqual(['The replica db:5432 is not used: it lags'])
  for (let n = 0; n < 3; n += 1) watch.found()
  expect([lines.slice(1), watch.isUsable]).toEqual([['The replica db:5432 is back after 10 seconds'], true])
})

test('a server that is lost for a moment, or lags at times, is not reported', () => {
  const { watch, lines, after } = watchAt('replica')
  for (let n = 0; n < 10; n += 1) {
    watch.found()
    after(4_900)
    watch.missed('it lags')
  }
  expect(lines).toEqual([])
})

test('a server that was never there is reported, and not usable', () => {
  const { watch, lines, after } = watchAt('primary')
  watch.missed('no password')
  expect(watch.isUsable).toBe(false)
  after(5_000)
  watch.missed('no password')
  expect(lines).toEqual(['The primary db:5432 is away: no password'])
})
