import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BoundingBox } from '../../src/catalog/box.ts'
import { parseItems } from '../../src/catalog/models.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import type { Selection } from '../../src/catalog/selection.ts'
import { countInBox } from '../../src/catalog/sql/box.ts'
import { fetchSearchPage } from '../../src/catalog/sql/search.ts'
import { DATASET, newPlace, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/* Single names, and the decimals of single places. A search over many of them would hide each of these. */

const NAMES = [
  'aba',
  'ab ba',
  'abab',
  'xaba',
  'aba y',
  'y aba',
  'y  aba z',
  'z',
  'Zz',
  '가',
  '가나',
  '나가',
  'cabbage',
  'bb ag ge',
]

const KEYWORDS: [name: string, ...keywords: string[]][] = [
  ['Incheon Airport', 'ICN', 'RKSI', 'Séoul Incheon'],
  ['Icnland'],
  ['Picnic Ground', 'RKSI two'],
  ['Hill', 'Picnics', 'one\ntwo', 'qj', 'jq'],
  ['Rksi'],
  ['A one two'],
]

const EAST = '10.0000001'
const PLACES: [name: string, latitude: string, longitude: string][] = [
  ['corner', '20.0000001', EAST],
  ['south of it', '20', EAST],
  ['west of it', '20.0000001', '10'],
  ['north of it', '20.0000002', EAST],
  ['east of it', '20.0000001', '10.0000002'],
  ['last meridian', '-5', '180'],
  ['first meridian', '-5', '-180'],
  ['far east', '-5', '179.5'],
  // The first cell of a tile of every zoom.
  ['null island', '0', '0'],
]

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await seedCatalog(prisma)
  const item = (name: string, latitude: string | number, longitude: string | number, n = 0) => {
    const codes = { administrativeAreaCode: `a${n % 2}`, categoryCode: `c${n % 3}`, postalCode: `p${n % 2}` }
    return newPlace({ datasetId: DATASET.archived, name, latitude, longitude, ...codes })
  }
  await prisma.item.createMany({
    data: [
      ...NAMES.map((name, n) => item(name, 50, 50, n)),
      ...KEYWORDS.map(([name, ...keywords], n) => ({ ...item(name, 60, 60, n), keywords })),
      ...PLACES.map(([name, latitude, longitude]) => item(name, latitude, longitude)),
      // More than the search reads to sort them: it walks their names.
      ...Array.from({ length: 1_500 }, (_, n) =>
        item(`Many ${String(n).padStart(4, '0')}`, -40 + n / 1e6, -40 + n / 1e6, n % 10 === 0 ? 1 : 0),
      ),
      // A crowd in a tile of the last zoom that has counts.
      ...Array.from({ length: 300 }, (_, n) => item(`Near ${n}`, (40 + n / 1e7).toFixed(7), 40)),
    ],
  })
})

async function search(given: Selection, { limit = 100, offset = 0, scope = [DATASET.archived as string] } = {}) {
  const window = { ...given, limit, offset, projection: recordsWith({ fields: ['id', 'name'] }) }
  const { json, total } = await fetchSearchPage(db.database.sql, window, scope)
  const nodes = parseItems(json)
  expect(total).toBeGreaterThanOrEqual(nodes.length)
  return nodes.map(({ name }) => name)
}

describe('A search by name', () => {
  test.each([
    ['aba', ['aba', 'aba y', 'abab', 'xaba', 'y  aba z', 'y aba']],
    ['ab', ['ab ba', 'aba', 'aba y', 'abab', 'cabbage', 'xaba', 'y  aba z', 'y aba']],
    ['y aba', ['y aba', 'y  aba z', 'aba y']],
    ['y\t\u2028aba', ['y aba', 'y  aba z', 'aba y']],
    ['b', ['bb ag ge', 'ab ba', 'aba', 'aba y', 'abab', 'cabbage', 'xaba', 'y  aba z', 'y aba']],
    ['b cabbage', ['cabbage']],
    ['ab ba', ['ab ba', 'aba', 'aba y', 'abab', 'cabbage', 'xaba', 'y  aba z', 'y aba']],
    ['cabbage', ['cabbage']],
    ['z', ['z', 'Zz', 'y  aba z']],
    ['가', ['가', '가나', '나가']],
    ['나가', ['나가']],
    ['ba ab', ['ab ba', 'aba', 'aba y', 'abab', 'cabbage', 'xaba', 'y  aba z', 'y aba']],
  ])('%s: the equal name first, then those that begin with it, then others', async (text, names) => {
    expect(await search({ text })).toEqual(names)
    expect(await search({ text }, { limit: 2, offset: 1 })).toEqual(names.slice(1, 3))
  })
})

describe('A search by keyword', () => {
  test.each([
    ['icn', ['Incheon Airport', 'Icnland', 'Picnic Ground', 'Hill']],
    ['SEOUL  incheon', ['Incheon Airport']],
    ['rksi', ['Incheon Airport', 'Rksi', 'Picnic Ground']],
    ['rksi ground', ['Picnic Ground']],
    ['ground picnic', ['Picnic Ground']],
    ['incheon icn', ['Incheon Airport']],
    ['picnics', ['Hill']],
    ['one', ['A one two', 'Hill']],
    ['one two', ['Hill', 'A one two']],
    ['qjjq', []],
    ['icnrksi', []],
    ['q', ['Hill']],
    ['jj', []],
  ])(
    '%s: equal names and keywords first, then names that begin with it, then other names, then keywords',
    async (text, names) => {
      expect(await search({ text })).toEqual(names)
      expect(await search({ text }, { limit: 1, offset: 1 })).toEqual(names.slice(1, 2))
    },
  )
})

