import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { collection, csv, type Files, HEADER, ndjson, point, row, useImporter } from '../support/import.ts'
import { xlsx } from '../support/xlsx.ts'

const t = useImporter()

const items = () =>
  t.db.database.prisma.item.findMany({
    orderBy: { name: 'asc' },
    include: { images: { orderBy: { sortOrder: 'asc' } } },
  })

const placed = (type: string, coordinates: unknown) => ({ ...point([], row()), geometry: { type, coordinates } })

describe('Every format', () => {
  test.each<[string, Files]>([
    ['NDJSON', { 'a.ndjson': ndjson(row()) }],
    [
      'NDJSON without a last line end, with blank lines and CR LF',
      { 'a.ndjson': `\r\n${JSON.stringify(row())}\r\n\r\n${JSON.stringify(row({ externalId: 'b' }))}` },
    ],
    ['NDJSON with a byte order mark', { 'a.ndjson': `\ufeff${ndjson(row())}` }],
    ['gzipped NDJSON', { 'a.ndjson.gz': gzipSync(ndjson(row())) }],
    ['CSV', { 'a.csv': csv('a,A,11,x,37.5,127') }],
    ['CSV with CR LF and a byte order mark', { 'a.csv': `\ufeff${csv('a,A,11,x,37.5,127').replaceAll('\n', '\r\n')}` }],
    ['gzipped NDJSON with an ending in capitals', { 'A.NDJSON.GZ': gzipSync(ndjson(row())) }],
    ['gzipped CSV', { 'a.csv.gz': gzipSync(csv('a,A,11,x,37.5,127')) }],
    ['GeoJSON', { 'a.geojson': collection(point([127, 37.5], row())) }],
    ['GeoJSON with a MultiPoint of one point', { 'a.geojson': collection(placed('MultiPoint', [[127, 37.5]])) }],
    [
      'GeoJSON with a collection of one geometry',
      {
        'a.geojson': collection({
          ...point([], row()),
          geometry: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [127, 37.5] }] },
        }),
      },
    ],
    ['a Feature alone', { 'a.geojson': JSON.stringify(point([127, 37.5], row()), undefined, 1) }],
    ['a GeoJSON text sequence (RFC 8142)', { 'a.geojsons': `\x1e${JSON.stringify(point([127, 37.5], row()))}\n` }],
    ['a GeoJSON text sequence of one collection', { 'a.geojson': `\x1e${collection(point([127, 37.5], row()))}\n` }],
    ['Features, one a line', { 'a.geojsonl': `${JSON.stringify(point([127, 37.5], row()))}\r\n` }],
    ['NDJSON that is called JSON Lines', { 'a.jsonl': ndjson(row()) }],
    [
      'gzipped GeoJSON',
      { 'a.geojson.gz': gzipSync(collection(point([127, 37.5, 30], row({ latitude: 1, longitude: 2 })))) },
    ],
  ])('%s is read', async (_what, files) => {
    await t.importer.run(files)
    const [item] = await items()
    expect(item).toMatchObject({
      name: 'A',
      administrativeAreaCode: '11',
      description: '',
      email: null,
      extraAttributes: {},
    })
    expect([item?.latitude.toFixed(), item?.longitude.toFixed()]).toEqual(['37.5', '127'])
  })

  test('an empty file has no items, and removes none with keepMissing', async () => {
    await t.importer.run({ 'a.ndjson': ndjson(row()) })
    expect(await t.importer.run({ 'a.csv': '' }, { keepMissing: true })).toMatchObject({ created: 0, removed: 0 })
    expect(await t.importer.run({ 'a.csv': `${HEADER}\n` })).toMatchObject({ created: 0, removed: 1 })
  })

  test.each(['\n', '\r\n'])(
    'a CSV cell may span lines that end with %j, and later rows still report their own line',
    async (end) => {
      const text = csv('a,"A\nof ""two""\nlines",11,x,37,127', 'b,B,11,x,99,127').replaceAll('\n', end)
      expect(await t.importer.fail({ 'a.csv': text })).toContain('a.csv:5: latitude')
      expect(await t.importer.fail({ 'a.csv': `${text}${end}c,"C"",` })).toContain('a.csv:7: a quote opens in this row')
      await t.importer.run({ 'a.csv': text }, { skipInvalid: true })
      expect((await items())[0]?.name).toBe(['A', 'of "two"', 'lines'].join(end))
    },
  )

  test('a quote in a CSV cell without quotes is text, as in Excel and pandas', async () => {
    const names = ['The 24" Telescope', '24"', 'a "b" c', '5\' 7""', '"Old" mill', '""']
    const written = [...names.slice(0, 4), '"""Old"" mill"', '""""""']
    await t.importer.run({ 'a.csv': csv(...written.map((name, n) => `${n},${name},11,x,1,2`)) })
    const stored = await t.db.database.prisma.item.findMany({ orderBy: { externalId: 'asc' } })
    expect(stored.map(({ name }) => name)).toEqual(names)
  })

  test('all rows with bad quotes are listed, and skipped with skipInvalid', async () => {
    const stray = 'cell 2 has text after its closing quote; write a quote inside of quotes twice ("")'
    const lines = [
      'a,"The "old" mill",11,x,1,2',
      'b,B,11,x,1,2',
      'c,"C"C,11,x,1,2',
      ',""d,11,x,1,2',
      'e,"E',
      'f,"F",11,x,1,2',
    ]
    const files = { 'a.csv': csv(...lines, 'g,G,11,x,1,2', 'h,"H,11,x,1,2', 'i,I,11,x,1,2') }
    expect((await t.importer.fail(files)).split('\n')).toEqual([
      '5 bad rows; nothing was changed',
      ...[2, 4, 5].map((line) => `a.csv:${line}: ${stray}`),
      `a.csv:6: ${stray}: the row ends at line 7, so a quote in it may lack its end`,
      'a.csv:9: a quote opens in this row and is never closed, so it takes the rest of the file; close it',
    ])
    expect(await t.importer.run(files, { skipInvalid: true })).toMatchObject({
      created: 2,
      skipped: 5,
      unidentified: 5,
    })
  })

  test.each<[string, Files]>([
    ['CSV', { 'a.csv': csv(',,,,,', 'a,A,11,x,37,127', ' ', ',', ' ,\t,"",,,,,,', '"  "') }],
    ['CSV, above the header', { 'a.csv': `,,\n \n${csv('a,A,11,x,37,127')}` }],
    ['NDJSON', { 'a.ndjson': `{}\n${ndjson(row(), { name: null, externalId: ' ' })}` }],
    ['a spreadsheet', { 'a.xlsx': xlsx({ A: [HEADER.split(','), ['a', 'A', '11', 'x', 37, 127], [' ', '\u00a0']] }) }],
  ])('a line without values is a blank line: %s', async (_what, files) => {
    expect(await t.importer.run(files)).toMatchObject({ created: 1, skipped: 0 })
  })

  test.each([
    ['one', 'Museums of Busan\n', 2],
    ['several, with blank lines', '"Museums\nof Busan"\n\nSource: the city,,,,,\n,,,,,\n', 6],
  ])('lines of a title above the header of a CSV file are left out: %s', async (_what, title, before) => {
    expect(await t.importer.run({ 'a.csv': title + csv('a,A,11,x,37,127') })).toMatchObject({ created: 1 })
    expect(await t.importer.fail({ 'a.csv': title + csv('a,A,11,x,99,127') })).toContain(
      `a.csv:${before + 1}: latitude`,
    )
  })

  test('a title of several cells is named as what stands above the header', async () => {
    const message = await t.importer.fail({ 'a.csv': `Museums, Busan\n${csv('a,A,11,x,37,127')}` })
    expect(message).toContain('has 6 cells, and the header 2; remove the lines above the header')
  })

  test('a CSV file may have other line ends than its header', async () => {
    const header = 'externalId,name,administrativeAreaCode,latitude,longitude,categoryCode'
    const rows = ['a,A,11,37,127,x', 'b,B,11,37,127,"x"', 'c,C,11,37,127,x']
    await t.importer.run({ 'a.csv': `${header}\n${rows[0]}\r\n${rows[1]}\r\n${rows[2]}\n` })
    expect((await items()).map(({ name, categoryCode }) => [name, categoryCode])).toEqual([
      ['A', 'x'],
      ['B', 'x'],
      ['C', 'x'],
    ])
    expect(await t.importer.fail({ 'a.csv': `${header}\n${rows[0]}\r\nb,B,11,99,127,x` })).toContain(
      'a.csv:3: latitude',
    )
  })

  test('blank lines of a CSV file are skipped, and rows after them still report their own line', async () => {
    const rows = ['a,A,11,x,99,127', '', '"b","B\nof two lines",11,x,99,127', '', '', 'c,C,11,x,99,127']
    const message = await t.importer.fail({ 'a.csv': `\n${csv(...rows)}` })
    expect(message).toMatch(/^3 bad rows; .*\na\.csv:3: .*\na\.csv:5: .*\na\.csv:9: .*$/)
  })

  test("a GeoJSON feature's id is its externalId if its properties have none, and a bad feature reports its line", async () => {
    const { externalId: _, ...unnamed } = row()
    await t.importer.run({ 'a.geojson': collection(point([127, 37.5], unnamed, { id: 7 })) })
    expect((await items())[0]?.externalId).toBe('7')
    const twice = collection(point([127, 37.5], row()), point([127, 99], row({ externalId: 'b', name: '"}]{[' })))
    expect(await t.importer.fail({ 'a.geojson': twice })).toMatch(/a\.geojson:2\d: latitude/)
  })

  test.each(['\n', '\n\x1e', '\r\n', ''])(
    'Features with %j between them are read as those of a collection',
    async (between) => {
      const features = ['a', 'b', 'c'].map((externalId) =>
        point([127, externalId === 'c' ? 99 : 37.5], row({ externalId })),
      )
      const text = features.map((each) => JSON.stringify(each)).join(between)
      expect(await t.importer.run({ 'a.geojson': text }, { skipInvalid: true })).toMatchObject({
        created: 2,
        skipped: 1,
      })
      const [{ line, reason } = { line: 0, reason: '' }] = t.importer.reported.skipped
      if (between === '') expect(reason).toMatch(/\(feature 3, at byte \d+\)$/)
      else expect(line).toBe(3)
    },
  )

  test.each<[object, unknown, string]>([
    [{ id: null }, 'f', 'f'],
    [{ id: '' }, 'f', 'f'],
    [{ externalId: null }, 0, '0'],
    [{ externalId: '', id: null }, 'f', 'f'],
    [{ externalId: 'own' }, 'f', 'own'],
    [{ externalId: 'own' }, null, 'own'],
  ])('a feature with the properties %j and the id %j has the externalId %j', async (ids, id, externalId) => {
    const properties = { ...row({ externalId: undefined }), ...ids }
    await t.importer.run({ 'a.geojson': collection(point([127, 37.5], properties, { id })) })
    expect((await items())[0]?.externalId).toBe(externalId)
  })

  test('ids and namespaces may be UUIDs of any version', async () => {
    const id = '11111111-1111-0111-1111-111111111111'
    const images = [{ originalUrl: 'https://a.example/1' }]
    const rows = ndjson(row({ id, externalId: null, images }), row({ externalId: 'b' }))
    expect(await t.importer.run({ 'a.ndjson': rows }, { dataset: { id } })).toMatchObject({ created: 2 })
  })

  test('a CSV cell may hold JSON, and an empty cell is no value', async () => {
    await t.importer.run({
      'a.csv': `${HEADER},extraAttributes,images,description,email\na,A,11,x,37,127,"{""n"":1}","[{""originalUrl"":""u""}]",,\n`,
    })
    const [item] = await items()
    expect(item).toMatchObject({ extraAttributes: { n: 1 }, description: '', email: null })
    expect(item?.images).toHaveLength(1)
  })

  test("other people's columns are mapped: by name, constant, template and list", async () => {
    await t.importer.run(
      { 'a.csv': '이름,위도,경도,시작,끝,요금,휴관\n궁,37.5,127,09:00,18:00,1000,\n탑,37.6,127,,,,월요일\n' },
      {
        items: [
          {
            file: 'a.csv',
            columns: {
              externalId: { template: '{이름}|{위도}' },
              name: '이름',
              latitude: '위도',
              longitude: '경도',
              categoryCode: { value: 'museum' },
              administrativeAreaCode: { value: 11 },
              openingHours: { template: '{시작}-{끝}' },
              extraAttributes: ['요금', '휴관'],
            },
          },
        ],
      },
    )
    const [palace, tower] = await items()
    expect(palace).toMatchObject({
      externalId: '궁|37.5',
      categoryCode: 'museum',
      administrativeAreaCode: '11',
      openingHours: '09:00-18:00',
      extraAttributes: { 요금: '1000' },
    })
    expect(tower).toMatchObject({ openingHours: null, extraAttributes: { 휴관: '월요일' } })
  })
})

