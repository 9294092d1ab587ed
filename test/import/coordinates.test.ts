import { describe, expect, test } from 'vitest'
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

test('a cell of any length is no coordinate, and is refused at once', async () => {
  const cells = ['1 '.repeat(100_000), '1,'.repeat(100_000), `POINT(${' '.repeat(200_000)}`, `1${"'".repeat(200_000)}`]
  for (const cell of cells)
    expect(await t.importer.fail({ 'a.csv': csv(`a,A,11,x,"${cell}",1`) })).toMatch(
      /latitude must be a (decimal )?number/,
    )
})
