import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { findReferenceSystem } from '../../src/rows/reference-system.ts'
import { collection, csv, ndjson, point, row, useImporter } from '../support/import.ts'

const t = useImporter()

const placed = async () => {
  const items = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
  return items.map(({ name, latitude, longitude }) => [name, latitude.toFixed(), longitude.toFixed()])
}

describe('An entry of a manifest says how its file is written', () => {
  test.each([
    ['windows-1252', 'Größe für 5 €'],
    ['CP949', '똠방각하 부산타워'],
    ['EUC-KR', '부산타워'],
    ['Shift_JIS', '東京タワー'],
    ['utf-16le', 'Größe 부산'],
    ['UTF-16BE', 'Größe 부산'],
    ['utf16', 'Größe 부산'],
    ['utf-8', 'Größe 부산'],
  ])('in the encoding %s', async (encoding, name) => {
    const content = iconv.encode(csv(`a,${name},11,x,37.5,127`), encoding)
    await t.importer.run({ 'a.csv': content }, { items: [{ file: 'a.csv', encoding }] })
    expect(await placed()).toEqual([[name, '37.5', '127']])
  })

  test.each([';', '\t', '|', ':'])('with the separator %j', async (delimiter) => {
    const content = csv('a,A,11,x,37.5,127').replaceAll(',', delimiter)
    await t.importer.run({ 'a.csv': content }, { items: [{ file: 'a.csv', delimiter }] })
    expect(await placed()).toEqual([['A', '37.5', '127']])
  })

  test('with the separator in its first line, as Excel has it', async () => {
    const content = `sep=;\r\n${csv('a,A,11,x,37.5,127', 'b,B,11,x,99,127').replaceAll(',', ';')}`
    expect(await t.importer.fail({ 'a.csv': content })).toContain('a.csv:4: latitude must be from')
    await t.importer.run({ 'a.csv': content }, { skipInvalid: true })
    expect(await placed()).toEqual([['A', '37.5', '127']])
    const other = { items: [{ file: 'a.csv', delimiter: '|' }] }
    expect(await t.importer.fail({ 'a.csv': content }, other)).toBe(
      'a.csv:1: says that its separator is ";"; in the manifest, change "delimiter" to ";" in the entry of a.csv',
    )
  })

  test('with the separator in its first line, and line ends of an old Mac', async () => {
    const content = `sep=;\r${csv('a,A,11,x,37.5,127').replaceAll(',', ';').replaceAll('\n', '\r')}`
    await t.importer.run({ 'a.csv': content })
    expect(await placed()).toEqual([['A', '37.5', '127']])
  })

  test.each([
    ['48,1374', '11,5755', '48.1374', '11.5755'],
    ['-48,1', ' 11 ', '-48.1', '11'],
    ['48.1374', '11,5', '48.1374', '11.5'],
  ])('with decimal commas: %s and %s', async (latitude, longitude, ...expected) => {
    const content = csv(`a;A;11;x;${latitude};${longitude}`).replaceAll('externalId,', 'externalId;')
    const header = content.slice(0, content.indexOf('\n')).replaceAll(',', ';')
    const items = [{ file: 'a.csv', delimiter: ';', decimal: ',' }]
    await t.importer.run({ 'a.csv': header + content.slice(content.indexOf('\n')) }, { items })
    expect(await placed()).toEqual([['A', ...expected]])
  })

  test('with points between thousands and decimal commas, in metres', async () => {
    const content = csv('a,A,11,x,"5.334.780,031","691.603,032"', 'b,B,11,x,5.334.780,691.603')
    await t.importer.run({ 'a.csv': content }, { items: [{ file: 'a.csv', decimal: ',', crs: 'EPSG:25832' }] })
    expect(await placed()).toEqual([
      ['A', '48.1374', '11.5755'],
      ['B', '48.1373997', '11.5754996'],
    ])
  })

  test.each<[object, string]>([
    [{ encoding: 'klingon' }, 'items.0.encoding must be an encoding, such as utf-8'],
    [
      { encoding: 'ansi' },
      'items.0.encoding must be an encoding, such as utf-8, utf-16le, cp949, shift_jis, or windows-1252 for "ANSI"',
    ],
    [{ encoding: 'base64' }, 'items.0.encoding must be an encoding'],
    [{ crs: '25832' }, 'items.0.crs must begin with EPSG:, such as EPSG:25832'],
    [{ delimiter: ';;' }, 'items.0.delimiter must be one character'],
    [{ decimal: ';' }, 'items.0.decimal must be one of ., ,'],
    [{ crs: 'EPSG:1' }, 'items.0.crs must be the code of a coordinate reference system'],
    [{ crs: 'EPSG:2391' }, 'items.0.crs must be the code'],
    [{ crs: '../../package' }, 'items.0.crs must be the code'],
    [{ sheet: 'A' }, 'a.csv: has no "sheet"; remove it from its entry in the manifest'],
  ])('and %j is refused', async (dialect, reason) => {
    const items = [{ file: 'a.csv', ...dialect }]
    expect(await t.importer.fail({ 'a.csv': csv('a,A,11,x,37.5,127') }, { items })).toContain(reason)
  })
})