test('spaces around a code do not make another one, and labels find it', async () => {
  const files = {
    'a.csv': csv('a,A, 11,station\u00a0,1,2', 'b,B,11 , station,1,2'),
    'l.csv': 'code,label\n station,Station\n',
  }
  await t.importer.run(files, { items: ['a.csv'], labels: { categoryCode: 'l.csv' } })
  const codes = (await items()).map(({ administrativeAreaCode, categoryCode }) => [
    administrativeAreaCode,
    categoryCode,
  ])
  expect(codes).toEqual([
    ['11', 'station'],
    ['11', 'station'],
  ])
  expect(t.importer.reported.warnings).toEqual([])
})

test('the longest names, codes and external ids fit in the indexes', async () => {
  const longest = {
    externalId: '가'.repeat(500),
    name: '나'.repeat(500),
    administrativeAreaCode: '다'.repeat(100),
    categoryCode: '라'.repeat(100),
  }
  expect(await t.importer.run({ 'a.ndjson': ndjson(row(longest)) })).toMatchObject({ created: 1 })
})

describe('A default or a correction', () => {
  test.each([
    ['37.57961745', '37.5796175'],
    ['-37.57961745', '-37.5796175'],
    ['37.50000000', '37.5'],
    ['-0.00000001', '0'],
    ['+5', '5'],
    ['1e-7', '0.0000001'],
    [0.0000001, '0.0000001'],
  ])('rounds a coordinate of more than 7 decimals: %s is %s', async (given, stored) => {
    await t.importer.run({ 'a.ndjson': ndjson(row({ latitude: given })) })
    expect((await items())[0]?.latitude.toFixed()).toBe(stored)
  })

  test('fills in the URLs of images, and makes the first by sortOrder primary', async () => {
    await t.importer.run({
      'a.ndjson': ndjson(
        row({
          images: [
            { originalUrl: 'o1', sortOrder: 5 },
            { originalUrl: 'o2', cdnUrl: 'c2', thumbnailSmallUrl: 's2', altText: 'two' },
          ],
        }),
      ),
    })
    const [item] = await items()
    expect(item?.images).toMatchObject([
      {
        originalUrl: 'o2',
        cdnUrl: 'c2',
        thumbnailSmallUrl: 's2',
        thumbnailMediumUrl: 'c2',
        thumbnailLargeUrl: 'c2',
        altText: 'two',
        sortOrder: 1,
        isPrimary: true,
      },
      { originalUrl: 'o1', cdnUrl: 'o1', thumbnailSmallUrl: 'o1', altText: '', sortOrder: 5, isPrimary: false },
    ])
    expect(item?.thumbnailUrl).toBe('s2')
  })

  test('comes with a warning for (0, 0) and for unknown columns', async () => {
    await t.importer.run({ 'a.ndjson': ndjson(row({ latitude: 0, longitude: '0.0', colour: 'red' })) })
    expect(t.importer.reported.warnings).toEqual([
      { file: 'a.ndjson', line: 1, reason: 'not fields of an item, so ignored: colour' },
      { file: 'a.ndjson', line: 1, reason: 'latitude and longitude are both 0' },
    ])
  })
})
