import { afterEach, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { getOgc, idsOf, linksOf, readPages } from '../support/ogc.ts'

/*
 * Pages by `next` links: an item that exists all the time is on exactly one page, whatever else changes. The numbers are those of
 * the state of the database that the page shows.
 */

const t = useApp()
afterEach(() => removeAll())

const ITEMS = '/ogc/collections/archived/items'

/** A UUID that sorts by `n`. */
const idAt = (n: number) => `${String(n).padStart(8, '0')}-aaaa-4000-8000-000000000000`

/** One statement: Prisma would take ten times as long for thousands of items. */
async function addItems(numbers: number[], description = ''): Promise<void> {
  await t.database.withSession((session) =>
    session.query(
      `INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
       SELECT (lpad(n::text, 8, '0') || '-aaaa-4000-8000-000000000000')::uuid, $2::uuid, 'Place ' || n, $3, 'a' || n % 3, 'c' || n % 2,
              n % 170 - 85, n % 360 - 180, '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'::timestamptz + n * interval '1 second'
         FROM unnest($1::integer[]) AS n`,
      [numbers, DATASET.archived, description],
    ),
  )
}

async function removeAll(): Promise<void> {
  // Without statistics, PostgreSQL scans the table for the children of each item that it removes.
  await t.database.prisma.$executeRaw`ANALYZE items`
  await t.database.prisma.item.deleteMany({ where: { datasetId: DATASET.archived, id: { not: ITEM.archived } } })
}
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step)

describe('While items are inserted and removed', () => {
  test.each([
    ['', (_: number) => true],
    ['&categoryCode=c0', (n: number) => n % 2 === 0],
    ['&bbox=-180,-85,-80,15', (n: number) => n % 360 <= 100 && n % 170 <= 100],
    ['&bbox=170,-85,-150,85', (n: number) => n % 360 >= 350 || n % 360 <= 30],
    ['&datetime=2026-03-01T00:01:00Z/..', (n: number) => n >= 60],
    [
      '&bbox=-180,-85,180,0&administrativeAreaCode=a1&datetime=../2026-03-01T00:03:40Z',
      (n: number) => n % 170 <= 85 && n % 3 === 1 && n <= 220,
    ],
  ])('next links with "%s" lead to each lasting item once', async (query, isSelected) => {
    const lasting = range(0, 400, 2)
    await addItems(lasting)
    await addItems(range(1, 400, 8))
    const pages = await readPages(t, `${ITEMS}?limit=7${query}`, async (page) => {
      const { prisma } = t.database
      await addItems([page * 8 + 3])
      await prisma.item.deleteMany({ where: { id: idAt(400 - 7 - page * 8) } })
      // A renamed item keeps its place: pages are in the order of ids.
      await prisma.item.update({ where: { id: idAt(page * 2) }, data: { name: `Renamed ${page}` } })
    })
    const ids = idsOf(pages)
    expect(ids).toEqual([...new Set(ids)].sort())
    const expected = lasting.filter(isSelected).map(idAt)
    // An update changes `updatedAt` only if the writer says so.
    expect(ids.filter((id) => Number(id.slice(0, 8)) % 2 === 0 && id.startsWith('00'))).toEqual(expected)
  })

  test('numberMatched follows each change', async () => {
    await addItems(range(0, 20))
    const matched = async (query: string) => (await getOgc(t, `${ITEMS}?limit=2${query}`)).body.numberMatched
    for (const query of ['', '&categoryCode=c1', '&bbox=-180,-85,-170,85', '&datetime=../2026-03-01T00:00:05Z']) {
      const before = await matched(query)
      await addItems([1001])
      await t.database.prisma.item.update({
        where: { id: idAt(1001) },
        data: { longitude: -179, updatedAt: new Date('2026-01-01') },
      })
      await expect.poll(() => matched(query), { interval: 5 }).toBe(before + 1)
      await t.database.prisma.item.delete({ where: { id: idAt(1001) } })
      await expect.poll(() => matched(query), { interval: 5 }).toBe(before)
    }
  })

  test('a link to the page after a removed item works', async () => {
    await addItems(range(0, 6))
    const { body } = await getOgc(t, `${ITEMS}?limit=3&bbox=-180,-90,0,0`)
    await t.database.prisma.item.delete({ where: { id: idAt(2) } })
    const next = await getOgc(t, linksOf(body, 'next')[0]?.href ?? '')
    expect(idsOf([next.body])).toEqual(range(3, 6).map(idAt))
  })
})

