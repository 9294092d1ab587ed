import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restore } from '../../src/embedded/backup.ts'
import { lockFolder } from '../../src/embedded/lock.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { CHECKOUT, environment, runCatalog, startGateway, startProcess } from '../support/process.ts'
import { copyEmbedded, LIMITS_ENV } from '../support/template.ts'

let dataDir: string
let env: Record<string, string>
let folder: string
beforeAll(async () => {
  dataDir = await copyEmbedded()
  env = { DATA_DIR: dataDir, SAMPLE_DATA: 'false', ...LIMITS_ENV }
  folder = await mkdtemp(join(tmpdir(), 'catalog-backup-'))
})
afterAll(async () => {
  await rm(dataDir, { recursive: true })
  await rm(folder, { recursive: true })
})

const run = (...args: string[]) => runCatalog(env, ...args)
/** Imports a dataset whose name and items are a version. */
async function load(version: number) {
  const dataset = { ...DATASET, name: `Version ${version}` }
  await writeFile(
    join(folder, 'items.ndjson'),
    ndjson(...Array.from({ length: 50 }, (_, n) => row({ externalId: `${version} ${n}` }))),
  )
  await writeFile(join(folder, 'places.json'), JSON.stringify({ dataset, items: 'items.ndjson' }))
  expect((await run('import', join(folder, 'places.json'), '--allow-removals')).code).toBe(0)
}
const versionOf = async (more = {}) => {
  const { stdout } = await runCatalog({ ...env, ...more }, 'datasets', 'show', 'places', '--json')
  return JSON.parse(stdout).name
}
/** Starts a command and kills it within the time. Returns whether it had ended. */
async function kill(afterMs: number, ...args: string[]): Promise<boolean> {
  const child = startProcess(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/cli.ts', ...args], {
    ...{ cwd: CHECKOUT, env: environment(env), stdio: 'ignore' },
  })
  const ended = new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)))
  await Promise.race([sleep(afterMs, undefined, { ref: false }), ended])
  child.kill('SIGKILL')
  return ended
}

describe('The embedded database', () => {
  test('is backed up while the gateway serves it, and restored while it does not', async () => {
    const gateway = await startGateway(env)
    await load(1)
    const { key } = JSON.parse((await run('keys', 'create', '--name', 'partner', '--json')).stdout)
    const read = async (url: string) =>
      (await fetch(`${url}/v1/datasets/places/items`, { headers: { authorization: `Bearer ${key}` } })).text()
    const before = await read(gateway.url)
    const backup = join(folder, 'first')
    const neighbour = join(folder, 'first.partial')
    await mkdir(neighbour)
    expect(await run('backup', backup)).toMatchObject({ code: 0, stderr: '' })
    expect((await readdir(folder)).filter((name) => name.startsWith('first')).sort()).toEqual([
      'first',
      'first.partial',
    ])
    expect((await stat(backup)).mode & 0o777).toBe(0o700)
    expect(await run('backup', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') })
    await load(2)
    const inUse = expect.stringContaining('stop the gateway first')
    expect(await run('restore', backup, '--yes')).toMatchObject({ code: 1, stderr: inUse })
    expect(await gateway.stop()).toBe(0)
    expect(await run('restore', folder, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no folder'),
    })
    expect(await run('restore', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') })
    const warning = expect.stringContaining('revoked since the backup work again')
    expect(await run('restore', backup, '--yes')).toMatchObject({ code: 0, stderr: warning })
    const restored = await startGateway(env)
    expect(await read(restored.url)).toBe(before)
    expect((await run('doctor')).code).toBe(0)
    // What a backup that was killed has left does not matter.
    for (const [n, share] of [0.3, 0.6, 0.9].entries()) {
      const target = join(folder, `killed ${n}`)
      const startMs = performance.now()
      expect((await run('backup', join(folder, `measured ${n}`))).code).toBe(0)
      const isComplete = await kill(share * (performance.now() - startMs), 'backup', target)
      if (isComplete) expect(existsSync(target)).toBe(true)
      expect(await read(restored.url)).toBe(before)
      if (existsSync(target)) expect(await versionOf({ DATA_DIR: target })).toBe('Version 1')
    }
    expect((await run('backup', join(folder, 'killed 3'))).code).toBe(0)
    // Of two backups with one name, one fails, and the other one is complete.
    const codes = await Promise.all([1, 2].map(async () => (await run('backup', join(folder, 'twice'))).code))
    expect(codes.sort()).toEqual([0, 1])
    expect(await versionOf({ DATA_DIR: join(folder, 'twice') })).toBe('Version 1')
    expect(await restored.stop()).toBe(0)
  })

  test('is the old one or the backup when a restore is killed', async () => {
    await load(3)
    const startMs = performance.now()
    expect((await run('restore', join(folder, 'first'), '--yes')).code).toBe(0)
    const restoreMs = performance.now() - startMs
    for (const share of [0.4, 0.7, 0.9]) {
      await load(3)
      const isComplete = await kill(share * restoreMs, 'restore', join(folder, 'first'), '--yes')
      expect(isComplete ? ['Version 1'] : ['Version 1', 'Version 3']).toContain(await versionOf())
      expect((await run('doctor')).code).toBe(0)
    }
  })

  test('is not restored from a backup that is in use', async () => {
    const [source, target] = [join(folder, 'served'), join(folder, 'restored')]
    await mkdir(join(source, 'postgres'), { recursive: true })
    await writeFile(join(source, 'postgres', 'PG_VERSION'), '18')
    const lock = lockFolder(source)
    await expect(restore(target, source)).rejects.toThrow(`The backup ${source} can't be restored: it is in use`)
    expect(existsSync(join(target, 'postgres'))).toBe(false)
    lock?.release()
    await restore(target, source)
    expect(existsSync(join(target, 'postgres', 'PG_VERSION'))).toBe(true)
    // Both are free again.
    const locks = [source, target].map((free) => lockFolder(free))
    expect(locks).not.toContain(undefined)
    for (const lock of locks) lock?.release()
  })
})
