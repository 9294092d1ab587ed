import { hash } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { forgetChanges, resetChanges } from '../../src/changes/retention.ts'
import { WaitingRequests } from '../../src/changes/waiting.ts'
import { clockMs, FeedState } from '../../src/database/change-feed.ts'
import { startApp, useApp } from '../support/app.ts'
import { DATASET, ITEM, SEOUL_ITEMS } from '../support/catalog.ts'
import { authorization, open, recordsOf } from '../support/exports.ts'
import { Copy, exportOf, readChanges } from './copy.ts'

const t = useApp()

const sql = async (statement: string, values?: unknown[]) => {
  await t.database.withSession((session) => session.query(statement, values))
  await t.hearChanges()
}

const rename = (id: string, name: string) => sql('UPDATE items SET name = $2 WHERE id = $1', [id, name])

test('without a cursor it gives the dataset with its labels, each item as its line in the export, and a cursor', async () => {
  const page = await readChanges(t, 'seoul')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  const [first = '', ...puts] = page.lines
  const { dataset, ...others } = JSON.parse(first)
  expect(others).toEqual({})
  const { data: detail } = await (await t.get('/v1/datasets/seoul')).json()
  const { data: list } = await (await t.get('/v1/datasets')).json()
  const [listed] = list.filter(({ slug }: { slug: string }) => slug === 'seoul')
  const { labels, ...members } = dataset
  expect(members).toEqual({ ...listed, ...detail })
  expect(labels).toEqual({})
  expect(puts.map((line) => line.slice('{"put":'.length, -1)).join('\n')).toBe((await exportOf(t, 'seoul')).trimEnd())
  expect(page.isComplete).toBe(true)
})

test('a limit counts items; the pages together are everything', async () => {
  const copy = new Copy(t, DATASET.seoul)
  let pages = 0
  do {
    await copy.follow(4)
    pages += 1
  } while (!copy.isComplete)
  expect(pages).toBe(Math.ceil(SEOUL_ITEMS.length / 4))
  expect(copy.lines).toBe(await exportOf(t, 'seoul'))
})

test('after a cursor it gives each changed item once, as it is now, and the ids of removed ones', async () => {
  const { cursor: since } = await readChanges(t, 'seoul')
  expect((await readChanges(t, 'seoul', { since })).lines).toEqual([])
  await rename(ITEM.gate, 'First')
  await rename(ITEM.gate, 'Second')
  await sql('DELETE FROM items WHERE id = $1', [ITEM.plain])
  await sql(`UPDATE images SET alt_text = 'Seen' WHERE item_id = $1`, [ITEM.palace])
  const { lines } = await readChanges(t, 'seoul', { since })
  const changes = lines.map((line) => JSON.parse(line))
  expect(changes.map((change) => change.put?.id ?? change.delete)).toEqual([ITEM.gate, ITEM.plain, ITEM.palace])
  expect(changes[0].put.name).toBe('Second')
  expect(changes[1]).toEqual({ delete: ITEM.plain })
  expect(changes[2].put.images[0].altText).toBe('Seen')
})

test('a change of the dataset or of a label gives the dataset', async () => {
  const { cursor: since } = await readChanges(t, 'seoul')
  await sql(`UPDATE datasets SET description = 'Other' WHERE id = $1`, [DATASET.seoul])
  const page = await readChanges(t, 'seoul', { since })
  expect(page.lines.map((line) => JSON.parse(line).dataset.description)).toEqual(['Other'])
  await sql(
    `INSERT INTO code_labels VALUES ($1, 'categoryCode', 'hall', 'Hall')
         ON CONFLICT (dataset_id, field, code) DO UPDATE SET label = 'Hall'`,
    [DATASET.seoul],
  )
  const later = await readChanges(t, 'seoul', { since: page.cursor })
  expect(later.lines.map((line) => JSON.parse(line).dataset.labels.categoryCode.hall)).toEqual(['Hall'])
})

test.each([
  ['a text that is no cursor', 'x', 'must be a cursor from an earlier page'],
  ['a cursor with another end', '', 'must be a cursor from an earlier page'],
  ['a cursor of another dataset', 'archived', 'must be a cursor of this dataset'],
])('%s is a bad parameter', async (_, given, message) => {
  const since = given === 'archived' ? (await readChanges(t, 'archived')).cursor : given
  const { status, body } = await readChanges(t, 'seoul', { since })
  expect([status, JSON.parse(body).error]).toMatchObject([
    400,
    { code: 'VALIDATION_FAILED', details: [{ field: 'since', message }] },
  ])
})

