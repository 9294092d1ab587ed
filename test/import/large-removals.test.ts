import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LargeChange } from '../../src/import/import.ts'
import { useDatabase } from '../support/database.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { xlsx } from '../support/xlsx.ts'

const db = useDatabase()
let importer: Importer
beforeEach(async () => {
  importer = await createImporter(db.database)
  await db.database.prisma.dataset.deleteMany()
  await importer.run({ 'a.ndjson': rows(20) })
})
afterEach(() => importer.close())

const rows = (count: number) => ndjson(...Array.from({ length: count }, (_, n) => row({ externalId: `item ${n}` })))
const addItems = (count: number) => db.database.prisma.$executeRaw`
  INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  SELECT gen_random_uuid(), dataset_id, 'by hand', '1', 'x', 1, 1, now(), now() FROM items LIMIT ${count}`
const countItems = () => db.database.prisma.item.count()

describe('An import that would remove items', () => {
  test.each<[number, boolean, string]>([
    [18, false, ''],
    [17, true, '3 of 20 items'],
    [0, true, 'all 20 items'],
  ])('%i of 20 rows are left: it is stopped (%s)', async (left, isStopped, what) => {
    const asked: LargeChange[] = []
    const removals = async (change: LargeChange) => {
      asked.push(change)
      return false
    }
    const message = await importer.fail({ 'a.ndjson': rows(left) }, { confirm: { removals } })
    expect(asked).toEqual(isStopped ? [{ kind: 'removals', slug: 'places', count: 20 - left, total: 20 }] : [])
    if (isStopped) expect(message).toContain(`would remove ${what} of the dataset places; nothing was changed`)
    expect(await countItems()).toBe(isStopped ? 20 : left)
  })

  test('removes them when that is confirmed, also with bad rows that are skipped, which are counted once', async () => {
    const content = rows(5) + ndjson(row({ externalId: 'item 1' }), row({ externalId: 'bad', latitude: 91 }))
    const options = { skipInvalid: true, confirm: { removals: async () => true } }
    expect(await importer.run({ 'a.ndjson': content }, options)).toMatchObject({
      removed: 15,
      unchanged: 5,
      skipped: 2,
    })
    expect(importer.reported.skipped).toHaveLength(2)
    expect(await countItems()).toBe(5)
  })

  test('asks again if it would remove more than was confirmed, and never more than that', async () => {
    const asked: LargeChange[] = []
    const removals = async (change: LargeChange) => {
      asked.push(change)
      if (asked.length < 3) await addItems(asked.length)
      return asked.length < 4
    }
    expect(await importer.run({ 'a.ndjson': rows(5) }, { confirm: { removals } })).toMatchObject({ removed: 18 })
    expect(asked.map(({ count, total }) => [count, total])).toEqual([
      [15, 20],
      [16, 21],
      [18, 23],
    ])
    expect(await countItems()).toBe(5)
  })

  test('a dry run counts what would change, and changes nothing', async () => {
    const before = await db.database.prisma.dataset.findFirstOrThrow()
    const content = rows(5) + ndjson(row({ externalId: 'item 5', name: 'B' }), row({ externalId: 'new' }))
    expect(await importer.run({ 'a.ndjson': content }, { dryRun: true, dataset: { name: 'New' } })).toMatchObject({
      ...{ created: 1, updated: 1, unchanged: 5, removed: 14, skipped: 0 },
    })
    expect(importer.reported.warnings).toEqual([])
    await importer.run({ 'a.ndjson': content }, { dryRun: true, confirm: { removals: async () => true } })
    expect(importer.reported.warnings.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('--allow-removals'),
    ])
    expect(await importer.fail({ 'a.ndjson': ndjson(row({ latitude: 91 })) }, { dryRun: true })).toContain('1 bad row')
    expect(await db.database.prisma.dataset.findFirstOrThrow()).toEqual(before)
    expect(await countItems()).toBe(20)
  })
})

