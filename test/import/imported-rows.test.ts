import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../simulate/random.ts'
import { randomCases } from '../support/cases.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { createImporter, csv, type Importer, ndjson, point, row, useImporter } from '../support/import.ts'
import type { Database } from '../support/open-database.ts'

/* docs/importing.md: an import compares only the rows that the last import of the dataset had not. */

const t = useImporter()
const file = (...rows: object[]) => ({ 'a.ndjson': ndjson(...rows) })
const run = (rows: object[], options: Parameters<Importer['run']>[1] = {}) => t.importer.run(file(...rows), options)
const a = row()
const b = row({ externalId: 'b', name: 'B' })
const c = row({ externalId: 'c', name: 'C' })

const sql = (statement: string) => t.db.database.prisma.$executeRawUnsafe(statement)
const names = async () =>
  (await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name).join()

/** Renames an item so that the revision of its dataset stays. Only an import that compares the item mends it. */
const renameSecretly = () =>
  t.db.database.withSession(async (session) => {
    await session.query(
      `BEGIN; SET LOCAL session_replication_role TO replica; UPDATE items SET name = 'secret' WHERE external_id = 'a'; COMMIT`,
    )
  })

describe('A row that the last import had', () => {
  test('is not compared', async () => {
    await run([a, b])
    await renameSecretly()
    expect(await run([a, { ...b, name: 'New' }, c])).toMatchObject({ created: 1, updated: 1, unchanged: 1, removed: 0 })
    expect(await run([c, a])).toMatchObject({ created: 0, updated: 0, unchanged: 2, removed: 1 })
    expect(await run([a])).toMatchObject({ created: 0, updated: 0, unchanged: 1, removed: 1 })
    expect(await names()).toBe('secret')
  })

  test.each<[string, () => Promise<unknown>]>([
    ['the dataset has changed', () => sql(`UPDATE datasets SET name = 'Other'`)],
    ['another item has changed', () => sql(`UPDATE items SET name = 'Other' WHERE external_id = 'b'`)],
    ['an import with other rows has kept missing items', () => run([c], { keepMissing: true })],
    ['an import has skipped a row and changed another', () => run([a, c, row({ name: '' })], { skipInvalid: true })],
  ])('is compared if %s', async (_, change) => {
    await run([a, b])
    await renameSecretly()
    await change()
    await run([a, b])
    expect(await names()).toBe('A,B')
  })

  test('is known in a file with another name', async () => {
    await run([a, b])
    await renameSecretly()
    await t.importer.run({ 'tomorrow.ndjson': ndjson(a, b, c) })
    expect(await names()).toBe('B,C,secret')
  })

  test.each([
    ['a number that JavaScript does not have', '{"n":null}', '{"n":1e400}'],
    ['a number of other digits', '{"n":1.5}', '{"n":1.50}'],
  ])('is not taken for a row with %s', async (_, before, after) => {
    const rowWith = (value: string) => ndjson(row({ extraAttributes: 'given' })).replace('"given"', value)
    const report = (content: string) =>
      t.importer
        .run({ 'a.ndjson': content }, { skipInvalid: true })
        .then(({ skipped, created }) => ({ skipped, created }))
    await report(rowWith(before) + ndjson(b))
    const again = await report(rowWith(after) + ndjson(b))
    await sql('DELETE FROM imported_rows')
    expect(again).toEqual(await report(rowWith(after) + ndjson(b)))
  })

  test('is not taken for the same text in a file of another format', async () => {
    const feature = (externalId: string) => ({
      ...row({ externalId, name: 'Line' }),
      ...point([1, 2], row({ externalId, name: 'Feature' })),
    })
    // The first row has a warning, so it is read again in any case.
    const features = ['a', 'b'].map(feature)
    await t.importer.run({ 'a.ndjson': ndjson(...features) })
    await t.importer.run({ 'a.geojson': JSON.stringify({ type: 'FeatureCollection', features }) })
    expect(await names()).toBe('Feature,Feature')
  })

  test.each([
    ['EPSG:25832', 'outside of the area of EPSG:25832'],
    ['', 'its crs  is not known'],
  ])('is not taken for the same text in a file with the crs "%s"', async (name, reason) => {
    const collection = (more: object) => ({
      'a.geojson': JSON.stringify({
        type: 'FeatureCollection',
        ...more,
        features: [point([1, 2], a), point([1, 2], b)],
      }),
    })
    await t.importer.run(collection({}))
    expect(await t.importer.fail(collection({ crs: { properties: { name } } }))).toContain(reason)
  })

  test.each<[string, object[], Parameters<Importer['run']>[1]]>([
    ['a bad row', [a, b, row({ externalId: 'c', name: '' })], { skipInvalid: true }],
    ['the same row twice', [a, b, b], { skipInvalid: true }],
    ['a row with the same id', [a, b, { ...b, name: 'Other' }], { skipInvalid: true }],
    ['other columns', [a, b], { items: [{ file: 'a.ndjson', columns: { ...namedColumns(), description: 'name' } }] }],
    ['--keep-missing', [a, b], { keepMissing: true }],
  ])('is compared in an import with %s', async (_, rows, options) => {
    await run([a, b])
    await renameSecretly()
    await run(rows, options)
    expect(await names()).toBe('A,B')
  })

  test('is read again after a warning, and reports it once', async () => {
    const atZero = { ...b, latitude: 0, longitude: 0 }
    await run([a, atZero])
    await renameSecretly()
    expect(await run([a, atZero, c])).toMatchObject({ created: 1, unchanged: 2 })
    expect(t.importer.reported.warnings).toHaveLength(1)
    expect(await names()).toBe('B,C,secret')
    // The bad row makes the import begin again.
    await run([a, atZero, c, row({ name: '' })], { skipInvalid: true })
    expect(t.importer.reported.warnings).toHaveLength(1)
  })

  test('is compared if the dataset changes while an import asks a question, which it asks once', async () => {
    await run([a, b, c])
    let asked = 0
    const removals = async () => {
      asked += 1
      await sql(`UPDATE items SET name = 'Other' WHERE external_id = 'a'`)
      return true
    }
    expect(await run([a], { confirm: { removals } })).toMatchObject({ updated: 1, removed: 2 })
    expect(await names()).toBe('A')
    expect(asked).toBe(1)
  })

  test('is compared if its parent is gone, or another item has the externalId of its parent', async () => {
    const child = row({ externalId: 'child', name: 'Child', parentExternalId: 'b' })
    const parent = { ...b, id: idOf(1) }
    await run([a, parent, child])
    expect(await t.importer.fail(file(a, child))).toContain('the parent b is not there')
    expect(await run([a, { ...parent, externalId: 'c' }, { ...b, id: idOf(2) }, child])).toMatchObject({ updated: 2 })
    const { parentItemId } = await t.db.database.prisma.item.findFirstOrThrow({ where: { externalId: 'child' } })
    expect(parentItemId).toBe(idOf(2))
  })

  test('is compared if its parent is gone, which had no externalId', async () => {
    const child = row({ externalId: 'child', name: 'Child', parentItemId: idOf(1) })
    await run([a, { ...b, id: idOf(1), externalId: undefined }, child])
    expect(await t.importer.fail(file(a, child))).toContain(`the parent ${idOf(1)} is not there`)
  })

  test('takes no problem away that comes before the end of a broken file', async () => {
    const lines = (...given: string[]) => ({ 'a.csv': csv(...given) })
    await t.importer.run(lines('a,A,1,x,1,2', 'z,Z,1,x,0,0'))
    const broken = lines('a,A,1,x,1,2', 'y,Y,1,x,0,0', 'b,,1,x,1,2', 'c,"C')
    expect(await t.importer.fail(broken, { skipInvalid: true })).toContain('a.csv')
    expect(t.importer.reported.warnings).toHaveLength(1)
    expect(t.importer.reported.skipped).toHaveLength(1)
  })

  test('leaves the warnings of others where the import is refused', async () => {
    await run([a, b, c])
    const message = await t.importer.fail(file({ ...a, latitude: 0, longitude: 0 }, b), {
      confirm: { removals: async () => false },
    })
    expect(message).toContain('--allow-removals')
    expect(t.importer.reported.warnings).toHaveLength(1)
  })

  test('leaves no rows of a dataset that was removed', async () => {
    await run([a, b])
    await sql('DELETE FROM datasets')
    await run([c], { dataset: { slug: 'other' } })
    expect(await t.db.database.prisma.importedRows.count()).toBe(1)
  })
})