test.each(['0', '10001', 'x', '1.5'])('the limit %s is a bad parameter', async (limit) => {
  const response = await t.get(`/changes/seoul?limit=${limit}`)
  expect(response.status).toBe(400)
  expect((await response.json()).error.details[0].field).toBe('limit')
})

test('an unknown parameter is a bad parameter', async () => {
  expect((await t.get('/changes/seoul?cursor=x')).status).toBe(400)
})

test.each([
  ['a new epoch', `UPDATE datasets SET epoch = gen_random_uuid() WHERE slug = 'seoul'`],
  ['TRUNCATE', 'TRUNCATE images'],
  ['a new count of all items', 'SELECT recount_items()'],
])('%s expires cursors: the error says to replace the copy, and where to begin', async (_, statement) => {
  const { cursor: since } = await readChanges(t, 'seoul')
  await sql(statement)
  const { status, headers, body } = await readChanges(t, 'seoul', { since })
  expect([status, JSON.parse(body).error]).toMatchObject([410, { code: 'CURSOR_EXPIRED' }])
  expect(JSON.parse(body).error.message).toMatch(/replace the copy/)
  expect(headers.get('link')).toBe('</changes/seoul>; rel="first"')
})

test('a cursor of a dataset that was removed and made again is expired', async () => {
  const { cursor: since } = await readChanges(t, 'archived')
  await sql(`CREATE TEMPORARY TABLE made AS SELECT * FROM datasets WHERE slug = 'archived';
    DELETE FROM datasets WHERE slug = 'archived'; INSERT INTO datasets SELECT * FROM made`)
  expect((await readChanges(t, 'archived', { since })).status).toBe(410)
})

test('a copy of an empty dataset gets its first items, and loses those that are gone, without beginning again', async () => {
  await sql(`INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
             VALUES (gen_random_uuid(), 'filled', 'Filled', 'active', 'public', '', now(), now())`)
  const copy = new Copy(t, 'filled')
  expect(await copy.follow()).toBe(200)
  const { cursor } = copy
  await sql(`INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
             SELECT gen_random_uuid(), id, 'New ' || n, '', '', 1, 2, now(), now() FROM datasets, generate_series(1, 3) AS n WHERE slug = 'filled'`)
  expect(await copy.follow()).toBe(200)
  expect(copy.lines).toBe(await exportOf(t, 'filled'))
  // The first UUID of all is one too.
  await sql(`UPDATE items SET id = '00000000-0000-0000-0000-000000000000' WHERE name = 'New 1'`)
  const other = new Copy(t, 'filled')
  await other.complete(1)
  expect(other.lines).toBe(await exportOf(t, 'filled'))
  await sql(`DELETE FROM items WHERE name = 'New 2'`)
  // A client that was killed before it stored the cursor.
  copy.cursor = cursor
  while ((await copy.follow()) === 200 && !copy.isComplete);
  expect([copy.isComplete, copy.lines]).toEqual([true, await exportOf(t, 'filled')])
})

test('a cursor of another epoch is expired, whatever the revisions say', async () => {
  const { cursor: since } = await readChanges(t, 'seoul')
  await sql(`SET session_replication_role = replica;
    UPDATE datasets SET epoch = gen_random_uuid() WHERE slug = 'seoul';
    RESET session_replication_role; SELECT pg_notify('catalog', 'everything')`)
  expect((await readChanges(t, 'seoul', { since })).status).toBe(410)
})

test('access is that of the export', async () => {
  const statuses = []
  for (const slug of ['draft', 'restricted', 'paid', 'none']) statuses.push((await readChanges(t, slug)).status)
  expect(statuses).toEqual([403, 403, 403, 404])
  expect((await t.get('/changes/seoul', {})).status).toBe(401)
})

test('a cursor holds for another key', async () => {
  const { cursor: since } = await readChanges(t, 'seoul')
  const { key } = await createKey(t.database.prisma, { name: 'other' })
  expect((await readChanges({ ...t, key }, 'seoul', { since })).status).toBe(200)
})

