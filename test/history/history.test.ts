import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import {
  findEntry,
  findKnownDataset,
  findLastEntry,
  listHistory,
  readEntryChanges,
  type UndoEntry,
} from '../../src/history/entries.ts'
import { removeDataset, updateDataset } from '../../src/import/change-dataset.ts'
import { undoLastEntry } from '../../src/import/undo.ts'
import { type SqlSession, type SqlText, sql } from '../../src/sql.ts'
import { type TestApp, useApp } from '../support/app.ts'
import { newPlace } from '../support/catalog.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { countLockWaits } from '../support/lock-waits.ts'

const app = useApp()
let importer: Importer
beforeEach(async () => {
  importer = await createImporter(app.database)
  await app.database.prisma.historyEntry.deleteMany()
  await app.database.prisma.dataset.deleteMany()
})
afterEach(() => importer.close())

const origin = { command: 'catalog test', undoDays: 30 }
const withSession: TestApp['database']['withSession'] = (use) => app.database.withSession(use)

const image = (n: number, more: object = {}) => ({ originalUrl: `https://example.org/${n}.jpg`, ...more })
const ROWS = [
  row({
    externalId: 'a',
    name: 'A',
    images: [image(1), image(2, { isPrimary: true })],
    extraAttributes: { long: '1.50', n: 7 },
  }),
  row({ externalId: 'b', name: 'B', parentExternalId: 'a', latitude: '35.1', longitude: '129.0325' }),
  row({ externalId: 'c', name: 'C', parentExternalId: 'b', openingHours: '9-18', categoryCode: 'y' }),
  ...Array.from({ length: 30 }, (_, n) => row({ externalId: `n${n}`, name: `N${n}`, latitude: String(30 + n / 10) })),
]
/** Adds an entry that is like the last one. */
const ADD_ENTRY = sql`
  INSERT INTO history_entries
  SELECT added.* FROM (SELECT * FROM history_entries ORDER BY id DESC LIMIT 1) AS last,
         jsonb_populate_record(NULL::history_entries, to_jsonb(last) || jsonb_build_object('id', last.id + 1)) AS added`

const files = (rows: readonly object[] = ROWS) => ({ 'a.ndjson': ndjson(...rows) })
const labels = { categoryCode: { x: 'Ex', y: 'Why' } }

const load = (rows?: readonly object[], options: Parameters<Importer['run']>[1] = {}) =>
  importer.run(files(rows), { labels, origin, ...options })

async function undo(slug = 'places', overwrite = false) {
  const dataset = await find(slug)
  return withSession((session) => undoLastEntry(session, dataset, { ...origin, overwrite }))
}

async function find(slug = 'places') {
  const found = await withSession((session) => findKnownDataset(session, slug))
  if (!found) throw new Error(`There is no ${slug}`)
  return found
}
const remove = async () => {
  const dataset = await find()
  return withSession((session) => removeDataset(session, dataset, undefined, origin))
}
const update = async (changes: Record<string, string>, slug = 'places') => {
  const { id } = await find(slug)
  await withSession((session) => updateDataset(session, id, changes, (field) => field, origin))
}

/** The responses about a dataset: their bytes and ETags. Exports have the revision in their ETags, and none returns. */
async function readAnswers(slug = 'places'): Promise<string[]> {
  await app.hearChanges()
  const paths = [
    ...['/v1/datasets', `/v1/datasets/${slug}`, `/v1/datasets/${slug}/items?limit=100&sort=updatedAt`],
    ...[`/v1/datasets/${slug}/items?categoryCode=x&parentItemId=null`, `/exports/${slug}.ndjson`],
    `/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=50000`,
    `/tiles/${slug}/3/6/3.mvt`,
  ]
  const rest = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(app.url + path, { headers: { authorization: `Bearer ${app.key}` } })
      return `${path} ${response.status} ${/^.exports/.test(path) ? '' : response.headers.get('etag')} ${await response.text()}`.replace(
        /"requestId":"[^"]*"/,
        '',
      )
    }),
  )
  const { body } = await app.graphql(
    `{ dataset(id: "${slug}") { id createdAt updatedAt categories { code label total }
         items(limit: 100) { total nodes { id name createdAt updatedAt parentItemId extraAttributes images { id isPrimary } } } } }`,
  )
  return [...rest, JSON.stringify(body)]
}

