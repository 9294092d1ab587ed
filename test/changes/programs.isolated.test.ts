import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp, useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { createDatabase } from '../support/database.ts'
import { CHECKOUT, environment, runProcess } from '../support/process.ts'
import { exportOf } from './copy.ts'

/* The programs of docs/changes.md, and `catalog mirror` under constant changes, killed again and again. */

const t = useApp()

const sql = async (statement: string) => {
  await t.database.withSession((session) => session.query(statement))
  await t.hearChanges()
}

const CHANGES = [
  `UPDATE items SET name = name || '!' WHERE category_code = 'palace'`,
  `DELETE FROM items WHERE name LIKE 'Twin%' AND parent_item_id IS NULL`,
  `UPDATE datasets SET epoch = gen_random_uuid() WHERE slug = 'seoul'`,
]

const program = (name: string) => join(CHECKOUT, 'test/clients', name)

/** A program that the machine may lack. CI has them. */
const lacks = (name: string) => process.env.CI === undefined && spawnSync(name, ['--version']).status !== 0

test.skipIf(lacks('jq'))('follow.sh keeps a file that is the export, after changes and after a 410', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'follow-'))
  const file = join(folder.path, 'copy.ndjson')
  for (const change of ['SELECT', ...CHANGES]) {
    await sql(change)
    const { code, stderr } = await runProcess(
      'sh',
      [program('follow.sh'), t.url, 'seoul', file],
      environment({ KEY: t.key }),
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(await readFile(file, 'utf8')).toBe(await exportOf(t, 'seoul'))
  }
})

test.skipIf(lacks('python3'))(
  'follow.py keeps the lines of the export in SQLite, after changes and after a 410',
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'follow-'))
    const database = join(folder.path, 'copy.db')
    const read = `import sqlite3; [print(line) for (line,) in sqlite3.connect('${database}').execute('SELECT line FROM items ORDER BY id')]`
    for (const change of ['SELECT', ...CHANGES]) {
      await sql(change)
      const { code, stderr } = await runProcess(
        'python3',
        [program('follow.py'), t.url, 'seoul', database],
        environment({ KEY: t.key }),
      )
      expect([code, stderr]).toEqual([0, ''])
      const { stdout } = await runProcess('python3', ['-c', read], environment({}))
      expect(stdout).toBe(await exportOf(t, 'seoul'))
    }
  },
)

/** How often the mirror is killed. The night kills it more often. */
const KILLS = process.env.TEST_SUITE === 'night' ? 50 : 5

/** A catalog without datasets, with a key and with what keeps the dataset of another one in it. */
async function startCopy(origin: { url: string; key: string }) {
  const database = await createDatabase()
  const app = await startApp({ beside: database })
  const env = environment({ ...database.env, CATALOG_API_KEY: origin.key })
  const args = [join(CHECKOUT, 'src/cli.ts'), 'mirror', origin.url, '--dataset', 'seoul']
  return {
    ...{ url: app.url, key: app.key, hearChanges: app.hearChanges },
    mirror: () => runProcess(process.execPath, args, env),
    follow: () => spawn(process.execPath, [...args, '--follow'], { env, stdio: ['ignore', 'pipe', 'ignore'] }),
    close: async () => {
      await app.close()
      await database.close()
    },
  }
}

test('mirrors in a chain that are killed again and again show only states that have existed, and end with the last one', async () => {
  const first = await startCopy(t)
  expect(await first.mirror()).toMatchObject({ code: 0 })
  const second = await startCopy(first)
  const chain = [first, second]
  const states = new Set([await exportOf(t, 'seoul')])
  let isWriting = true
  const write = async () => {
    for (let n = 0; isWriting; n += 1) {
      await sql(`UPDATE items SET name = 'State ${n}', updated_at = now() WHERE dataset_id = '${DATASET.seoul}'`)
      states.add(await exportOf(t, 'seoul'))
    }
  }
  const seen = chain.map(() => new Set<string>())
  const read = async () => {
    while (isWriting) {
      for (const [n, { url, key }] of chain.entries()) {
        const response = await fetch(`${url}/exports/seoul.ndjson`, { headers: { authorization: `Bearer ${key}` } })
        const text = await response.text().catch(() => '')
        if (response.status === 200 && text !== '') seen[n]?.add(text)
      }
      await sleep(20)
    }
  }
  const running = [write(), read()]
  for (let n = 0; n < KILLS; n += 1) {
    const mirrors = chain.map(({ follow }) => follow())
    await Promise.all(mirrors.map(({ stdout }) => once(stdout, 'data')))
    for (const mirror of mirrors) {
      await sleep(300 * Math.random())
      mirror.kill('SIGKILL')
      await once(mirror, 'close')
    }
  }
  isWriting = false
  await Promise.all(running)
  for (const { mirror, hearChanges } of chain) {
    expect(await mirror()).toMatchObject({ code: 0 })
    await hearChanges()
  }
  for (const copy of chain) expect(await exportOf(copy, 'seoul')).toBe(await exportOf(t, 'seoul'))
  for (const texts of seen) {
    expect([...texts].filter((text) => !states.has(text))).toEqual([])
    expect(texts.size).toBeGreaterThan(1)
  }
  for (const { close } of chain) await close()
})