describe('A search in a box', () => {
  const corner = { west: 10.0000001, south: 20.0000001, east: 10.0000001, north: 20.0000001 }

  test('contains its edges, to the seventh decimal', async () => {
    expect(await search({ within: corner })).toEqual(['corner'])
    expect(await search({ within: { ...corner, south: 20 } })).toEqual(['corner', 'south of it'])
    expect(await search({ within: { ...corner, west: 10 } })).toEqual(['corner', 'west of it'])
    expect(await search({ within: { ...corner, north: 20.0000002 } })).toEqual(['corner', 'north of it'])
    expect(await search({ within: { ...corner, east: 10.0000002 } })).toEqual(['corner', 'east of it'])
  })

  test('across the antimeridian has both sides of it', async () => {
    const box = { west: 179, south: -6, east: -179, north: -4 }
    expect(await search({ within: box })).toEqual(['far east', 'first meridian', 'last meridian'])
    expect(await search({ within: { ...box, east: 180 } })).toEqual(['far east', 'last meridian'])
    expect(await search({ within: { ...box, west: -180 } })).toEqual(['first meridian'])
  })

  test('counts an item on the corner of four tiles once', async () => {
    const window = {
      within: { west: -1, south: -1, east: 1, north: 1 },
      limit: 5,
      offset: 0,
      projection: recordsWith({ fields: ['id'] }),
    }
    const { total, json } = await fetchSearchPage(db.database.sql, window, [DATASET.archived])
    expect([total, parseItems(json).length]).toEqual([1, 1])
    expect(await search({ within: window.within, categoryCode: 'c0' })).toEqual(['null island'])
  })

  test('with many items gives each page in the order of names', async () => {
    const within = { west: -41, south: -41, east: -39, north: -39 }
    const named = (n: number) => `Many ${String(n).padStart(4, '0')}`
    for (const [limit, offset] of [
      [3, 0],
      [3, 50],
      [2, 1_499],
    ] as const) {
      const names = [named(offset), named(offset + 1), named(offset + 2)].slice(0, Math.min(limit, 1_500 - offset))
      expect(await search({ within }, { limit, offset })).toEqual(names)
    }
    expect(await search({ within }, { scope: [DATASET.seoul] })).toEqual([])
  })

  test.each([
    ['most of them', { categoryCode: 'c0' }, (n: number) => n % 10 !== 0],
    ['a few of them', { administrativeAreaCode: 'a1', categoryCode: 'c1' }, (n: number) => n % 10 === 0],
    ['a text of most of them', { postalCode: 'p0' }, (n: number) => n % 10 !== 0],
    ['a text and a code', { postalCode: 'p1', categoryCode: 'c1' }, (n: number) => n % 10 === 0],
    ['a code and the text of others', { postalCode: 'p0', categoryCode: 'c1' }, () => false],
  ])('with many items and filters gives %s in the order of names', async (_of, filters, isChosen) => {
    const within = { west: -40, south: -40, east: -39.9986, north: -39.9986 }
    const names = Array.from({ length: 1_401 }, (_, n) => n)
      .filter(isChosen)
      .map((n) => `Many ${String(n).padStart(4, '0')}`)
    for (const offset of [0, 50, 1_259, 1_400]) {
      const window = { ...filters, within, limit: 3, offset, projection: recordsWith({ fields: ['name'] }) }
      const { json, total } = await fetchSearchPage(db.database.sql, window, [DATASET.archived])
      expect([total, parseItems(json).map(({ name }) => name)]).toEqual([names.length, names.slice(offset, offset + 3)])
    }
  })

  test('of a category has the items of a plain statement, in the order of names', async () => {
    const items = await db.database.prisma.item.findMany({
      where: { datasetId: DATASET.archived },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
    })
    const degree = (limit: number) => fc.constantFrom(-limit, -40, -39.9995, -5, 0, 39, 40.00002, 41, limit)
    const boxes = fc
      .record({ west: degree(180), south: degree(90), east: degree(180), north: degree(90) })
      .filter(({ south, north }) => south <= north)
    const isIn = ({ west, south, east, north }: BoundingBox, latitude: number, longitude: number) =>
      latitude >= south &&
      latitude <= north &&
      (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east)
    const category = fc.constantFrom('c0', 'c1', 'c2', 'other')
    const check = fc.asyncProperty(
      boxes,
      category,
      fc.constantFrom(0, 3, 700),
      async (within, categoryCode, offset) => {
        const found = items
          .filter((item) => item.categoryCode === categoryCode)
          .filter(({ latitude, longitude }) => isIn(within, Number(latitude), Number(longitude)))
          .map(({ id }) => id)
        const window = { within, categoryCode, limit: 5, offset, projection: recordsWith({ fields: ['id'] }) }
        const { json, total } = await fetchSearchPage(db.database.sql, window, [DATASET.archived])
        expect([total, parseItems(json).map(({ id }) => id)]).toEqual([found.length, found.slice(offset, offset + 5)])
      },
    )
    await fc.assert(check, { numRuns: 60 })
  })

  test('may cut through a crowd', async () => {
    const within = { west: 39, south: 39, east: 41, north: 40.0000099 }
    const window = { within, limit: 1, offset: 0, projection: recordsWith({ fields: ['id'] }) }
    expect((await fetchSearchPage(db.database.sql, window, [DATASET.archived])).total).toBe(100)
  })

  test('is counted by its large tiles and by the items on its border', async () => {
    const box = { west: 30, south: 40.000015, east: 70, north: 70 }
    const { total } = await countInBox(db.database.sql, box, [DATASET.archived])
    expect(total).toBe(150 + NAMES.length + KEYWORDS.length)
  })
})
