import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { exportCatalog } from '../../src/cli/export-catalog.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { importKeys } from '../../src/export/whole-export.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { createApp } from '../../src/server/app.ts'
import { runCommand } from '../support/command.ts'
import { createEmpty } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { runShell } from '../support/process.ts'
import { copyEmbedded, type EmptyDatabase } from '../support/template.ts'

const inFolder = useFolder()
let embedded: EmptyDatabase
/** The embedded database, open all the time: it takes seconds of CPU time to open, and the commands use it too. */
let opened: Database
let other: EmptyDatabase
let secrets: string[]
beforeAll(async () => {
  const dataDir = await copyEmbedded()
  const limits = { poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
  embedded = {
    config: { kind: 'embedded', dataDir, ...limits },
    env: { DATA_DIR: dataDir },
    drop: () => rm(dataDir, { recursive: true, force: true }),
  }
  opened = await openDatabase(embedded.config, { share: true })
  // A PostgreSQL server, if the tests have one.
  other = await createEmpty()
  secrets = await withDatabase(embedded, async (database) => {
    await loadSampleData(database)
    const { prisma } = database
    const granted = await createKey(prisma, { name: 'granted', datasets: ['korea-heritage', 'seoul-parks-draft'] })
    const gold = await createKey(prisma, { name: 'gold', accessTiers: ['gold'], requestsPerMinute: 5_000 })
    const ended = await createKey(prisma, { name: 'expired', expiresAt: new Date(0) })
    const revoked = await createKey(prisma, { name: 'revoked', origins: ['https://maps.example'] })
    await prisma.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: new Date() } })

    const rotated = await rotateKey(prisma, granted.id, 3_600_000)
    return [granted.key, rotated.key, gold.key, ended.key, revoked.key]
  })
})
afterAll(async () => {
  await opened.close()
  await embedded.drop()
  await other.drop()
})

async function withDatabase<Result>(source: EmptyDatabase, use: (database: Database) => Promise<Result>) {
  if (source === embedded) return use(opened)
  const database = await openDatabase(source.config, { share: true })
  return use(database).finally(() => database.close())
}

/** The responses that each key gets: status and bytes. */
async function readAnswers(source: EmptyDatabase): Promise<string[]> {
  return withDatabase(source, async (database) => {
    const { limits } = readConfig({})
    const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const answers: string[] = []
    const paths = ['', 'seoul-landmarks', 'korea-heritage', 'seoul-markets', 'seoul-parks-draft'].flatMap((slug) =>
      slug === ''
        ? ['/v1/datasets']
        : [`/v1/datasets/${slug}`, `/v1/datasets/${slug}/items`, `/exports/${slug}.ndjson`],
    )
    for (const key of secrets) {
      for (const path of paths) {
        const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
        const body = (await response.text()).replace(/"requestId":"[^"]*"/, '')
        answers.push(`${path} ${response.status} ${body}`)
      }
    }
    await app.close()
    return answers
  })
}

