import { mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { importManifest } from '../../src/import/import.ts'
import { Collected } from '../../src/mirror/collected.ts'
import { followDatasets } from '../../src/mirror/follow.ts'
import { mirrorIntoDatabase } from '../../src/mirror/into-database.ts'
import { mirrorIntoFolder } from '../../src/mirror/into-folder.ts'
import { Origin } from '../../src/mirror/origin.ts'
import { startApp, type TestApp, useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { createDatabase } from '../support/database.ts'
import { authorization, recordsOf } from '../support/exports.ts'
import { exportOf } from './copy.ts'

/* docs/changes.md: `catalog mirror` keeps datasets of one catalog in another one, or in a folder. */

const t = useApp()

const originOf = (url: string, key: string) => new Origin({ url, key, isPatient: false, onRetry: () => {} })

const run = async (app: Pick<TestApp, 'database'>, statement: string, values?: unknown[]) => {
  await app.database.withSession((session) => session.query(statement, values))
}

async function statesOf<State>(followed: AsyncIterable<State>): Promise<State[]> {
  const states: State[] = []
  for await (const state of followed) states.push(state)
  return states
}

/** Copies a dataset once. Returns the last state. */
async function mirror(copy: Pick<TestApp, 'database'>, from: Pick<TestApp, 'url' | 'key'> = t, slug = 'seoul') {
  const options = { isFollowing: false, change: { command: 'catalog mirror', undoDays: 30 }, onPage: () => {} }
  const states = await statesOf(mirrorIntoDatabase(copy.database, originOf(from.url, from.key), slug, options))
  return states.at(-1)
}

/** A catalog that is empty. */
async function startEmpty() {
  const database = await createDatabase()
  const copy = await startApp({ beside: database })
  onTestFinished(async () => {
    await copy.close()
    await database.close()
  })
  return copy
}

const ROUTES = [
  '/v1/datasets/seoul',
  '/v1/datasets/seoul/items?limit=100',
  '/v1/datasets/seoul/items?limit=3&page=2&sort=createdAt&order=desc',
  `/v1/dataset-items/${ITEM.palace}`,
  `/v1/dataset-items/nearby?latitude=37.57&longitude=126.98&radius=20000&datasetId=${DATASET.seoul}`,
  '/exports/seoul.ndjson',
]

/** The bodies of all routes, without the ids of requests. */
const bodiesOf = async ({ url, key }: Pick<TestApp, 'url' | 'key'>) =>
  Promise.all(ROUTES.map(async (route) => (await fetch(url + route, { headers: authorization(key) })).text()))

test('a copy answers as the origin does, byte for byte, also after changes and as the origin of another copy', async () => {
  const [copy, second] = [await startEmpty(), await startEmpty()]
  expect(await mirror(copy)).toMatchObject({ kind: 'complete', counts: { created: 9, updated: 0, removed: 0 } })
  await copy.hearChanges()
  expect(await bodiesOf(copy)).toEqual(await bodiesOf(t))

  await run(
    t,
    `UPDATE items SET name = 'Other', extra_attributes = '{"n": 1.50, "big": 12345678901234567890}' WHERE id = $1`,
    [ITEM.gate],
  )
  await run(t, 'DELETE FROM items WHERE id = $1', [ITEM.plain])
  await run(t, `UPDATE images SET alt_text = 'é' WHERE item_id = $1`, [ITEM.palace])
  await run(t, `UPDATE datasets SET description = 'Changed', updated_at = '2026-05-05T05:05:05.555Z' WHERE id = $1`, [
    DATASET.seoul,
  ])
  await run(t, `INSERT INTO code_labels VALUES ($1, 'categoryCode', 'hall', 'Hall') ON CONFLICT DO NOTHING`, [
    DATASET.seoul,
  ])
  await t.hearChanges()
  expect(await mirror(copy)).toMatchObject({ counts: { created: 0, updated: 2, removed: 1, unchanged: 0 } })
  await copy.hearChanges()
  expect(await bodiesOf(copy)).toEqual(await bodiesOf(t))
  expect(await mirror(copy)).toMatchObject({ kind: 'complete', counts: undefined })

  await mirror(second, copy)
  await second.hearChanges()
  expect(await bodiesOf(second)).toEqual(await bodiesOf(t))
})

test('after a 410 the copy is compared with the whole, and only what differs is written', async () => {
  const copy = await startEmpty()
  await mirror(copy)
  await run(t, `UPDATE datasets SET epoch = gen_random_uuid() WHERE id = $1`, [DATASET.seoul])
  await run(t, `UPDATE items SET name = 'Again' WHERE id = $1`, [ITEM.tower])
  await t.hearChanges()
  expect(await mirror(copy)).toMatchObject({ counts: { created: 0, updated: 1, removed: 0 } })
})

test('a copy whose origin refuses the key is inactive and says why; with access again it is active', async () => {
  const copy = await startEmpty()
  await mirror(copy)
  await run(t, `UPDATE datasets SET visibility = 'restricted' WHERE id = $1`, [DATASET.seoul])
  await t.hearChanges()
  expect(await mirror(copy)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^403: /) })
  const found = async () => {
    const { prisma } = copy.database
    return { ...(await prisma.mirror.findFirst()), copy: await prisma.dataset.findFirst() }
  }
  expect(await found()).toMatchObject({ problem: expect.stringMatching(/^403/), copy: { status: 'inactive' } })
  await run(t, `UPDATE datasets SET visibility = 'public' WHERE id = $1`, [DATASET.seoul])
  await t.hearChanges()
  await mirror(copy)
  expect(await found()).toMatchObject({ problem: null, copy: { status: 'active', visibility: 'public' } })
})

