import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adviseOnFullDisk, explainEnd } from '../../src/embedded/full-disk.ts'
import { lockFolder } from '../../src/embedded/lock.ts'
import { environment, runProcess } from '../support/process.ts'

/* What an operator reads if the folder of the database can't be used. */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-folder-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

test('a database that ends without the space for a log file names the disk', async ({ skip }) => {
  expect(await explainEnd(folder, 'it has ended')).toBe('it has ended')
  const mounted = await runProcess('mount', ['-t', 'tmpfs', '-o', 'size=15m', 'tmpfs', folder], process.env)
  if (mounted.code !== 0) skip('A small disk can be mounted by root alone')
  const explained = await explainEnd(folder, 'it has ended')
  await runProcess('umount', [folder], process.env)
  expect(explained).toBe(`the disk with ${folder} is full; free at least 16 MB (it has ended)`)
})

test.runIf(process.getuid?.() === 0).each([
  ['folder', ''],
  ['file of the lock in the folder', 'lock'],
])('the %s of another user gives EACCES and its path', async (_, name) => {
  const path = join(folder, name)
  await chmod(folder, 0o777)
  lockFolder(folder)?.release()
  await chmod(path, 0o600)
  const asNobody = ['--reuid=65534', '--clear-groups', process.execPath, 'src/cli.ts', 'keys', 'list']
  const { code, stderr } = await runProcess('setpriv', asNobody, environment({ DATA_DIR: folder }))
  expect([code, stderr]).toEqual([
    1,
    `catalog: DATA_DIR ${folder} can't be used: EACCES: permission denied, access '${path}'\n`,
  ])
})