/** All rows about datasets, with all columns but the revision and the epoch. */
async function readRows(): Promise<string[]> {
  const { rows } = await withSession((session) =>
    session.query<{ line: string }>(`
      SELECT 'dataset ' || (to_jsonb(d) - 'revision' - 'epoch')::text AS line FROM datasets AS d
      UNION ALL SELECT 'item ' || to_jsonb(i)::text FROM items AS i
      UNION ALL SELECT 'image ' || to_jsonb(i)::text FROM images AS i
      UNION ALL SELECT 'label ' || to_jsonb(l)::text FROM code_labels AS l
      UNION ALL SELECT 'grant ' || to_jsonb(g)::text FROM grants AS g
      UNION ALL SELECT 'count ' || to_jsonb(c)::text FROM item_counts AS c
      UNION ALL SELECT 'tile ' || to_jsonb(c)::text FROM tile_counts AS c
      UNION ALL SELECT 'tile ' || to_jsonb(c)::text FROM tile_category_counts AS c
      ORDER BY 1`),
  )
  return rows.map(({ line }) => line)
}

const state = async (slug?: string) => ({ rows: await readRows(), answers: await readAnswers(slug) })

/** The mistakes of operators. Each is one change. */
const MISTAKES: Readonly<Record<string, () => Promise<unknown>>> = {
  'a wrong sign': () => load(ROWS.map((each) => ({ ...each, longitude: '-127' }))),
  'a wrong file': () => load([row({ externalId: 'z', name: 'Other' })], { labels: { categoryCode: { z: 'Zed' } } }),
  'a removed dataset': () => remove(),
  'a changed description': () => update({ description: 'Wrong', name: 'Wrong', attribution: 'Nobody' }),
  'skipped rows': () =>
    load(
      ROWS.map((each, n) => (n % 3 ? each : { ...each, name: '' })),
      { skipInvalid: true, dataset: { name: 'P' } },
    ),
  'a renamed dataset': () => update({ slug: 'renamed', visibility: 'paid', accessTier: 'gold' }),
  'exchanged parents and identifiers': () =>
    load([
      row({ externalId: 'c', name: 'A' }),
      row({ externalId: 'b', name: 'B', parentExternalId: 'c' }),
      row({ externalId: 'a', name: 'C', parentExternalId: 'b', images: [image(2), image(3)] }),
      ...ROWS.slice(3),
    ]),
}

