import { expect, test } from 'vitest'
import { adviseOnFullDisk } from '../../src/embedded/full-disk.ts'

test.each([
  'could not extend file "base/5/16390": No space left on device',
  'could not extend file "base/5/16390": wrote only 4096 of 8192 bytes at block 7',
  'could not write to file "pg_wal/xlogtemp.31": Disk quota exceeded',
])('a full disk has its remedy: %s', (message) => {
  expect(adviseOnFullDisk(message)).toBe(
    `The disk of the database is full. Nothing was changed; free space, then try again (${message})`,
  )
})

test('another error has none', () => {
  expect(adviseOnFullDisk('deadlock detected')).toBe('deadlock detected')
})