test('a dataset that is here and is no copy stays', async () => {
  await expect(mirror(t, t, 'archived')).rejects.toThrow('A dataset archived is here and is no copy')
})

test('an import into a copy is refused; with --detach it is a dataset of its own', async () => {
  const copy = await startEmpty()
  await mirror(copy)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  const manifest = join(folder.path, 'm.json')
  const row = { externalId: 'a', name: 'A', administrativeAreaCode: '1', categoryCode: 'c', latitude: 1, longitude: 2 }
  await writeFile(join(folder.path, 'a.ndjson'), JSON.stringify(row))
  const dataset = { slug: 'seoul', name: 'Own', attribution: 'Us', status: 'active', visibility: 'public' }
  await writeFile(manifest, JSON.stringify({ dataset, items: [{ file: 'a.ndjson' }] }))
  const options = { keepMissing: true, skipInvalid: false }
  await expect(importManifest(copy.database, manifest, options)).rejects.toThrow(
    `The dataset seoul is a copy from ${t.url}; with --detach it becomes a dataset of its own`,
  )
  expect(await importManifest(copy.database, manifest, { ...options, detach: true })).toMatchObject({ created: 1 })
  await expect(mirror(copy)).rejects.toThrow('is no copy')
})

test('the command copies all datasets of the key; an item that has moved to another one moves in the copies', async () => {
  const copy = await startEmpty()
  const env = { ...copy.env, CATALOG_API_KEY: t.key }
  expect(await runCommand(env, 'mirror', t.url)).toMatchObject({ code: 0, stderr: '' })
  await run(t, 'UPDATE items SET dataset_id = $2, parent_item_id = NULL WHERE id = $1', [ITEM.same2, DATASET.archived])
  await t.hearChanges()
  const both = ['--dataset', 'archived', '--dataset', 'seoul', '--json']
  const { code, stdout } = await runCommand(env, 'mirror', t.url, ...both)
  expect(code).toBe(0)
  expect(recordsOf(stdout)).toMatchObject([
    { dataset: 'seoul', counts: { removed: 1 } },
    { dataset: 'archived', counts: { created: 1 } },
  ])
  const { stdout: shown } = await runCommand(env, 'datasets', 'show', 'archived')
  expect(shown).toContain(`copy of       ${t.url}`)
})

test('the command needs a key', async () => {
  const { code, stderr } = await runCommand({}, 'mirror', t.url)
  expect([code, stderr]).toEqual([1, 'catalog: CATALOG_API_KEY is not set: it has the API key of the other catalog\n'])
})

/** Keeps a dataset in a folder, once. */
const intoFolder = (folder: string, from: { url: string; key: string } = t) =>
  statesOf(mirrorIntoFolder(originOf(from.url, from.key), 'seoul', { folder, isFollowing: false, onPage: () => {} }))

test('a copy in a folder is the export, also after changes, and after a kill that left its file or its pages', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  const path = join(folder.path, 'seoul.ndjson')
  await intoFolder(folder.path)
  expect(await readFile(path, 'utf8')).toBe(await exportOf(t, 'seoul'))
  const state = await readFile(join(folder.path, 'seoul.json'), 'utf8')
  await run(t, `UPDATE items SET name = 'In a folder' WHERE id = $1`, [ITEM.museum])
  await run(t, 'DELETE FROM items WHERE id = $1', [ITEM.hall])
  await t.hearChanges()
  await intoFolder(folder.path)
  expect(await readFile(path, 'utf8')).toBe(await exportOf(t, 'seoul'))
  // The file is new, and its cursor still the old one.
  await writeFile(join(folder.path, 'seoul.json'), state)
  await intoFolder(folder.path)
  expect(await readFile(path, 'utf8')).toBe(await exportOf(t, 'seoul'))
  await rm(path)
  await writeFile(join(folder.path, 'seoul.pages.partial'), 'half a li')
  await intoFolder(folder.path)
  expect(await readFile(path, 'utf8')).toBe(await exportOf(t, 'seoul'))
})