describe('Coordinates of another reference system become degrees of WGS 84', () => {
  test.each(['urn:ogc:def:crs:EPSG::25832', 'http://www.opengis.net/def/crs/EPSG/0/25832'])(
    'also by the name %s',
    (name) => {
      expect(findReferenceSystem(name)?.code).toBe('EPSG:25832')
      expect(findReferenceSystem('urn:ogc:def:crs:OGC:1.3:CRS84')?.code).toBe('EPSG:4326')
    },
  )

  const crs = (name: string) => ({ crs: { type: 'name', properties: { name } } })
  const geojson = (first: object, last: object = {}) =>
    JSON.stringify({ ...first, features: [point([691603.032, 5334780.031], row())], ...last })

  test('as the manifest says, or as a GeoJSON file says itself', async () => {
    const items = [{ file: 'a.geojson', crs: 'EPSG:25832' }]
    const expected = [['A', '48.1374', '11.5755']]
    await t.importer.run({ 'a.geojson': geojson({}) }, { items })
    expect(await placed()).toEqual(expected)
    await t.importer.run({ 'a.geojson': geojson(crs('urn:ogc:def:crs:EPSG::25832')) })
    expect(await placed()).toEqual(expected)
    await t.importer.run({ 'a.geojson': geojson({}, crs('EPSG:25832')) }, { items })
    expect(await placed()).toEqual(expected)
  })

  test.each<[string, string, object, string]>([
    [
      'after its features',
      geojson({}, crs('EPSG:25832')),
      {},
      'stands after its features, too late; in the manifest, add "crs": "EPSG:25832" to the entry of a.geojson',
    ],
    [
      'another than the manifest',
      geojson(crs('EPSG:25832')),
      { crs: 'EPSG:25833' },
      'a.geojson: says that its crs is EPSG:25832; in the manifest, change "crs" to "EPSG:25832" in the entry of a.geojson',
    ],
    ['an unknown one', geojson(crs('EPSG:999999')), {}, 'its crs EPSG:999999 is not known'],
    [
      'one that is not JSON',
      geojson({ crs: {} }).replace('{}', '{name:"EPSG:25832"}'),
      {},
      'a.geojson: its crs "crs":{name:"EPSG:25832"},',
    ],
    [
      'none, and has metres',
      geojson({}),
      {},
      'latitude is no number of degrees; if it is metres, in the manifest, add "crs"',
    ],
    [
      'none, and the manifest a wrong one',
      geojson({}),
      { crs: 'EPSG:27700' },
      'are outside of the area of EPSG:27700 (OSGB36 / British National Grid)',
    ],
  ])('and a file that names %s is refused', async (_what, content, dialect, reason) => {
    const items = [{ file: 'a.geojson', ...dialect }]
    expect(await t.importer.fail({ 'a.geojson': content }, { items })).toContain(reason)
  })

  test('and a place outside of the area of the system is a bad row, with the likely reason', async () => {
    const items = [{ file: 'a.csv', crs: 'EPSG:25832' }]
    const rows = csv('a,A,11,x,48.1,11.5', 'b,B,11,x,691603,5334780', 'c,C,11,x,5334780,1e9', 'd,D,11,x,,691603')
    const message = await t.importer.fail({ 'a.csv': rows }, { items })
    expect(message).toContain('a.csv:2: latitude and longitude are outside of the area of EPSG:25832')
    expect(message).toContain('; they look like degrees')
    expect(message).toContain('; they look swapped')
    expect(message).toMatch(/a\.csv:4: .* zone 32N\): 5334780 and 1e9$/m)
    expect(message).toContain('a.csv:5: latitude is required')
  })
})

test('a feature of a collection on one line is found by its number and byte', async () => {
  const good = JSON.stringify(point([127, 37], row({ name: '가' })))
  const bad = JSON.stringify(point([127, 99], row({ externalId: 'b' })))
  const text = `{"features":[${good},${bad}]}`
  const byte = Buffer.byteLength(`{"features":[${good},`)
  expect(await t.importer.fail({ 'a.geojson': text })).toContain(
    `a.geojson:1: latitude must be from -90 to 90: 99 (feature 2, at byte ${byte})`,
  )
  expect(await t.importer.fail({ 'a.geojson': collection(JSON.parse(good), JSON.parse(bad)) })).not.toContain('byte')
})