test('a page has a tag, a content coding, and a link to the next page', async () => {
  const headers = authorization(t.key)
  const response = await fetch(`${t.url}/changes/seoul?limit=3`, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  })
  const { cursor } = recordsOf(await response.text()).at(-1)
  expect(response.headers.get('link')).toBe(`</changes/${DATASET.seoul}?since=${cursor}&limit=3>; rel="next"`)
  const etag = response.headers.get('etag') ?? ''
  const again = await fetch(`${t.url}/changes/seoul?limit=3`, { headers: { ...headers, 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const coded = await open(t, '/changes/seoul', { 'accept-encoding': 'gzip' })
  expect(coded.headers['content-encoding']).toBe('gzip')
  const chunks = await coded.toArray()
  expect(recordsOf(String(gunzipSync(Buffer.concat(chunks)))).at(-1).complete).toBe(true)
  const head = await fetch(`${t.url}/changes/seoul`, { method: 'HEAD', headers })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test.each(['ndjson', 'csv', 'parquet'])('an export as %s can be followed', async (format) => {
  const response = await t.get(`/exports/seoul.${format}`)
  await response.arrayBuffer()
  const [, address = ''] = /^<(.*)>; rel="monitor"$/.exec(response.headers.get('link') ?? '') ?? []
  expect(recordsOf(await (await t.get(address)).text())).toMatchObject([{ complete: true }])
  await rename(ITEM.tower, `Tower in ${format}`)
  expect(recordsOf(await (await t.get(address)).text())).toMatchObject([{ put: { id: ITEM.tower } }, {}])
})

test.each(['ndjson', 'csv', 'parquet'])(
  'HEAD of an export as %s has its SHA-256 for who wants it, and the cursor',
  async (format) => {
    const path = `/exports/seoul.${format}`
    const head = (preference: string) =>
      fetch(t.url + path, { method: 'HEAD', headers: { ...authorization(t.key), 'want-repr-digest': preference } })
    const { status, headers } = await head('sha-512=10, sha-256=1')
    const file = Buffer.from(await (await t.get(path)).arrayBuffer())
    expect([status, headers.get('repr-digest')]).toEqual([200, `sha-256=:${hash('sha256', file, 'base64')}:`])
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('link')).toContain((await readChanges(t, 'seoul')).cursor)
    for (const other of ['sha-256=0', 'md5=1']) expect((await head(other)).headers.get('repr-digest')).toBeNull()
    expect(
      (await t.get(path, { ...authorization(t.key), 'want-repr-digest': 'sha-256=1' })).headers.get('repr-digest'),
    ).toBeNull()
  },
)

test('a request that prefers to wait gets the next change when it is committed', async () => {
  const { cursor: since } = await readChanges(t, 'seoul')
  const waiting = readChanges(t, 'seoul', { since }, { prefer: 'wait=60' })
  // Neither the heartbeats of the change feed nor another dataset end the wait.
  await sleep(700)
  await sql(`UPDATE datasets SET description = 'Other' WHERE id = $1`, [DATASET.paid])
  await rename(ITEM.hall, 'Waited for')
  const { lines, headers } = await waiting
  expect(headers.get('preference-applied')).toBe('wait=60')
  expect(lines.map((line) => JSON.parse(line).put.name)).toEqual(['Waited for'])
})

test('it waits as long as it prefers, and then the page is empty; something new does not wait', async () => {
  const { cursor: since } = await readChanges(t, 'seoul', { limit: 2 })
  const page = await readChanges(t, 'seoul', { since }, { prefer: 'wait=60' })
  expect(page.lines).not.toEqual([])
  const { lines, isComplete } = await readChanges(t, 'seoul', { since: page.cursor }, { prefer: 'wait=1' })
  expect([lines, isComplete]).toEqual([[], true])
})

test.each(['wait=0', 'wait=-1', 'wait=x', 'respond-async'])('the preference %s is none', async (prefer) => {
  const { cursor: since } = await readChanges(t, 'seoul')
  const { status, headers } = await readChanges(t, 'seoul', { since }, { prefer })
  expect([status, headers.get('preference-applied')]).toEqual([200, null])
})

test('a key that is revoked, and one that loses its grant, are told while they wait', async () => {
  const { prisma } = t.database
  const revoked = await createKey(prisma, { name: 'revoked' })
  const granted = await createKey(prisma, { name: 'granted' })
  await sql('INSERT INTO grants (api_key_id, dataset_id, created_at) VALUES ($1, $2, now())', [
    granted.id,
    DATASET.restricted,
  ])
  await t.hearChanges()
  const wait = async (key: string, slug: string) => {
    const { cursor: since } = await readChanges({ ...t, key }, slug)
    return readChanges({ ...t, key }, slug, { since }, { prefer: 'wait=60' })
  }
  const waiting = [wait(revoked.key, 'seoul'), wait(granted.key, 'restricted')]
  await revokeKey(prisma, revoked.id)
  await sql('DELETE FROM grants WHERE api_key_id = $1', [granted.id])
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([401, 403])
})

test('waits go on while the change feed may miss changes, and end when it is complete again', async () => {
  const state = new FeedState()
  const feed = state.feed({ announced: async () => {}, close: async () => {} })
  const completeFor = (ms: number) =>
    state.apply({ kind: 'complete', untilMs: clockMs() + ms, untilDateMs: Date.now() + ms })
  const waiting = new WaitingRequests(feed, { take: () => true, release: () => {} })
  const ended: string[] = []
  const wait = async (name: string) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    await waiting.wait({ keyId: name, topics: ['dataset a'], since: feed.latest(), timeMs: 60_000, response })
    ended.push(name)
  }
  completeFor(60_000)
  const waits = [wait('before')]
  state.apply({ kind: 'disconnected' })
  waits.push(wait('meanwhile'))
  state.apply({ kind: 'connected' })
  await sleep(20)
  expect(ended).toEqual([])
  completeFor(60_000)
  await Promise.all(waits)
  expect(ended.sort()).toEqual(['before', 'meanwhile'])
})

test('more requests than MAX_WAITING_REQUESTS are refused, and a stop ends those that wait', async () => {
  const one = await startApp({ beside: t, limits: { maxWaiting: 2 } })
  const { cursor: since } = await readChanges(one, 'seoul')
  const wait = () => readChanges(one, 'seoul', { since }, { prefer: 'wait=60' })
  const three = [wait(), wait(), wait()]
  const refused = await Promise.race(three)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  await one.app.close()
  expect((await Promise.all(three)).map(({ status }) => status).sort()).toEqual([200, 200, 503])
})

test('a cursor between the changes of one revision expires with them', async () => {
  const { cursor } = await readChanges(t, 'seoul')
  await sql(`UPDATE items SET description = 'All' WHERE dataset_id = $1`, [DATASET.seoul])
  const { cursor: since } = await readChanges(t, 'seoul', { since: cursor, limit: 1 })
  await t.database.withSession((session) => forgetChanges(session, 0))
  expect((await readChanges(t, 'seoul', { since })).status).toBe(410)
})

/** Gives a dataset an earlier revision and epoch, as a restored backup has them. */
const restoreTo = (revision: string, epoch: string) =>
  sql(`SET session_replication_role = replica;
       UPDATE datasets SET revision = ${revision}, epoch = '${epoch}' WHERE slug = 'seoul';
       RESET session_replication_role; SELECT pg_notify('catalog', 'everything')`)

test('a cursor of changes that a restored backup lacks is expired, and so is each cursor after a reset', async () => {
  const { revision, epoch } = await t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'seoul' } })
  const { cursor: before } = await readChanges(t, 'seoul')
  await rename(ITEM.same1, 'Lost')
  const { cursor: lost } = await readChanges(t, 'seoul', { since: before })
  await restoreTo(String(revision), epoch)
  expect((await readChanges(t, 'seoul', { since: lost })).status).toBe(410)
  expect((await readChanges(t, 'seoul', { since: before })).status).toBe(200)
  await t.database.withSession((session) => resetChanges(session, [DATASET.seoul]))
  await t.hearChanges()
  for (const since of [before, lost]) expect((await readChanges(t, 'seoul', { since })).status).toBe(410)
})

test('writers to one dataset commit in the order of their revisions, so a copy misses no change of two at once', async () => {
  const copy = new Copy(t, 'seoul')
  await copy.complete()
  const released = Promise.withResolvers<void>()
  const first = t.database.withSession(async (session) => {
    await session.query(`BEGIN; UPDATE items SET name = 'First of two' WHERE id = '${ITEM.tower}'`)
    await released.promise
    await session.query('COMMIT')
  })
  const second = rename(ITEM.museum, 'Second of two')
  const followed = copy.complete()
  await sleep(200)
  released.resolve()
  await Promise.all([first, second, followed])
  await t.hearChanges()
  await copy.complete()
  expect(copy.lines).toBe(await exportOf(t, 'seoul'))
})