test('an item that was removed and is there again is in the copy', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  const collected = new Collected(join(folder.path, 'pages'), true)
  const put = (id: string) => `{"put":{"id":"${id}"}}`
  await collected.add([put('a'), '{"delete":"b"}'])
  await collected.add([put('b'), put('c'), put('a')])
  expect(await statesOf(collected.items())).toEqual(['a', 'b', 'c'].map((id) => [id, `{"id":"${id}"}`]))
})

/** Serves HTTP on a free port. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

test('a key never follows a redirect to another origin', async () => {
  const keys: (string | undefined)[] = []
  const other = await serve(({ headers }, response) => {
    keys.push(headers.authorization)
    response.end()
  })
  const url = await serve((_, response) => void response.writeHead(302, { location: `${other}/changes/seoul` }).end())
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  await expect(intoFolder(folder.path, { url, key: t.key })).rejects.toThrow(`${url} redirects to ${other}`)
  expect(keys).toEqual([])
})

test('an origin can not name a file outside of the folder', async () => {
  const url = await serve((_, response) => void response.end(JSON.stringify({ data: [{ slug: '../outside' }] })))
  await expect(originOf(url, t.key).datasets()).rejects.toThrow()
  const states = mirrorIntoFolder(originOf(url, t.key), '../outside', {
    folder: tmpdir(),
    isFollowing: false,
    onPage: () => {},
  })
  await expect(statesOf(states)).rejects.toThrow('../outside is no slug of a dataset')
})

test('a page without its last line is not applied, and is asked for again', async () => {
  let requests = 0
  const url = await serve((request, response) => {
    requests += 1
    void fetch(t.url + request.url, { headers: { authorization: String(request.headers.authorization) } })
      .then((answer) => answer.text())
      .then((text) => response.end(requests === 1 ? text.slice(0, text.lastIndexOf('{"cursor"')) : text))
  })
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  await intoFolder(folder.path, { url, key: t.key })
  expect(requests).toBe(2)
  expect(await readFile(join(folder.path, 'seoul.ndjson'), 'utf8')).toBe(await exportOf(t, 'seoul'))
})

test('a first copy that was broken off goes on from its last page', async () => {
  const asked: (string | null)[] = []
  let isBroken = true
  const url = await serve(({ url: path = '', headers: { authorization: given } }, response) => {
    const address = new URL(path, t.url)
    asked.push(address.searchParams.get('since'))
    if (isBroken && asked.length > 2) return void response.writeHead(400).end()
    address.searchParams.set('limit', '2')
    void fetch(address, { headers: { authorization: String(given) } })
      .then((answer) => answer.text())
      .then((text) => response.end(text))
  })
  const copy = await startEmpty()
  await expect(mirror(copy, { url, key: t.key })).rejects.toThrow('answers 400')
  const [last] = asked.slice(-1)
  isBroken = false
  asked.length = 0
  expect(await mirror(copy, { url, key: t.key })).toMatchObject({ kind: 'complete' })
  expect(asked[0]).toBe(last)
  await copy.hearChanges()
  expect(await exportOf(copy, 'seoul')).toBe(await exportOf(t, 'seoul'))
})

test('datasets that are new later are followed too, each once, until one fails', async () => {
  const found = [['a'], ['a', 'b'], ['a renamed', 'b', 'c']]
  const copied: string[] = []
  const find = async () => (found.shift() ?? []).map((slug) => ({ id: slug.charAt(0), slug }))
  const pause = () => (found.length > 0 ? Promise.resolve() : new Promise<void>(() => {}))
  const following = followDatasets(find, { pause }, async (slug) => {
    copied.push(slug)
    if (slug === 'c') throw new Error('c fails')
  })
  await expect(following).rejects.toThrow('c fails')
  expect(copied).toEqual(['a', 'b', 'c'])
})

test('a key that does not work is an error that names CATALOG_API_KEY', async () => {
  const { id, key } = await createKey(t.database.prisma, { name: 'gone' })
  await revokeKey(t.database.prisma, id)
  await t.hearChanges()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mirror-'))
  await expect(intoFolder(folder.path, { url: t.url, key })).rejects.toThrow('CATALOG_API_KEY')
})
