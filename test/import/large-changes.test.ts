import { beforeEach, describe, expect, test } from 'vitest'
import { commits } from '../../src/database/transaction.ts'
import type { DatasetChanges, LargeChange } from '../../src/import/import.ts'
import { type Importer, ndjson, point, row, useImporter } from '../support/import.ts'
import { xlsx } from '../support/xlsx.ts'

const t = useImporter()
beforeEach(() => t.importer.run({ 'a.ndjson': rows(20) }))

/** Places, of which the first ones have another latitude. */
const rows = (count: number, moved = 0, latitude = '37.5') =>
  ndjson(
    ...Array.from({ length: count }, (_, n) =>
      row({ externalId: `item ${n}`, latitude: n < moved ? latitude : '37.5' }),
    ),
  )
const addItems = (count: number) => t.db.database.prisma.$executeRaw`
  INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  SELECT gen_random_uuid(), dataset_id, 'by hand', '1', 'x', 1, 1, now(), now() FROM items LIMIT ${count}`
const countItems = () => t.db.database.prisma.item.count()
const countAway = () => t.db.database.prisma.item.count({ where: { latitude: { not: 37.5 } } })

test('a part of a collection removes nothing, unless the others are to stay', async () => {
  const part = (more: object, ...ids: string[]) =>
    JSON.stringify({
      type: 'FeatureCollection',
      ...more,
      features: ids.map((externalId) => point([1, 2], row({ externalId }))),
    })
  await t.importer.run({ 'a.geojson': part({}, 'a', 'b', 'c') })
  const next = { 'a.geojson': part({ numberMatched: 9, numberReturned: 2 }, 'a', 'd') }
  expect(await t.importer.fail(next)).toBe(
    'a.geojson is a part of a collection: it has 2 features of 9; get the other pages too; the dataset places has 2 items that it lacks; nothing was changed; to keep them, add --keep-missing',
  )
  expect(await t.importer.run(next, { keepMissing: true })).toMatchObject({ created: 1, unchanged: 1, removed: 0 })
  expect(t.importer.reported.warnings).toHaveLength(1)
})

