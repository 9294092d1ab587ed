import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { backUp, restore } from '../../src/embedded/backup.ts'
import { runCatalog } from '../support/process.ts'
import { copyEmbedded } from '../support/template.ts'

const limits = { poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
const open = (dataDir: string) =>
  openDatabase({ kind: 'embedded', dataDir, ...limits } satisfies DatabaseConfig, { share: false })
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

/** The entries of a folder that other users may open. */
async function openEntries(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  const modes = await Promise.all(names.map((name) => modeOf(join(folder, name))))
  return names.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0)
}

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'catalog-private-'))
})
afterAll(() => rm(parent, { recursive: true }))

test('in a folder that everybody may read, a new database is private', async () => {
  const folder = await mkdtemp(join(parent, 'new-'))
  await chmod(folder, 0o755)
  const database = await open(folder)
  expect((await readdir(folder)).sort()).toEqual(['lock', 'owner.json', 'postgres', 'socket'])
  expect(await openEntries(folder)).toEqual([])
  expect(await modeOf(folder)).toBe(0o755)
  expect(await modeOf(new URL(database.embeddedUrl ?? '').searchParams.get('host') ?? '')).toBe(0o700)
  await database.close()
})

test('a database of an older version becomes private at the start, and so are its copy for readers, a backup and what is restored', async () => {
  const folder = await copyEmbedded()
  const backup = join(parent, 'backup')
  for (const path of [folder, join(folder, 'postgres')]) await chmod(path, 0o755)
  const database = await open(folder)
  expect(await openEntries(folder)).toEqual([])
  await database.withSession(async (session) => {
    await database.withReadersOnCopy(session, 10_000, async () => {
      expect(await readdir(folder)).toContain('readers')
      expect(await openEntries(folder)).toEqual([])
    })
    await backUp(session, folder, backup)
  })
  await database.close()
  expect(await modeOf(backup)).toBe(0o700)
  // Whoever moved the backup may have opened it.
  await chmod(join(backup, 'postgres'), 0o755)
  await restore(folder, backup)
  expect(await openEntries(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('catalog doctor names what other users can read, until they cannot', async () => {
  const folder = await copyEmbedded()
  const database = await open(folder)
  const examine = async () => {
    const { stdout } = await runCatalog({ DATA_DIR: folder }, 'doctor', '--json')
    const findings: { check: string }[] = JSON.parse(stdout)
    return findings.find(({ check }) => check === 'files')
  }
  const postgres = join(folder, 'postgres')
  await chmod(postgres, 0o755)
  // A private folder protects what is in it.
  expect(await examine()).toMatchObject({ isOk: true })
  await chmod(folder, 0o755)
  expect(await examine()).toEqual({
    check: 'files',
    isOk: false,
    found: `other users of this machine can read ${postgres}`,
    advice: `run chmod -R go= ${postgres}`,
  })
  await chmod(postgres, 0o700)
  expect(await examine()).toMatchObject({ isOk: true })
  await database.close()
  await rm(folder, { recursive: true })
})