function namedColumns(): Record<string, string> {
  return Object.fromEntries(Object.keys(a).map((name) => [name, name]))
}

describe('Imports of parts of random files', () => {
  let other: { db: TestDatabase; importer: Importer } | undefined
  beforeAll(async () => {
    const db = await createDatabase()
    other = { db, importer: await createImporter(db.database) }
  })
  afterAll(async () => {
    await other?.importer.close()
    await other?.db.close()
  })

  const seeds = Array.from({ length: randomCases({ all: 12, few: 1 }) }, (_, n) => `part ${n}`)
  test.each(seeds)('do the same as imports of all rows: %s', async (seed) => {
    if (!other) throw new Error('The database is open only while tests run')
    await other.db.database.prisma.dataset.deleteMany()
    const random = new Random(seed)
    const isCsv = random.chance(0.5)
    let rows = Array.from({ length: 6 }, () => randomRow(random))
    for (let step = 0; step < 12; step += 1) {
      rows = changeRows(random, rows)
      const options = {
        skipInvalid: random.chance(0.3),
        keepMissing: random.chance(0.1),
        dryRun: random.chance(0.1),
        isCsv,
        now: new Date(Date.UTC(2026, 0, 1 + step)),
      }
      const part = await outcome(t.db.database, t.importer, rows, options)
      await other.db.database.prisma.importedRows.deleteMany()
      const whole = await outcome(other.db.database, other.importer, rows, options)
      expect(part, JSON.stringify({ step, rows, options })).toEqual(whole)
      if (random.chance(0.1))
        for (const { prisma } of [t.db.database, other.db.database])
          await prisma.$executeRaw`UPDATE items SET description = 'by hand' WHERE external_id = 'e1'`
    }
  })
})