describe('offset, and startindex', () => {
  test('of zero say nothing beside another start of a page, because forms send them too', async () => {
    const { body: first } = await getOgc(t, `${ITEMS}?limit=5`)
    const after = first.features.at(-1).id
    const { body: second } = await getOgc(t, `${ITEMS}?limit=5&after=${after}`)
    for (const zero of [`after=${after}&offset=0`, `after=${after}&offset=0&startindex=0`, 'offset=5&startindex=0']) {
      const { status, body } = await getOgc(t, `${ITEMS}?limit=5&${zero}`)
      expect([zero, status, idsOf([body])]).toEqual([zero, 200, idsOf([second])])
    }
  })

  test.each(['offset', 'startindex'])(
    '%s is not in the link to the next page, whose cursor takes its place',
    async (name) => {
      await addItems(range(0, 6))
      const [expected] = await readPages(t, `${ITEMS}?limit=1000`)
      const pages = await readPages(t, `${ITEMS}?limit=2&${name}=3`)
      expect(idsOf(pages)).toEqual(idsOf([expected]).slice(3))
    },
  )

  const SELECTIONS = [
    '',
    '&categoryCode=c0',
    '&administrativeAreaCode=a1&categoryCode=c1',
    '&bbox=-180,-85,-80,15',
    '&bbox=170,-85,-150,85&categoryCode=c1',
    '&bbox=170,-85,-150,85&administrativeAreaCode=a1',
    '&bbox=170,-85,-150,85&datetime=2026-03-01T00:01:00Z/..',
    '&datetime=2026-03-01T00:01:00Z/..',
    '&bbox=-180,-85,180,0&administrativeAreaCode=a1&datetime=../2026-03-01T00:03:40Z',
  ]

  test.each(SELECTIONS)('with "%s" give the pages that next links give, in any order', async (query) => {
    await addItems(range(0, 400))
    const ids = idsOf(await readPages(t, `${ITEMS}?limit=1000${query}`))
    const pageAt = async (name: string, offset: number, limit: number) => {
      const { status, body } = await getOgc(t, `${ITEMS}?limit=${limit}&${name}=${offset}${query}`)
      expect([offset, status, body.numberMatched, body.numberReturned]).toEqual([
        offset,
        200,
        ids.length,
        Math.max(0, Math.min(limit, ids.length - offset)),
      ])
      expect(idsOf([body])).toEqual(ids.slice(offset, offset + limit))
      return body
    }
    for (let offset = 0; offset <= ids.length; offset += 30) await pageAt('startindex', offset, 30)
    for (const offset of [ids.length - 1, 1, 17, ids.length + 1, 0]) await pageAt('offset', offset, 7)
    const inParallel = range(0, ids.length, 50).map((offset) => pageAt('startindex', offset, 50))
    expect(idsOf(await Promise.all(inParallel))).toEqual(ids)
    // The next page is by cursor, and has what is left.
    const { links } = await pageAt('offset', 5, 10)
    const [next] = linksOf({ links }, 'next')
    expect(next?.href).toMatch(/after=/)
    expect(next?.href).not.toMatch(/offset=|startindex=/)
    expect(idsOf(await readPages(t, next?.href ?? ''))).toEqual(ids.slice(15))
  })

  test('are exact after each change', async () => {
    await addItems(range(0, 100))
    const at = async (offset: number) => idsOf([(await getOgc(t, `${ITEMS}?limit=10&offset=${offset}`)).body])
    for (const offset of range(0, 100, 10)) expect(await at(offset)).toEqual(range(offset, offset + 10).map(idAt))
    await t.database.prisma.item.delete({ where: { id: idAt(3) } })
    await expect.poll(() => at(50), { interval: 5 }).toEqual(range(51, 61).map(idAt))
    await addItems([3])
    await expect.poll(() => at(50), { interval: 5 }).toEqual(range(50, 60).map(idAt))
  })

  test('past the end give an empty page with the total', async () => {
    for (const offset of ['1', '2147483648', '99999999999999999999999999']) {
      const { status, body } = await getOgc(t, `${ITEMS}?offset=${offset}`)
      expect([offset, status, body.numberMatched, body.numberReturned]).toEqual([offset, 200, 1, 0])
      expect([body.features, linksOf(body, 'next')]).toEqual([[], []])
    }
  })
})

test('a page of long features has fewer of them, and a next link', async () => {
  await addItems(range(0, 12), 'x'.repeat(1_000_000))
  const pages = await readPages(t, `${ITEMS}?limit=10000`)
  expect(pages.map(({ numberReturned }) => numberReturned)).toEqual([5, 5, 3])
  expect(pages.map(({ numberMatched }) => numberMatched)).toEqual([13, 13, 13])
  expect(idsOf(pages).slice(0, 12)).toEqual(range(0, 12).map(idAt))
})

test('a page of 10,000 features is complete, in parts', async () => {
  await addItems(range(0, 10_001))
  for (const query of ['', '&bbox=-180,-90,180,90', '&datetime=2026-03-01T00:00:00Z/..']) {
    const pages = await readPages(t, `${ITEMS}?limit=10000${query}`)
    expect(pages[0]).toMatchObject({ numberReturned: 10_000 })
    expect(idsOf(pages).filter((id) => id.startsWith('00'))).toEqual(range(0, 10_001).map(idAt))
  }
})