test('A catalog with its keys moves there and back, and answers each key byte for byte', async () => {
  const original = await readAnswers(embedded)
  expect(original.filter((answer) => answer.includes(' 200 ')).length).toBeGreaterThan(20)
  const moved = inFolder('moved')
  const exported = await runCommand(embedded.env, 'export', '--all', moved, '--with-keys')
  expect((await stat(moved)).mode & 0o777).toBe(0o700)
  expect(exported).toMatchObject({ code: 0, stderr: '' })
  expect(exported.stdout).toContain(
    `5 datasets and all keys are in ${moved}; import them elsewhere: npx catalog import ${moved}`,
  )
  expect((await stat(join(moved, 'keys.ndjson'))).mode & 0o777).toBe(0o600)
  for (const secret of secrets) expect(await readFile(join(moved, 'keys.ndjson'), 'utf8')).not.toContain(secret)

  const imported = await runCommand(other.env, 'import', moved)
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(imported.stdout).toContain('keys: 5 added, 0 were there already')
  expect(await readAnswers(other)).toEqual(original)
  const { stdout } = await runCommand(other.env, 'keys', 'show', 'revoked', '--json')
  expect(JSON.parse(stdout).origins).toEqual(['https://maps.example'])
  const history = JSON.parse((await runCommand(other.env, 'history', 'seoul-landmarks', '--json')).stdout)
  expect(history).toMatchObject([
    { action: 'import', canUndo: true },
    { action: 'import', canUndo: false },
  ])

  // The check of docs/upgrading.md.
  const copy = inFolder('copy')
  expect((await runCommand(other.env, 'export', '--all', copy, '--with-keys')).code).toBe(0)
  expect(await runShell({}, `diff -r --exclude=history.ndjson ${moved} ${copy}`)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })

  await withDatabase(embedded, ({ prisma }) => prisma.dataset.deleteMany().then(() => prisma.apiKey.deleteMany()))
  expect((await runCommand(embedded.env, 'import', copy)).code).toBe(0)
  expect(await readAnswers(embedded)).toEqual(original)
  const again = await runCommand(embedded.env, 'import', copy)
  expect(again.stdout).toContain('keys: 0 added, 5 were there already')
  expect(again.stdout).toContain('seoul-landmarks: 0 created, 0 updated, 27 unchanged, 0 removed, 0 skipped')
})

test.each(['api_keys', 'retired_secrets'])(
  'A key whose secret another key has in %s is refused, and named',
  async (table) => {
    const lines = (await readFile(inFolder('moved', 'keys.ndjson'), 'utf8')).split('\n')
    const otherId = '00000000-0000-4000-8000-000000000000'
    const secret = lines.find((line) => line.includes(`"table": "${table}"`)) ?? ''
    const row = JSON.parse(lines[0] ?? '').row
    const given =
      table === 'api_keys'
        ? [{ table, row: { ...row, id: otherId } }]
        : [
            { table: 'api_keys', row: { ...row, id: otherId, hash: `\\x${'00'.repeat(32)}` } },
            { table, row: { ...JSON.parse(secret).row, api_key_id: otherId } },
          ]
    await writeFile(inFolder('keys.ndjson'), given.map((line) => JSON.stringify(line)).join('\n'))
    await withDatabase(embedded, async ({ prisma, withSession }) => {
      const before = await prisma.apiKey.count()
      await expect(withSession((session) => importKeys(session, inFolder()))).rejects.toThrow(
        `The key ${otherId} has the secret of another key; no key was added`,
      )
      expect(await prisma.apiKey.count()).toBe(before)
    })
  },
)

test('A folder is refused if it is no catalog, or has one already', async () => {
  await writeFile(inFolder('catalog.json'), '{"version":2,"datasets":[],"hasKeys":false}')
  expect(await runCommand(other.env, 'import', inFolder())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("catalog.json can't be read; is this a folder of catalog export --all?"),
  })
  const exists = expect.stringContaining('catalog.json exists; replace it with --force')
  expect(await runCommand(other.env, 'export', '--all', inFolder())).toMatchObject({ code: 1, stderr: exists })
  expect(await runCommand(other.env, 'export', '--all', inFolder(), '--format', 'csv')).toMatchObject({ code: 1 })
  expect((await runCommand(other.env, 'export', 'x', '--format', 'csv', '--with-keys')).stderr).toContain('needs --all')
})

test('An export that replaces another one leaves no dataset that was removed meanwhile', async () => {
  const path = inFolder('replaced')
  const options = { folder: path, force: true, withKeys: false, onDataset: () => {} }
  const bundles = async () => (await readdir(join(path, 'datasets'))).sort()
  await withDatabase(embedded, async (database) => {
    await exportCatalog(database, options)
    const before = await bundles()
    await database.prisma.dataset.delete({ where: { slug: 'seoul-markets' } })
    await exportCatalog(database, options)
    expect(await bundles()).toEqual(before.filter((slug) => slug !== 'seoul-markets'))
    expect(before).toContain('seoul-markets')
  })
})
