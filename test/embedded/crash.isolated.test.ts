import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { sql } from '../../src/sql.ts'
import { createEmpty } from '../support/database.ts'
import { CHECKOUT, environment, runCatalog, runProcess, startGateway, startProcess } from '../support/process.ts'
import { LIMITS_ENV } from '../support/template.ts'

/*
 * Kills the process that has the embedded database open, at random moments of an import: in turn a gateway through which
 * the import runs, and the import itself. CRASHES is the number of kills, twenty in CI.
 */

const CRASHES = Number(process.env.CRASHES ?? 2)
const ITEMS = 3_000

describe.runIf(inject('template').kind === 'embedded')('kill -9 during imports', () => {
  let folder: string
  let empty: Awaited<ReturnType<typeof createEmpty>>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-crash-'))
    empty = await createEmpty()
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await empty.drop()
  })

  /** The versions of the items in the database, and the number of items of each. Opens the database if no gateway has it open. */
  async function readVersions(): Promise<Map<number, number>> {
    const database = await openDatabase(empty.config, { share: true })
    try {
      const rows = await database.prisma.$queryRaw<{ version: string; n: number; kept: number }[]>`
        SELECT name AS version, count(*)::integer AS n,
               (SELECT n FROM item_counts WHERE list = 'all' AND dataset_id = items.dataset_id) AS kept
          FROM items GROUP BY name, dataset_id`
      for (const { n, kept } of rows) expect(kept).toBe(n)
      return new Map(rows.map(({ version, n }) => [Number(version), n]))
    } finally {
      await database.close()
    }
  }

  /** Expects that the database holds all items of one of these versions, and no others. Returns the version. */
  async function expectOneOf(possible: readonly number[]): Promise<number> {
    const versions = await readVersions()
    expect([...versions.keys()].length).toBeLessThanOrEqual(1)
    const [found = 0] = versions.keys()
    expect(versions.get(found) ?? 0).toBe(found === 0 ? 0 : ITEMS + found)
    expect(possible).toContain(found)
    return found
  }

  test.runIf(CRASHES > 0)(
    `${CRASHES} times: each time a sound database opens, with every import that has ended with 0, and no partial import`,
    {
      timeout: 3_600_000 + CRASHES * 300_000,
    },
    async () => {
      const startImport = (manifest: string) =>
        startProcess(process.execPath, ['src/cli.ts', 'import', manifest], {
          cwd: CHECKOUT,
          env: environment(empty.env),
          stdio: 'ignore',
        })
      // The time of an import on this machine now. Each kill is within that time.
      const startMs = performance.now()
      expect(await codeOf(startImport(await writeManifest(folder, 1)))).toBe(0)
      const importMs = performance.now() - startMs
      let possible = [1]
      for (let version = 2; version <= CRASHES + 1; version += 1) {
        const manifest = await writeManifest(folder, version)
        // A gateway opens the database as the last kill left it. Otherwise `expectOneOf` does.
        const gateway = version % 2 === 0 ? await startGateway({ ...empty.env, SAMPLE_DATA: 'false' }) : undefined
        const held = await expectOneOf(possible)
        const importing = startImport(manifest)
        const done = codeOf(importing)
        const victim = gateway?.child ?? importing
        const killed = codeOf(victim)
        await Promise.race([sleep(Math.random() * importMs, undefined, { ref: false }), done])
        victim.kill('SIGKILL')
        const [code] = await Promise.all([done, killed])
        possible = code === 0 ? [version] : [version, held]
      }
      await expectOneOf(possible)
    },
  )
})

test.runIf(inject('template').kind === 'embedded')(
  'On a full disk an import fails with one line, the gateway serves its data, and an import succeeds when there is space again',
  async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'catalog-disk-'))
    const folder = await mkdtemp(join(tmpdir(), 'catalog-full-'))
    const mounted = await runProcess('mount', ['-t', 'tmpfs', '-o', 'size=140m', 'tmpfs', disk], process.env)
    if (mounted.code !== 0) skip('A small disk can be mounted by root alone')
    try {
      const env = { DATA_DIR: join(disk, 'data'), ...LIMITS_ENV }
      const manifest = await writeManifest(folder, 1)
      const gateway = await startGateway(env)
      const headers = { authorization: `Bearer ${/dck_\S+/.exec(gateway.printed)?.[0]}` }
      const read = async () =>
        (await fetch(`${gateway.url}/v1/datasets/world-airports/items?x=${Math.random()}`, { headers })).status
      const filler = await runProcess('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=1M'], process.env)
      expect(filler.stderr).toContain('No space left')
      const importing = runCatalog(env, 'import', '--skip-invalid', manifest)
      const { code, stderr } = await importing
      const line =
        /^catalog: The disk of the database is full\. Nothing was changed; free space, then try again \([^\n]*No space left on device[^\n]*\)\n$/
      expect([code, stderr]).toEqual([1, expect.stringMatching(line)])
      expect(await read()).toBe(200)
      // PostgreSQL ends when it needs another file for its log.
      let log = ''
      gateway.child.stderr?.on('data', (text) => {
        log += text
      })
      const database = await openDatabase(readConfig(env).database, { share: true })
      const filling = database.withSession(async (session) => {
        for (;;) await session.query(sql`SELECT pg_logical_emit_message(true, 'x', repeat('x', 4000000))`)
      })
      await expect(filling).rejects.toThrow('The database went away')
      await expect.poll(() => log).toContain(`the disk with ${join(disk, 'data/postgres')} is full`)
      expect(await read()).toBe(503)
      await database.close()
      await rm(join(disk, 'filler'))
      await expect.poll(read).toBe(200)
      expect(await runCatalog(env, 'import', '--skip-invalid', manifest)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('created'),
      })
      expect(await read()).toBe(200)
      expect(await gateway.stop()).toBe(0)
    } finally {
      await runProcess('umount', ['-l', disk], process.env)
      await rm(disk, { recursive: true })
      await rm(folder, { recursive: true })
    }
  },
)

async function codeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const [code] = await once(child, 'exit')
  return code
}

/** Writes a manifest with its items into a folder, and returns its path. Every item of a version has its number as name. */
async function writeManifest(folder: string, version: number): Promise<string> {
  const items = Array.from({ length: ITEMS + version }, (_, n) =>
    JSON.stringify({
      externalId: String(n),
      name: String(version),
      latitude: (n % 900) / 10,
      longitude: 1,
      administrativeAreaCode: 'x',
      categoryCode: 'y',
    }),
  )
  await writeFile(join(folder, 'items.ndjson'), items.join('\n'))
  const dataset = { slug: 'crash', name: 'Crash', status: 'active', visibility: 'public', attribution: 'x' }
  const manifest = join(folder, 'manifest.json')
  await writeFile(manifest, JSON.stringify({ dataset, items: 'items.ndjson' }))
  return manifest
}