describe('An import that would remove or move items', () => {
  test.each<['removals' | 'moves', number, string, string, string]>([
    ['removals', 2, '18 rows', rows(18), ''],
    [
      'removals',
      3,
      '17 rows',
      rows(17),
      'remove 3 of 20 items of the dataset places; nothing was changed; to remove 3 of 20 items, add --allow-removals',
    ],
    [
      'removals',
      20,
      'no rows',
      '',
      'remove all 20 items of the dataset places; nothing was changed; if these files are another dataset, change its slug in the manifest; to remove all 20 items, add --allow-removals',
    ],
    ['moves', 2, 'another hemisphere', rows(20, 2, '-37.5'), ''],
    ['moves', 3, 'another hemisphere', rows(20, 3, '-37.5'), 'move 3 of 20 items of the dataset places by more than a'],
    ['moves', 20, 'less than a kilometre', rows(20, 20, '37.508'), ''],
    // One thousandth of a degree of latitude is 111 metres here.
    ['moves', 3, 'more than a kilometre', rows(20, 3, '37.5091'), 'move 3 of 20 items of the dataset places by more'],
  ])('%s of %i, by %s: it is stopped if they are many', async (kind, count, _what, content, said) => {
    const asked: LargeChange[] = []
    const refuse = async (change: LargeChange) => {
      asked.push(change)
      return false
    }
    const message = await t.importer.fail({ 'a.ndjson': content }, { confirm: { [kind]: refuse } })
    expect(asked).toEqual(said === '' ? [] : [{ kind, slug: 'places', count, total: 20, by: 'import' }])
    expect(message).toContain(said)
    if (said !== '') expect(message).toContain(`add --allow-${kind}`)
    const changed = kind === 'moves' ? await countAway() : 20 - (await countItems())
    expect(changed).toBe(said === '' ? count : 0)
  })

  test('moves them when that is confirmed, and asks about removals too', async () => {
    const asked: string[] = []
    const confirm = { moves: async () => asked.push('moves') > 0, removals: async () => asked.push('removals') > 0 }
    expect(await t.importer.run({ 'a.ndjson': rows(10, 10, '-37.5') }, { confirm })).toMatchObject({
      ...{ updated: 10, removed: 10 },
    })
    expect(asked).toEqual(['removals', 'moves'])
  })

  test('removes them when that is confirmed, also with bad rows that are skipped, which are counted once', async () => {
    const content = rows(5) + ndjson(row({ externalId: 'item 1' }), row({ externalId: 'bad', latitude: 91 }))
    const options = { skipInvalid: true, confirm: { removals: async () => true } }
    expect(await t.importer.run({ 'a.ndjson': content }, options)).toMatchObject({
      removed: 15,
      unchanged: 5,
      skipped: 2,
    })
    expect(t.importer.reported.skipped).toHaveLength(2)
    expect(await countItems()).toBe(5)
  })

  test('asks again if it would remove more than was confirmed, and never more than that', async () => {
    const asked: LargeChange[] = []
    const removals = async (change: LargeChange) => {
      asked.push(change)
      if (asked.length < 3) await addItems(asked.length)
      return asked.length < 4
    }
    expect(await t.importer.run({ 'a.ndjson': rows(5) }, { confirm: { removals } })).toMatchObject({ removed: 18 })
    expect(asked.map(({ count, total }) => [count, total])).toEqual([
      [15, 20],
      [16, 21],
      [18, 23],
    ])
    expect(await countItems()).toBe(5)
  })

  test('a place that moves by more than 100 km is a warning, also in a dry run', async () => {
    const moved = (latitude: string) => rows(20, 1, latitude)
    for (const dryRun of [true, false]) {
      await t.importer.run({ 'a.ndjson': moved('73.5') }, { dryRun })
      expect(t.importer.reported.warnings).toMatchObject([
        { file: 'a.ndjson', line: 1, reason: 'the place moves by more than 100 km; check its coordinates: A, 4008 km' },
      ])
    }
    await t.importer.run({ 'a.ndjson': moved('73.51') })
    expect(t.importer.reported.warnings).toEqual([])
  })

  test('a dry run counts what would change, and changes nothing', async () => {
    const commitsBefore = { ...commits }
    const before = await t.db.database.prisma.dataset.findFirstOrThrow()
    const content = rows(5) + ndjson(row({ externalId: 'item 5', name: 'B' }), row({ externalId: 'new' }))
    expect(await t.importer.run({ 'a.ndjson': content }, { dryRun: true, dataset: { name: 'New' } })).toMatchObject({
      ...{ created: 1, updated: 1, unchanged: 5, removed: 14, skipped: 0 },
    })
    expect(t.importer.reported.warnings).toEqual([])
    for (const [kind, more] of [
      ['removals', content],
      ['moves', rows(20, 3, '0')],
    ] as const) {
      await t.importer.run({ 'a.ndjson': more }, { dryRun: true, confirm: { [kind]: async () => true } })
      const does = kind === 'moves' ? 'move 3 of 20' : 'remove 14 of 20'
      const far = kind === 'moves' ? ' by more than a kilometre' : ''
      expect(t.importer.reported.warnings.filter(({ line }) => line === undefined)).toEqual([
        {
          file: 'manifest.json',
          reason: `the import would ${does} items of the dataset places${far}, and asks before; without a terminal it needs --allow-${kind}`,
        },
      ])
    }
    expect(await t.importer.fail({ 'a.ndjson': ndjson(row({ latitude: 91 })) }, { dryRun: true })).toContain(
      '1 bad row',
    )
    expect(await t.db.database.prisma.dataset.findFirstOrThrow()).toEqual(before)
    expect(await countItems()).toBe(20)
    // A command that is stopped later says what these count.
    expect(commits).toEqual(commitsBefore)
  })
})

describe('A dry run', () => {
  const planOf = async (files: Record<string, string>, options: Parameters<Importer['run']>[1]) => {
    let plan: DatasetChanges | undefined
    const onPlan = (planned: DatasetChanges) => {
      plan = planned
    }
    await t.importer.run(files, { dryRun: true, onPlan, ...options })
    return plan
  }
  const changed = {
    'a.ndjson': ndjson(
      row({ externalId: 'item 0', latitude: '37.6', url: 'https://example.org', extraAttributes: { n: 1.5 } }),
      row({ externalId: 'item 1', images: [{ originalUrl: 'https://example.org/a.jpg' }] }),
      ...[...Array(15).keys()].map((n) => row({ externalId: `new ${n}`, name: 'New' })),
    ),
  }

  test('has the members that differ, before and after, and the distance of places that move', async () => {
    const plan = await planOf(changed, { dataset: { description: 'Better' } })
    expect(plan?.dataset).toEqual({ description: { before: null, after: 'Better' } })
    const byName = new Map(plan?.items.map((item) => [item.externalId, item]))
    expect(plan?.items).toHaveLength(2 + 15 + 18)
    expect(byName.get('item 0')).toEqual({
      change: 'updated',
      id: expect.any(String),
      ...{ externalId: 'item 0', name: 'A', movedMetres: 11098.8 },
      members: {
        url: { before: '', after: 'https://example.org' },
        latitude: expect.anything(),
        extraAttributes: expect.anything(),
      },
    })
    expect(JSON.stringify(byName.get('item 0')?.members?.latitude)).toBe('{"before":37.5000000,"after":37.6000000}')
    expect(Object.keys(byName.get('item 1')?.members ?? {})).toEqual(['images', 'thumbnailUrl'])
    expect(byName.get('item 2')).toMatchObject({ change: 'removed' })
    expect(byName.get('new 0')).toMatchObject({ change: 'created', name: 'New' })
  })

  test('has the labels of codes before and after, if any differ', async () => {
    const [labels, same] = [{ categoryCode: { y: 'Y', x: 'X' } }, { categoryCode: { x: 'X', y: 'Y' } }]
    await t.importer.run({ 'a.ndjson': rows(20) }, { labels })
    expect(await planOf({ 'a.ndjson': rows(20) }, { labels: same })).toEqual({ dataset: {}, items: [] })
    const label = { field: 'categoryCode', code: 'x', label: 'X' }
    const before = [label, { ...label, code: 'y', label: 'Y' }].map((each) => expect.objectContaining(each))
    expect((await planOf({ 'a.ndjson': rows(20) }, {}))?.dataset).toEqual({ labels: { before, after: [] } })
    const after = [expect.objectContaining({ ...label, label: 'New' })]
    const plan = await planOf({ 'a.ndjson': rows(20) }, { labels: { categoryCode: { x: 'New' } } })
    expect(plan?.dataset).toEqual({ labels: { before, after } })
  })

  test('has a number of examples of each kind, and none if nothing would change', async () => {
    const plan = await planOf(changed, { examples: 10 })
    const countOf = (kind: string) => plan?.items.filter(({ change }) => change === kind).length
    expect(['created', 'updated', 'removed'].map(countOf)).toEqual([10, 2, 10])
    expect(await planOf({ 'a.ndjson': rows(20) }, {})).toEqual({ dataset: {}, items: [] })
  })
})

