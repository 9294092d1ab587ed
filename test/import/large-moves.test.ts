import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DatasetChanges, LargeChange } from '../../src/import/import.ts'
import { useDatabase } from '../support/database.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'

const db = useDatabase()
let importer: Importer
beforeEach(async () => {
  importer = await createImporter(db.database)
  await db.database.prisma.dataset.deleteMany()
  await importer.run(places(0, '37.5'))
})
afterEach(() => importer.close())

/** Twenty places, of which the first ones have another latitude. */
const places = (count: number, latitude: string) => ({
  'a.ndjson': ndjson(
    ...Array.from({ length: 20 }, (_, n) => row({ externalId: `item ${n}`, latitude: n < count ? latitude : '37.5' })),
  ),
})
const countAway = () => db.database.prisma.item.count({ where: { latitude: { not: 37.5 } } })

describe('An import that would move items', () => {
  test.each<[number, string, boolean]>([
    [2, '-37.5', false],
    [3, '-37.5', true],
    [20, '37.508', false],
    // One thousandth of a degree of latitude is 111 metres here.
    [3, '37.5091', true],
  ])('%i of 20, to latitude %s: it is stopped: %s', async (count, latitude, isStopped) => {
    const asked: LargeChange[] = []
    const moves = async (change: LargeChange) => {
      asked.push(change)
      return false
    }
    const message = await importer.fail(places(count, latitude), { confirm: { moves } })
    expect(asked).toEqual(isStopped ? [{ kind: 'moves', slug: 'places', count, total: 20 }] : [])
    if (isStopped)
      expect(message).toBe(
        `This import would move ${count} of 20 items of the dataset places by more than a kilometre; nothing was changed; to do so, add --allow-moves`,
      )
    expect(await countAway()).toBe(isStopped ? 0 : count)
  })

  test('moves them when that is confirmed, and asks about removals too', async () => {
    const asked: string[] = []
    const confirm = { moves: async () => asked.push('moves') > 0, removals: async () => asked.push('removals') > 0 }
    const half = places(20, '-37.5')['a.ndjson'].split('\n').slice(0, 10).join('\n')
    expect(await importer.run({ 'a.ndjson': half }, { confirm })).toMatchObject({
      ...{ updated: 10, removed: 10 },
    })
    expect(asked).toEqual(['removals', 'moves'])
  })

  test('warns in a dry run', async () => {
    await importer.run(places(3, '0'), { confirm: { moves: async () => true }, dryRun: true })
    expect(importer.reported.warnings.map(({ reason }) => reason)).toEqual([
      'the import would ask before it moves so many items; without a terminal it needs --allow-moves',
    ])
    expect(await countAway()).toBe(0)
  })
})

describe('A dry run', () => {
  const planOf = async (files: Record<string, string>, options: Parameters<Importer['run']>[1]) => {
    let plan: DatasetChanges | undefined
    const onPlan = (planned: DatasetChanges) => {
      plan = planned
    }
    await importer.run(files, { dryRun: true, onPlan, ...options })
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
    await importer.run(places(0, ''), { labels })
    expect(await planOf(places(0, ''), { labels: same })).toEqual({ dataset: {}, items: [] })
    const label = { field: 'categoryCode', code: 'x', label: 'X' }
    const before = [label, { ...label, code: 'y', label: 'Y' }].map((each) => expect.objectContaining(each))
    expect((await planOf(places(0, ''), {}))?.dataset).toEqual({ labels: { before, after: [] } })
    const after = [expect.objectContaining({ ...label, label: 'New' })]
    const plan = await planOf(places(0, ''), { labels: { categoryCode: { x: 'New' } } })
    expect(plan?.dataset).toEqual({ labels: { before, after } })
  })

  test('has a number of examples of each kind, and none if nothing would change', async () => {
    const plan = await planOf(changed, { examples: 10 })
    const countOf = (kind: string) => plan?.items.filter(({ change }) => change === kind).length
    expect(['created', 'updated', 'removed'].map(countOf)).toEqual([10, 2, 10])
    expect(await planOf(places(0, ''), {})).toEqual({ dataset: {}, items: [] })
  })
})