describe('A text that stands for no value', () => {
  const files = {
    'a.csv': csv('a,A,11,N/A,37,127', 'b,B,#NV,y,37,127', 'c,C,11, N/A ,37,127', 'd,D N/A,11,NaNo,37,127'),
  }

  test('is stored with a warning that names the column and the remedy', async () => {
    await t.importer.run(files)
    const advice = (text: string) => `in the manifest, add "empty": ["${text}"] to the entry of a.csv`
    const warn = (line: number, column: string, text: string) => ({
      ...{ file: 'a.csv', line },
      reason: `the column ${column} has the text ${text}; if it means no value, ${advice(text)}`,
    })
    expect(t.importer.reported.warnings).toMatchObject([
      warn(2, 'categoryCode', 'N/A'),
      warn(3, 'administrativeAreaCode', '#NV'),
      warn(4, 'categoryCode', 'N/A'),
    ])
  })

  test('is an empty cell if the entry says so', async () => {
    const items = [{ file: 'a.csv', empty: ['N/A'] }]
    expect(await t.importer.fail(files, { items })).toContain('a.csv:4: categoryCode is required')
    const codes = { 'a.ndjson': `${JSON.stringify(row({ telephone: 'N/A', description: 'N/A?' }))}\n` }
    await t.importer.run(codes, { items: [{ file: 'a.ndjson', empty: ['N/A'] }] })
    const stored = await t.db.database.prisma.item.findMany()
    expect(stored).toMatchObject([{ telephone: '', description: 'N/A?' }])
    expect(t.importer.reported.warnings).toEqual([])
  })

  test('has no warning in a column that the manifest does not use', async () => {
    const fields = ['externalId', 'name', 'administrativeAreaCode', 'categoryCode', 'latitude', 'longitude']
    const columns = Object.fromEntries(fields.map((field) => [field, field]))
    const unused = ndjson(row({ note: 'N/A', measure: '1.5E+12' }))
    await t.importer.run({ 'a.ndjson': unused }, { items: [{ file: 'a.ndjson', columns }] })
    expect(t.importer.reported.warnings).toEqual([])
    await t.importer.run({ 'a.ndjson': unused })
    const reasons = t.importer.reported.warnings.map(({ reason }) => reason)
    expect(reasons).toEqual(['not fields of an item, so ignored: note, measure'])
  })

  test('has no warning in a bundle or a file of labels', async () => {
    const labels = { categoryCode: { file: 'labels.csv', columns: { code: 'code', label: 'label' } } }
    const more = { 'labels.csv': 'code,label\nN/A,none\n', 'a.ndjson': ndjson(row({ categoryCode: 'N/A' })) }
    await t.importer.run(more, { items: [{ file: 'a.ndjson', exact: true }], labels })
    expect(t.importer.reported.warnings).toEqual([])
  })

  test.each(['2.12555E+09', '2,1E+11'])(
    'is not one that Excel perhaps cut, such as %s, but that has a warning too, unlike a short one',
    async (cut) => {
      await t.importer.run({
        'a.ndjson': `${JSON.stringify(row({ telephone: cut, description: '1E+9', addressLocality: '1.5E+06' }))}\n`,
      })
      expect(t.importer.reported.warnings.map(({ reason }) => reason)).toEqual([
        `the column telephone has a number that a spreadsheet has perhaps cut; if so, get the column as text: ${cut}`,
      ])
    },
  )
})

describe('A column with the type number', () => {
  const columns = {
    ...{ externalId: 'id', name: 'id', latitude: { value: '37' }, longitude: { value: '127' } },
    ...{ administrativeAreaCode: { value: 'x' }, categoryCode: { value: 'y' } },
    extraAttributes: ['id', { column: 'feet', type: 'number' }],
  }
  const files = (feet: string) => ({ 'n.csv': `id;feet\n7;${feet}\n` })
  const entry = (decimal?: string) => ({ items: [{ file: 'n.csv', delimiter: ';', columns, decimal }] })

  test.each<[string | undefined, string, string]>([
    [undefined, '-12.50', '-12.50'],
    [undefined, '12345678901234567890', '12345678901234567890'],
    [undefined, '1,234,567.50', '1234567.50'],
    [undefined, '1 234,5', '1234.5'],
    ['.', '1,200', '1200'],
    [',', '52.662,47', '52662.47'],
    [',', '52,47', '52.47'],
    [',', '−52.662', '-52662'],
    [',', '1 234,50', '1234.50'],
  ])('and the decimal sign %s: %s is %s', async (decimal, feet, expected) => {
    await t.importer.run(files(feet), entry(decimal))
    const stored = await t.db.database.prisma.$queryRaw`SELECT extra_attributes ->> 'feet' AS feet FROM items`
    expect(stored).toEqual([{ feet: expected }])
  })

  test('is no member where it is blank', async () => {
    await t.importer.run(files(' '), entry())
    expect(await t.db.database.prisma.item.findMany()).toMatchObject([{ extraAttributes: { id: '7' } }])
  })

  const bad = 'n.csv:2: the column feet must be a number'
  const advise = (sign: string) => `; in the manifest, add "decimal": "${sign}" to the entry of n.csv if it is `
  test.each<[string, string | undefined, string]>([
    ...['high', '1e', '0x10', 'NaN', '007'].map((feet): [string, undefined, string] => [feet, undefined, '']),
    ['52,47', undefined, `${advise(',')}52.47`],
    ['1,200', undefined, `${advise(',')}1.200${advise('.')}1200`],
    ['52.47', ',', '; in the manifest, change "decimal" to "." in the entry of n.csv if it is 52.47'],
  ])('is bad with %s and the decimal sign %s, and the message shows the value', async (feet, decimal, shown) => {
    expect(await t.importer.fail(files(feet), entry(decimal))).toBe(
      `1 bad row; nothing was changed\n${bad}${shown}: ${feet}`,
    )
  })
})
