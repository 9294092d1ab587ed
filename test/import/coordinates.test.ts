import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'
import { csv, useImporter } from '../support/import.ts'
import cases from './data/coordinates.json' with { type: 'json' }

const t = useImporter()
const placed = async () => {
  const [item] = await t.db.database.prisma.item.findMany()
  return [item?.latitude.toFixed(), item?.longitude.toFixed()]
}

describe('A coordinate is read in each way that has one meaning', () => {
  test.each(cases.read)('$what', async ({ latitude, longitude, expected }) => {
    const quoted = [latitude, longitude].map((text) => `"${text.replaceAll('"', '""')}"`)
    await t.importer.run({ 'a.csv': csv(`a,A,11,x,${quoted.join()}`) })
    expect(await placed()).toEqual(expected)
  })

  test.each([
    ['commas', '5,334,780.031', '691,603.032'],
    ['commas without decimals', '5,334,780', '691,603'],
    ['spaces', '5 334 780.031', '691 603.032'],
    ['spaces and a decimal comma', '5\u00a0334\u00a0780,031', '691\u202f603,032'],
    ['apostrophes', "5'334'780.031", '691’603.032'],
  ])('metres with %s between thousands', async (_what, latitude, longitude) => {
    const items = [{ file: 'a.csv', crs: 'EPSG:25832' }]
    await t.importer.run({ 'a.csv': csv(`a,A,11,x,"${latitude}","${longitude}"`) }, { items })
    const [north, east] = await placed()
    expect([Number(north).toFixed(4), Number(east).toFixed(4)]).toEqual(['48.1374', '11.5755'])
  })
})

test.each([
  ['48.1, 11.5', 'is a pair of numbers'],
  ['POLYGON((1 2, 3 4, 5 6, 1 2))', 'is a geometry in WKT'],
  ['0101000020E6100000000000000000F03F', 'is a geometry in WKB'],
  ['37°61\'00"N', 'is an angle'],
  ['32UPU 91234 34567', 'is a reference of MGRS'],
])('a coordinate that could be anything is shown, with what it is: %s', async (text, what) => {
  const message = await t.importer.fail({
    'a.csv': csv(`a,A,11,x,"${text.replaceAll('"', '""')}","${text.replaceAll('"', '""')}"`),
  })
  expect(message).toContain(`latitude must be a number of degrees, and ${what}: ${text}`)
})

test('the remedy for metres with commas between thousands is their system, not a decimal comma', async () => {
  const message = await t.importer.fail({ 'a.csv': csv('a,A,11,x,"563,850","425,070"') })
  expect(message).toContain('if it is metres, in the manifest, add "crs"')
  expect(await t.importer.fail({ 'a.csv': csv('a,A,11,x,"48,137","11,575"') })).toContain('add "decimal": ","')
})

test.each([
  ['a list', [127, 37.5]],
  ['a point of GeoJSON', { type: 'Point', coordinates: [127, 37.5] }],
])('a coordinate in NDJSON may be %s', async (_what, location) => {
  const row = { externalId: 'a', name: 'A', administrativeAreaCode: '11', categoryCode: 'x', location }
  const columns = { ...Object.fromEntries(Object.keys(row).map((key) => [key, key])), location: undefined }
  const items = [{ file: 'a.ndjson', columns: { ...columns, latitude: 'location', longitude: 'location' } }]
  await t.importer.run({ 'a.ndjson': JSON.stringify(row) }, { items })
  expect(await placed()).toEqual(['37.5', '127'])
})

test.each([
  [
    'degrees, minutes and seconds without signs',
    'name,lat,lon\nA,373000,1270000\n',
    'lat has 373000, metres, or degrees, minutes and seconds',
  ],
  ['a pair', 'name,geo_point_2d\nA,"48.1, 11.5"\n', 'geo_point_2d has 48.1, 11.5, a pair of numbers'],
  ['another word', 'name,lat,lon\nA,north,east\n', 'lat has north, no number of degrees'],
  ['an object', '{"name":"A","coord":{"a":1}}\n', 'coord has {"a":1}, a list or an object'],
  ['no header', 'A,37.5,127.1\nB,37.6,127.2\n', ''],
  ['one column', 'places\nA\n', 'places has A, and no column is called like a coordinate'],
  ['no name of a coordinate', 'name,where\nA,here\n', 'name has A, and no column is called like a coordinate'],
])('init shows one value that it can not read: %s', async (_what, text, expected) => {
  const path = join(folder, `unread${text.startsWith('{') ? '.ndjson' : '.csv'}`)
  await writeFile(path, text)
  const { unread, missing } = await initManifest(path, join(folder, 'unread.json'))
  await rm(join(folder, 'unread.json'))
  expect(missing).toContain('latitude')
  expect(unread).toContain(expected === '' ? 'no names of columns, but values such as 37.5' : `the column ${expected}`)
})

test('numbers that are no degrees are said with the remedy if they are metres', async () => {
  const message = await t.importer.fail({ 'a.csv': csv('a,A,11,x,373000,1270000') })
  expect(message).toContain('latitude is no number of degrees; if it is metres, in the manifest, add "crs"')
})

test('init shows a pair that could be in either order', async () => {
  const path = join(folder, 'pair.csv')
  await writeFile(path, 'name,location\nBonn,"50.7, 7.1"\n')
  expect((await initManifest(path)).unread).toBe(
    'the column location has 50.7, 7.1, a pair of numbers; write latitude and longitude into two columns, as numbers of degrees',
  )
})

test('a cell of any length is no coordinate, and is refused at once', async () => {
  const cells = ['1 '.repeat(100_000), '1,'.repeat(100_000), `POINT(${' '.repeat(200_000)}`, `1${"'".repeat(200_000)}`]
  for (const cell of cells)
    expect(await t.importer.fail({ 'a.csv': csv(`a,A,11,x,"${cell}",1`) })).toMatch(
      /latitude must be a (decimal )?number/,
    )
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-coordinates-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})
const find = async (text: string) => {
  await writeFile(join(folder, 'a.csv'), text)
  const made = await initManifest(join(folder, 'a.csv'), join(folder, 'made.json'))
  await rm(join(folder, 'made.json'))
  const [first] = made.checked.items
  const decimal = made.inferences.find(({ what }) => what === 'decimal')
  return {
    dialect: made.dialect,
    decimal,
    place: [first?.latitude, first?.longitude].map((each) => Number(each).toFixed(2)),
  }
}

describe('The decimal sign', () => {
  test('is a point, and is said, if each comma in metres stands before exactly three digits', async () => {
    const rows = 'name,Easting,Northing\nA,"425,070","563,850"\nB,"425,170","563,950"\n'
    const { dialect, decimal, place } = await find(rows)
    expect(dialect).toEqual({ decimal: '.', crs: 'EPSG:27700' })
    expect(place).toEqual(['54.97', '-1.61'])
    expect(decimal).toEqual({
      what: 'decimal',
      chosen: { choice: 'a point', example: '425,070 is 425070', write: '"decimal": "."' },
      alternatives: [{ choice: 'a comma', example: '425,070 is 425.070', write: '"decimal": ","' }],
    })
  })

  test.each(cases.decimal)('is proved or said: $what', async ({ text, dialect, place, said }) => {
    const found = await find(text)
    expect(found).toMatchObject({ dialect, place: place.split(' ') })
    expect(found.dialect).toEqual(dialect)
    expect(found.decimal?.chosen.choice).toBe(said)
  })

  test.each(cases.columns)('and columns with $what are found', async ({ text, place }) => {
    expect((await find(text)).place).toEqual(place)
  })
})
