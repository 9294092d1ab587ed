import { expect, test } from 'vitest'
import { ChangeLog } from '../../src/database/change-feed.ts'

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
