import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initManifest } from '../../src/import/init/init-manifest.ts'
import { csv, useImporter } from '../support/import.ts'

const t = useImporter()
const placed = async () => {
  const [item] = await t.db.database.prisma.item.findMany()
  return [item?.latitude.toFixed(), item?.longitude.toFixed()]
}

describe('A coordinate is read in each way that has one meaning', () => {
  test.each([
    ['a minus of typesetters', '−37.5', '−127', '-37.5', '-127'],
    ['full-width digits', '３７．５', '１２７', '37.5', '127'],
    ['degrees, minutes and seconds', '37°33\'58"N', '126°58\'41"E', '37.5661111', '126.9780556'],
    ['the signs of typesetters', 'S 33° 51′ 24.5″', '151º 12’ 54’’ E', '-33.8568056', '151.215'],
    ['degrees and minutes', "37°33.5'", "-126°58.7'", '37.5583333', '-126.9783333'],
    ['degrees with a side', '37.5 S', '127.25° W', '-37.5', '-127.25'],
    ['WKT', 'POINT (127.5 37.25)', 'POINT (127.5 37.25)', '37.25', '127.5'],
    ['EWKT', 'SRID=4326;POINT(127.5 37.25)', 'SRID=4326;POINT(127.5 37.25)', '37.25', '127.5'],
    ['degrees with spaces and a side', '37 30 00 N', 'W 127 15.5', '37.5', '-127.2583333'],
    ['degrees with colons', '37:30:00', '-127:15:00.0', '37.5', '-127.25'],
    ['degrees with words', '37도 30분 0초', '동경 127度15分', '37.5', '127.25'],
    ['degrees with words of English', '37 deg 30 min', '127d15\'00"E', '37.5', '127.25'],
    ['degrees as in aviation', '373000N', '1271500E', '37.5', '127.25'],
    ['a decimal comma in seconds', '37°30\'00,0"N', '127°15\'00,0"', '37.5', '127.25'],
    ['Arabic-Indic digits', '٣٧٫٥', '١٢٧', '37.5', '127'],
    ['Persian digits and Devanagari', '۳۷٫۵', '१२७', '37.5', '127'],
    ['WKT with a height', 'POINT Z (127.5 37.25 10)', 'POINTZ(127.5 37.25 10)', '37.25', '127.5'],
    [
      'a point of GeoJSON',
      '{"type":"Point","coordinates":[27.5,37.25]}',
      '{"coordinates": [27.5, 37.25, 3], "type": "Point"}',
      '37.25',
      '27.5',
    ],
    ['a list of which one is no latitude', '[127,37.5]', '[127, 37.5]', '37.5', '127'],
    ['a pair of which one is no latitude', '37.5, 127.0', '37.5, 127.0', '37.5', '127'],
    ['the same the other way round', '[127.0; 37.5]', '[127.0; 37.5]', '37.5', '127'],
  ])('%s', async (_what, latitude, longitude, ...expected) => {
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
  expect(message).toContain(`${text} ${what}; write latitude and longitude as numbers of degrees, in two columns`)
})

test('the remedy for metres with commas between thousands is their system, not a decimal comma', async () => {
  const message = await t.importer.fail({ 'a.csv': csv('a,A,11,x,"563,850","425,070"') })
  expect(message).toContain('they look like metres, not degrees; in the manifest, add "crs"')
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

test('numbers that may be metres or degrees without signs are called both', async () => {
  const message = await t.importer.fail({ 'a.csv': csv('a,A,11,x,373000,1270000') })
  expect(message).toContain(`they look like metres, or like 37°30'00" written as 373000, not degrees`)
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
    expect(await t.importer.fail({ 'a.csv': csv(`a,A,11,x,"${cell}",1`) })).toContain(
      'latitude must be a decimal number',
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

  test.each<[what: string, text: string, dialect: object, place: string, said?: string]>([
    ['a comma before two digits', 'name;lat;lon\nA;48,13;11,575\n', { delimiter: ';', decimal: ',' }, '48.13 11.57'],
    [
      'angles with three digits',
      'name;lat;lon\nA;48,137;11,575\n',
      { delimiter: ';', decimal: ',' },
      '48.14 11.57',
      'a comma',
    ],
    ['two commas', 'name,x_utm32n,y_utm32n\nA,"691,603","5,334,780"\n', { crs: 'EPSG:25832' }, '48.14 11.58'],
    ['two points', 'name,x_utm32n,y_utm32n\nA,691.603,5.334.780\n', { decimal: ',', crs: 'EPSG:25832' }, '48.14 11.58'],
    [
      'points in metres',
      'name,Easting,Northing\nA,425.070,563.850\n',
      { decimal: ',', crs: 'EPSG:27700' },
      '54.97 -1.61',
      'a comma',
    ],
    [
      'commas and points in metres',
      'name;Easting;Northing\nA;425,070;563850.5\n',
      { delimiter: ';', decimal: '.', crs: 'EPSG:27700' },
      '54.97 -1.61',
      'a point',
    ],
    ['points in degrees', 'name,lat,lon\nA,48.137,11.575\n', {}, '48.14 11.57'],
    ['spaces', 'name,Easting,Northing\nA,425 070,563 850\n', { crs: 'EPSG:27700' }, '54.97 -1.61'],
  ])('is proved or said: %s', async (_what, text, dialect, place, said) => {
    const found = await find(text)
    expect(found).toMatchObject({ dialect, place: place.split(' ') })
    expect(found.dialect).toEqual(dialect)
    expect(found.decimal?.chosen.choice).toBe(said)
  })

  test.each([
    ['WKT', 'name,geom\nA,POINT(127 37.5)\n', ['37.50', '127.00']],
    ['pairs', 'name,location\nA,"37.5, 127.0"\n', ['37.50', '127.00']],
    ['a point of Wikidata', 'itemLabel,coord\nA,Point(127 37.5)\n', ['37.50', '127.00']],
    ['x and y as words', 'name,COORDENADA_X,COORDENADA_Y\nA,127,37.5\n', ['37.50', '127.00']],
    ['metres of a zone', 'name,UTM35S_E,UTM35S_N\nA,500000,8000000\n', ['-18.09', '27.00']],
    ['metres of Ireland', 'name,ITM_E,ITM_N\n"A, Ireland",715845.9,734720.3\n', ['53.35', '-6.26']],
    ['metres of Hungary', 'név,EOV_X,EOV_Y\nHősök tere,240675,652452.3\n', ['47.51', '19.08']],
    ['metres of Denmark', 'navn,Nord,Øst\nA,6175000,724500\n', ['55.67', '12.57']],
    ['angles', 'name,lat,lon\nA,"37°30\'00""N","127°00\'00""E"\n', ['37.50', '127.00']],
  ])('and columns with %s are found', async (_what, text, place) => {
    expect((await find(text)).place).toEqual(place)
  })
})