describe('Before the rows are read', () => {
  const header = 'id,이름,위도'
  test('all missing columns are in one message, with the columns of the file', async () => {
    const columns = { externalId: 'id', name: '명칭', latitude: '위도', longitude: '경도' }
    expect(
      await importer.fail({ 'a.csv': `${header}\n1,A,37\n2,B,38\n` }, { items: [{ file: 'a.csv', columns }] }),
    ).toBe(
      'a.csv: has no column 명칭 (did you mean 이름?), 경도 (did you mean 위도?); no column is mapped to administrativeAreaCode, categoryCode; the file has the columns id, 이름, 위도',
    )
    expect(await importer.fail({ 'a.csv': `${header}\n1,A,37\n` })).toBe(
      'a.csv: has no column for name, administrativeAreaCode, categoryCode, latitude, longitude; the file has the columns id, 이름, 위도',
    )
  })

  test('a file with a header and no rows needs the columns too', async () => {
    const missing =
      'a.csv: has no column for name, administrativeAreaCode, categoryCode, latitude, longitude; the file has the columns id, 이름, 위도'
    expect(await importer.fail({ 'a.csv': `${header}\n` })).toBe(missing)
    const sheet = xlsx({ A: [header.split(',')] })
    expect(await importer.fail({ 'a.xlsx': sheet })).toBe(missing.replace('csv', 'xlsx'))
    const columns = { name: '명칭' }
    expect(
      await importer.fail({ 'a.csv': `${header}\n` }, { items: [{ file: 'a.csv', columns }], skipInvalid: true }),
    ).toContain('a.csv: has no column 명칭')
  })

  test('a misspelt member of the manifest lists the possible ones', async () => {
    const message = await importer.fail(
      {},
      { items: [{ file: 'a.csv', columns: { nmae: 'x' } }], dataset: { stats: 'x' } },
    )
    expect(message).toContain('dataset has the unknown member stats; possible are id, slug, name,')
    expect(message).toContain('columns has the unknown member nmae; possible are id, externalId, name,')
  })
})

test('a repeated externalId, id or image id names the row that has it first', async () => {
  const id = '22222222-0000-4000-8000-000000000001'
  const image = { id, originalUrl: 'https://example.org/a.jpg' }
  const message = await importer.fail({
    'a.ndjson': ndjson(row({ id, images: [image] }), row({ externalId: 'b' })),
    'b.ndjson': ndjson(
      row({ externalId: 'b' }),
      row({ externalId: 'c', id }),
      row({ externalId: 'd', images: [image] }),
    ),
  })
  expect(message.split('\n').slice(1)).toEqual([
    'b.ndjson:1: the externalId b stands twice in this import; it stands first at a.ndjson:2',
    `b.ndjson:2: the id ${id} stands twice in this import; it stands first at a.ndjson:1`,
    `b.ndjson:3: the image id ${id} stands twice in this import; it stands first at a.ndjson:1`,
  ])
})

test('a dataset that was renamed is named by its new slug', async () => {
  await db.database.prisma.dataset.updateMany({ data: { slug: 'renamed' } })
  expect(await importer.fail({ 'a.ndjson': rows(20) })).toContain(
    'The dataset places was renamed: its slug is now renamed. Set dataset.slug to it',
  )
})

test('a paid dataset without a tier is a warning', async () => {
  await importer.run({ 'a.ndjson': rows(20) }, { dataset: { visibility: 'paid' } })
  expect(importer.reported.warnings.map(({ reason }) => reason)).toEqual([
    'a paid dataset without an accessTier is open only to keys with a grant',
  ])
})

test('a column with the type number becomes a number in extraAttributes, with all of its digits', async () => {
  const columns = {
    ...{ externalId: 'id', name: 'id', latitude: { value: '37' }, longitude: { value: '127' } },
    ...{ administrativeAreaCode: { value: 'x' }, categoryCode: { value: 'y' } },
    extraAttributes: ['id', { column: 'feet', type: 'number' }],
  }
  const load = (feet: string) =>
    importer.run({ 'n.csv': `id,feet\n7,${feet}\n` }, { items: [{ file: 'n.csv', columns }] })
  for (const [feet, expected] of [
    ['-12.50', '{"id": "7", "feet": -12.50}'],
    ['12345678901234567890', '{"id": "7", "feet": 12345678901234567890}'],
    ['', '{"id": "7"}'],
  ] as const) {
    await load(feet)
    const stored = await db.database.prisma.$queryRaw<
      { text: string }[]
    >`SELECT extra_attributes::text AS text FROM items`
    expect(JSON.parse(stored[0]?.text ?? '')).toEqual(JSON.parse(expected))
    if (feet.length > 15) expect(stored[0]?.text).toContain(feet)
  }
  for (const feet of ['high', '1e', '0x10', '"1,200"', 'NaN']) {
    await expect(load(feet)).rejects.toThrow('n.csv:2: the column feet must be a number')
  }
})