describe('Before the rows are read', () => {
  const header = 'id,이름,위도'
  test('all missing columns are in one message, with the columns of the file', async () => {
    const columns = { externalId: 'id', name: '명칭', latitude: '위도', longitude: '경도' }
    expect(
      await t.importer.fail({ 'a.csv': `${header}\n1,A,37\n2,B,38\n` }, { items: [{ file: 'a.csv', columns }] }),
    ).toBe(
      'a.csv: has no column 명칭 (did you mean 이름?), 경도 (did you mean 위도?); no column is mapped to administrativeAreaCode, categoryCode; the file has the columns id, 이름, 위도',
    )
    expect(await t.importer.fail({ 'a.csv': `${header}\n1,A,37\n` })).toBe(
      'a.csv: has no column for name, administrativeAreaCode, categoryCode, latitude, longitude; the file has the columns id, 이름, 위도',
    )
  })

  test('a file with a header and no rows needs the columns too', async () => {
    const missing =
      'a.csv: has no column for name, administrativeAreaCode, categoryCode, latitude, longitude; the file has the columns id, 이름, 위도'
    expect(await t.importer.fail({ 'a.csv': `${header}\n` })).toBe(missing)
    const sheet = xlsx({ A: [header.split(',')] })
    expect(await t.importer.fail({ 'a.xlsx': sheet })).toBe(missing.replace('csv', 'xlsx'))
    const columns = { name: '명칭' }
    expect(
      await t.importer.fail({ 'a.csv': `${header}\n` }, { items: [{ file: 'a.csv', columns }], skipInvalid: true }),
    ).toContain('a.csv: has no column 명칭')
  })

  test('a misspelt member of the manifest names the nearest one, or the possible ones', async () => {
    const message = await t.importer.fail(
      {},
      { items: [{ file: 'a.csv', columns: { nmae: 'x' } }], dataset: { visibilty: 'x', owner: 'y' } },
    )
    expect(message).toContain(
      'dataset has the unknown member visibilty (did you mean visibility?), owner; possible are id, slug, name,',
    )
    expect(message).toMatch(/columns has the unknown member nmae \(did you mean name\?\)$/)
  })
})

test('a repeated externalId, id or image id names the row that has it first', async () => {
  const id = '22222222-0000-4000-8000-000000000001'
  const image = { id, originalUrl: 'https://example.org/a.jpg' }
  const message = await t.importer.fail({
    'a.ndjson': ndjson(row({ id, images: [image] }), row({ externalId: 'b' })),
    'b.ndjson': ndjson(
      row({ externalId: 'b' }),
      row({ externalId: 'c', id }),
      row({ externalId: 'd', images: [image] }),
    ),
  })
  expect(message.split('\n').slice(1)).toEqual([
    'b.ndjson:1: same externalId as a.ndjson:2: b',
    `b.ndjson:2: same id as a.ndjson:1: ${id}`,
    `b.ndjson:3: same id of an image as a.ndjson:1: ${id}`,
  ])
})

test('a dataset that was renamed is named by its new slug', async () => {
  await t.db.database.prisma.dataset.updateMany({ data: { slug: 'renamed' } })
  expect(await t.importer.fail({ 'a.ndjson': rows(20) })).toContain(
    'The dataset places was renamed: its slug is now renamed. Set dataset.slug to it',
  )
})

test('a paid dataset without a tier is a warning', async () => {
  await t.importer.run({ 'a.ndjson': rows(20) }, { dataset: { visibility: 'paid' } })
  expect(t.importer.reported.warnings.map(({ reason }) => reason)).toEqual([
    'a paid dataset without an accessTier is open only to keys with a grant',
  ])
})