/** What an import says, and what is in the database after it. */
async function outcome(
  { prisma }: Database,
  importer: Importer,
  rows: readonly object[],
  { isCsv, ...options }: Parameters<Importer['run']>[1] & { isCsv: boolean },
) {
  const [inCsv, inJson] = [rows.filter((_, n) => isCsv && n % 2 === 0), rows.filter((_, n) => !isCsv || n % 2 === 1)]
  const files = { ...file(...inJson), ...(inCsv.length > 0 && { 'b.csv': csvOf(inCsv) }) }
  const said = await importer.run(files, options).then(
    (summary) => summary,
    ({ message }: Error) => message,
  )
  const { warnings, skipped } = importer.reported
  const include = { images: { orderBy: { id: 'asc' } } } as const
  const [dataset] = await prisma.dataset.findMany({ omit: { revision: true } })
  return { said, warnings, skipped, dataset, items: await prisma.item.findMany({ orderBy: { id: 'asc' }, include }) }
}

/** Rows as CSV, with all columns that one of them has. */
function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((each) => Object.keys(each)))]
  const cellOf = (value: unknown) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
    return `"${text.replaceAll('"', '""')}"`
  }
  const lines = rows.map((each) => {
    const cells = new Map<string, unknown>(Object.entries(each))
    return columns.map((column) => cellOf(cells.get(column))).join()
  })
  return [columns.join(), ...lines].join('\n')
}

const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

/** Few ids and names, so that rows often meet. */
function randomRow(random: Random): object {
  const externalId = `e${random.below(8)}`
  const hasId = random.chance(0.3)
  const parent = random.weighted({ none: 5, externalId: 4, id: 1 })
  return {
    ...row({ externalId, name: `n${random.below(3)}` }),
    ...(hasId && { id: idOf(random.below(4)) }),
    ...(hasId && random.chance(0.2) && { externalId: undefined }),
    ...(parent === 'externalId' && { parentExternalId: `e${random.below(8)}` }),
    ...(parent === 'id' && { parentItemId: idOf(random.below(4)) }),
    ...(random.chance(0.2) && {
      images: [{ originalUrl: 'o', ...(random.chance(0.5) && { id: idOf(random.below(3)) }) }],
    }),
    ...(random.chance(0.05) && { latitude: 0, longitude: 0 }),
    ...(random.chance(0.03) && { name: '' }),
  }
}

/** Most rows stay, in another order. */
function changeRows(random: Random, rows: readonly object[]): object[] {
  const kept = rows.filter(() => random.chance(0.85))
  const changed = kept.map((each) => (random.chance(0.1) ? { ...each, name: `n${random.below(3)}` } : each))
  const added = Array.from({ length: random.below(3) }, () => randomRow(random))
  return random.shuffle([...changed, ...added]).slice(0, 9)
}