describe('An undo', () => {
  test.each(Object.entries(MISTAKES))(
    'of %s gives every answer back, byte for byte, and can be undone',
    async (_what, make) => {
      await load()
      const { id } = await createKey(app.database.prisma, { name: 'partner' })
      const dataset = await find()
      await app.database.prisma.grant.create({
        data: { apiKeyId: id, datasetId: dataset.id, createdAt: new Date(), expiresAt: new Date(2e12) },
      })
      const before = await state()
      expect(before.answers.filter((answer) => answer.startsWith('/') && !answer.includes(' 200 '))).toEqual([])
      await make()
      const { slug } = (await withSession((session) => listHistory(session, dataset.id)))[0] ?? { slug: '' }
      const after = await state(slug)
      expect(after.rows).not.toEqual(before.rows)
      await undo(slug)
      expect(await state()).toEqual(before)
      await undo()
      expect(await state(slug)).toEqual(after)
      await undo(slug)
      expect(await state()).toEqual(before)
      const findings = await withSession((session) => checkHealth(session))
      expect(findings.filter(({ isOk }) => !isOk)).toEqual([])
    },
  )

  test('of a change whose items were deleted by hand is refused once the statement of the doctor has run', async () => {
    await load()
    const health = () => withSession(checkHealth).then((all) => all.find(({ check }) => check === 'history'))
    expect(await health()).toMatchObject({ isOk: true })
    await withSession((session) => session.query('TRUNCATE history_parts'))
    const { found, sql = '' } = (await health()) ?? {}
    expect(found).toMatch(/^\d+ changes can't be undone, because history_parts lacks their items$/)
    await withSession((session) => session.query(sql))
    expect(await health()).toMatchObject({ isOk: true })
    await expect(undo()).rejects.toThrow()
  })

  test('of the first import removes the dataset with its grants, and the next undo brings both back', async () => {
    await load()
    const { id } = await createKey(app.database.prisma, { name: 'partner' })
    const { id: datasetId } = await find()
    await app.database.prisma.grant.create({ data: { apiKeyId: id, datasetId, createdAt: new Date() } })
    const before = await state()
    expect(await undo()).toMatchObject({ exists: false, removed: ROWS.length })
    expect(await readRows()).toEqual([])
    expect(await undo()).toMatchObject({ exists: true, created: ROWS.length })
    expect(await state()).toEqual(before)
    await app.database.prisma.apiKey.delete({ where: { id } })
    await remove()
    await undo()
    expect(await app.database.prisma.grant.count()).toBe(0)
  })

  test('is refused after changes by others, which it names, and overwrites them if it may; that can be undone', async () => {
    await load()
    const before = await state()
    await load(ROWS.map((each, n) => (n < 2 ? { ...each, url: 'https://new.example.org' } : each)).slice(0, -1))
    const { prisma } = app.database
    await prisma.item.updateMany({ where: { externalId: 'a' }, data: { name: 'By hand' } })
    await prisma.image.deleteMany({ where: { item: { externalId: 'a' }, isPrimary: false } })
    await prisma.dataset.updateMany({ data: { name: 'By hand' } })
    const changed = await state()
    const failure = await undo().catch((error: Error) => error.message)
    expect(failure).toContain('Others have changed the dataset places since entry')
    expect(failure).toContain('nothing was undone')
    expect(failure).toContain('the dataset has another name')
    expect(failure).toMatch(/the item [0-9a-f-]{36} \(By hand\) was changed/)
    expect(await state()).toEqual(changed)
    await undo('places', true)
    expect(await state()).toEqual(before)
    await undo()
    expect(await state()).toEqual(changed)
  })

  test('leaves the changes of others to items that it does not touch', async () => {
    await load()
    await load(ROWS.map((each, n) => (n === 0 ? { ...each, name: 'Wrong' } : each)))
    await app.database.prisma.item.updateMany({ where: { externalId: 'c' }, data: { name: 'By hand' } })
    await undo()
    const items = await app.database.prisma.item.findMany({
      where: { externalId: { in: ['a', 'c'] } },
      orderBy: { name: 'asc' },
    })
    expect(items.map(({ name }) => name)).toEqual(['A', 'By hand'])
  })

  test('brings back no part of a dataset that others have removed', async () => {
    await load()
    await load(ROWS.map((each, n) => (n === 0 ? { ...each, name: 'Other' } : each)))
    await app.database.prisma.dataset.deleteMany()
    for (const overwrite of [false, true]) {
      await expect(undo('places', overwrite)).rejects.toThrow('Others have removed the dataset places')
    }
    expect(await app.database.prisma.dataset.count()).toBe(0)
  })

  test('names items that others have moved to another dataset', async () => {
    await load()
    await load(ROWS.map((each) => ({ ...each, name: 'Wrong' })))
    await importer.run(files([row({ externalId: 'other' })]), { origin, dataset: { slug: 'other' } })
    const { id: datasetId } = await find('other')
    const { id } = await app.database.prisma.item.findFirstOrThrow({ where: { externalId: 'n7' } })
    await app.database.prisma.item.update({ where: { id }, data: { datasetId } })
    await expect(undo()).rejects.toThrow(`the item ${id} was removed`)
    await expect(undo('places', true)).rejects.toThrow("can't go back, because it conflicts with later changes")
  })

  test('of a first import names items that others have added', async () => {
    await load()
    const { id: datasetId } = await find()
    const id = '22222222-0000-4000-8000-000000000001'
    await app.database.prisma.item.create({ data: newPlace({ id, datasetId, name: 'By hand' }) })
    await expect(undo()).rejects.toThrow(`the item ${id} (By hand) was added`)
  })

  test('fails with the reason if another dataset has the slug, or an item has the id', async () => {
    await load()
    await remove()
    await importer.run(files([row()]), {
      origin,
      dataset: { slug: 'places', id: '11111111-0000-4000-8000-000000000009' },
    })
    const [first] = await withSession((session) => listHistory(session))
    expect(first?.slug).toBe('places')
    const known = { id: '', slug: 'places', exists: false }
    const removed = (await withSession((session) => listHistory(session))).find(({ action }) => action === 'remove')
    await expect(
      withSession((session) =>
        undoLastEntry(session, { ...known, id: removed?.datasetId ?? '' }, { ...origin, overwrite: false }),
      ),
    ).rejects.toThrow('Another dataset has the slug places now')
  })

  test.runIf(inject('template').kind === 'postgres')(
    'is whole, although another change forgets old entries meanwhile',
    async () => {
      await load()
      const before = await readRows()
      await load(ROWS.slice(0, -1).map((each) => ({ ...each, name: 'Wrong' })))
      await importer.run(files([row({ externalId: 'other' })]), { origin, dataset: { slug: 'other' } })
      const { id: otherId } = await find('other')
      const undone = await withSession(async (other) => {
        await other.query('BEGIN; LOCK TABLE history_parts IN ACCESS EXCLUSIVE MODE')
        const undoing = undo()
        await expect.poll(() => countLockWaits(app.database)).toBe(1)
        // It commits what the session has begun.
        await updateDataset(other, otherId, { name: 'Other' }, (field) => field, { ...origin, undoDays: 0 })
        return undoing
      })
      expect(undone).toMatchObject({ created: 1, updated: ROWS.length - 1, removed: 0 })
      const other = await find('other')
      await withSession((session) => removeDataset(session, other))
      expect(await readRows()).toEqual(before)
    },
  )

  test('is refused if the dataset was changed after it was looked up', async () => {
    await load()
    await load(ROWS.slice(0, 3))
    const before = await readRows()
    const dataset = await find()
    const undoing = withSession((session: SqlSession) => {
      let statements = 0
      const query = async (text: SqlText, values?: readonly unknown[]) => {
        const result = await session.query(text, values)
        statements += 1
        // Another change commits before the dataset is locked.
        if (statements === 1) await session.query(ADD_ENTRY)
        return result
      }
      return undoLastEntry(Object.assign(Object.create(session), { query }), dataset, { ...origin, overwrite: true })
    })
    await expect(undoing).rejects.toThrow('The dataset places was changed meanwhile; nothing was undone')
    expect(await readRows()).toEqual(before)
  })

  test('needs a history, and one that is kept', async () => {
    expect(await withSession((session) => findKnownDataset(session, 'nothing'))).toBeUndefined()
    await load(undefined, { origin: { ...origin, undoDays: 0 } })
    await expect(undo()).rejects.toThrow(
      /entry \d+, can't be undone: it is older than UNDO_DAYS, UNDO_DAYS was 0, or it was copied from another catalog/,
    )
    await app.database.prisma.historyEntry.deleteMany()
    await expect(undo()).rejects.toThrow('The dataset places has no history')
  })
})

describe('The history', () => {
  test('has the files and counts of each change, and keeps them when a change can no longer be undone', async () => {
    await load()
    await load(ROWS.slice(0, -2))
    await load(ROWS.slice(0, -2))
    await update({ description: 'New' })
    const entries = await withSession((session) => listHistory(session))
    expect(entries).toMatchObject([
      { action: 'update', created: 0, updated: 0, removed: 0, slug: 'places', files: [], canUndo: true },
      { action: 'import', created: 0, updated: 0, removed: 2, command: 'catalog test', isStored: true, canUndo: false },
      { action: 'import', created: ROWS.length, updated: 0, removed: 0 },
    ])
    expect(entries[2]?.files).toEqual([
      { name: 'manifest.json', size: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      {
        name: 'a.ndjson',
        size: Buffer.byteLength(files()['a.ndjson']),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    await app.database.prisma.historyEntry.updateMany({ data: { at: new Date('2020-01-01') } })
    await update({ description: 'Newer' })
    expect((await withSession((session) => listHistory(session))).map(({ isStored }) => isStored)).toEqual([
      ...[true, false, false, false],
    ])
    expect(await app.database.prisma.historyPart.count()).toBe(0)
  })

  test('shows what a change did, also after later changes', async () => {
    await load()
    const moved = [
      { ...ROWS[0], latitude: '38.5', name: 'Moved' },
      ...ROWS.slice(1, -1),
      row({ externalId: 'new', name: 'New' }),
    ]
    await load(moved)
    const { id } = await find()
    const entry = await withSession((session) => findLastEntry(session, id))
    if (!entry) throw new Error('The import is no entry')
    await load(ROWS.map((each) => ({ ...each, name: 'Later' })))
    const { items } = await withSession((session) => readEntryChanges(session, entry))
    expect(items).toMatchObject([
      { change: 'created', externalId: 'new', name: 'New' },
      { change: 'removed', externalId: 'n29', name: 'N29' },
      {
        change: 'updated',
        externalId: 'a',
        name: 'Moved',
        members: { name: { before: 'A', after: 'Moved' }, latitude: expect.anything(), updatedAt: expect.anything() },
        movedMetres: 110996.5,
      },
    ])
  })

  test('shows an item that others have removed since by its id, and says nothing else of it', async () => {
    await load()
    await load(ROWS.map((each) => ({ ...each, name: 'Later' })))
    const { id } = await find()
    const entry = await withSession((session) => findLastEntry(session, id))
    if (!entry) throw new Error('The import is no entry')
    const gone = await app.database.prisma.item.findFirstOrThrow({ where: { datasetId: id, externalId: 'n29' } })
    await app.database.prisma.item.delete({ where: { id: gone.id } })
    const changeOf = async (of: UndoEntry) => {
      const { items } = await withSession((session) => readEntryChanges(session, of))
      return items.find((each) => each.id === gone.id)
    }
    const known = { id: gone.id, externalId: 'n29', name: 'N29' }
    expect(await changeOf(entry)).toEqual({ change: 'updated', ...known, members: {} })
    await app.database.prisma.historyEntry.delete({ where: { id: BigInt(entry.id) } })
    const [created] = await withSession((session) => listHistory(session, id))
    const first = await withSession((session) => findEntry(session, created?.id ?? ''))
    expect(await changeOf(first)).toEqual({ change: 'created', id: gone.id, externalId: null, name: null })
  })

  test('has every stored column of an item, an image and a dataset', async () => {
    await load()
    await remove()
    const { rows } = await withSession((session) =>
      session.query<{ name: string }>(`
        SELECT attrelid::regclass || '.' || attname AS name FROM pg_attribute
         WHERE attrelid IN ('items'::regclass, 'images'::regclass, 'datasets'::regclass, 'code_labels'::regclass)
           AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname NOT IN ('revision', 'epoch')`),
    )
    const entry = await app.database.prisma.historyEntry.findFirstOrThrow({ where: { action: 'remove' } })
    const [part] = await app.database.prisma.historyPart.findMany({ where: { entryId: entry.id, kind: 'before' } })
    const line = part?.content.split('\n').find((each) => each.includes('example.org/1.jpg')) ?? '{}'
    const { images, ...item } = JSON.parse(line)
    const { labels: [label] = [], grants, ...dataset } = Object(entry.datasetBefore)
    const keysOf = (table: string, document: object) => Object.keys(document).map((name) => `${table}.${name}`)
    const stored = [
      ...[...keysOf('items', item), ...keysOf('images', images[0])],
      ...[...keysOf('datasets', dataset), ...keysOf('code_labels', label)],
    ]
    expect(stored.sort()).toEqual(rows.map(({ name }) => name).sort())
  })
})

test('the time of an item is that of the merge, not that of the start of the import', async () => {
  let mergedAt = Number.POSITIVE_INFINITY
  const onPhase = (phase: string) => {
    if (phase === 'merging') mergedAt = Date.now()
  }
  await load(undefined, { onPhase })
  const { updatedAt } = await app.database.prisma.item.findFirstOrThrow()
  expect(updatedAt.getTime()).toBeGreaterThanOrEqual(mergedAt)
})
