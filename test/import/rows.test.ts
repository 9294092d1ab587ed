import { describe, expect, test } from 'vitest'
import { collection, csv, type Files, HEADER, ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

describe('A bad row', () => {
  const id = '22222222-0000-4000-8000-000000000001'
  const line = '"administrativeAreaCode":"1","categoryCode":"x","latitude":1,"longitude":1'
  /** The member of a good row that is bad, or the files with the row; and what is said of it. */
  const rows: [string, object, string][] = [
    ['a blank name', { name: '  ' }, 'a.ndjson:1: name must not be empty'],
    ['neither id nor externalId', { externalId: null }, 'id or externalId is required'],
    ['a name too long for an index', { name: '가'.repeat(501) }, 'name must be at most 500 characters long'],
    ['a code too long for an index', { categoryCode: 'x'.repeat(101) }, 'categoryCode must be at most 100'],
    ['an id that is not a UUID', { id: 'abc' }, 'id must be a UUID'],
    ['a latitude that is not a number', { latitude: 'north' }, 'a.ndjson:1: latitude must be a decimal number'],
    ['NaN', { latitude: 'NaN' }, 'latitude must be a decimal number'],
    ['Infinity', { longitude: 'Infinity' }, 'longitude must be a decimal number'],
    ['a hexadecimal number', { latitude: '0x25' }, 'latitude must be a decimal number'],
    ['a decimal comma', { latitude: '37,5' }, 'latitude must be a decimal number'],
    ['a latitude out of range', { latitude: 90.1 }, 'latitude must be from -90 to 90: 90.1'],
    ['a longitude out of range', { longitude: -180.00000001 }, 'longitude must be from -180 to 180'],
    ['swapped coordinates', { latitude: 127, longitude: 37.5 }, 'latitude and longitude look swapped'],
    ['attributes that are not an object', { extraAttributes: [1] }, 'extraAttributes must be an object'],
    ['NUL in a text', { description: 'a\0b' }, 'description must not contain NUL'],
    ['NUL in an attribute', { extraAttributes: { a: ['b\0'] } }, 'extraAttributes must hold'],
    ['a timestamp without an offset', { createdAt: '2026-01-01T00:00:00' }, 'createdAt must be an ISO 8601 date'],
    [
      'a time before the year 1',
      { createdAt: '0000-01-01T00:00:00Z' },
      'createdAt must be from 0001-01-01T00:00:00.000Z',
    ],
    ['a time after the year 9999 in UTC', { updatedAt: '9999-12-31T23:59:59-14:00' }, 'to 9999-12-31T23:59:59.999Z'],
    [
      'a number of too many decimals',
      { extraAttributes: { n: JSON.rawJSON('1e-16384') } },
      'extraAttributes must hold',
    ],
    [
      'an image at a place beyond 32 bits',
      { images: [{ originalUrl: 'u', sortOrder: JSON.rawJSON('9007199254740993') }] },
      'images.0.sortOrder must be at most 2147483647',
    ],
    [
      'two primary images',
      { images: ['a', 'b'].map((originalUrl) => ({ originalUrl, isPrimary: true })) },
      'images must have at most one that is primary',
    ],
    ['an image without a URL', { images: [{}] }, 'images.0.originalUrl'],
    ['a parent that does not exist', { parentExternalId: 'z' }, 'a.ndjson:1: the parent is not there: z'],
    ['the UUID of a parent that does not exist', { parentItemId: id }, `the parent is not there: ${id}`],
    ['itself as its parent', { parentExternalId: 'a' }, 'its parents form a cycle'],
    ['both the UUID and the externalId of its parent', { parentExternalId: 'b', parentItemId: id }, 'give one'],
  ]
  const placed = (geometry: object | null) => ({
    'a.geojson': collection({ type: 'Feature', geometry, properties: row() }),
  })
  const files: [string, Files, string][] = [
    ...rows.map(([what, more, reason]): [string, Files, string] => [what, { 'a.ndjson': ndjson(row(more)) }, reason]),
    ['no name', { 'a.ndjson': ndjson(row(), row({ externalId: 'b', name: '' })) }, 'a.ndjson:2: name is required'],
    [
      'no required fields',
      { 'a.ndjson': '{"externalId":"a"}\n' },
      'name is required; administrativeAreaCode is required; categoryCode is required; latitude is required; longitude is required',
    ],
    [
      'too few cells',
      { 'a.csv': csv('a,A,11,x,37,127', 'b,B,11') },
      'a.csv:3: categoryCode is required; latitude is required; longitude is required',
    ],
    ['one cell', { 'a.csv': csv('a') }, 'a.csv:2: name is required; '],
    ['no JSON', { 'a.ndjson': `${ndjson(row())}{"name":\n` }, 'a.ndjson:2: is not JSON'],
    ['no object', { 'a.ndjson': '1\n' }, 'a.ndjson:1: must be a JSON object'],
    ['broken JSON in a cell', { 'a.csv': `${HEADER},images\na,A,11,x,37,127,[{\n` }, 'a.csv:2: images is not JSON'],
    [
      'a lone surrogate',
      { 'a.ndjson': `{"externalId":"a","name":"\\ud800",${line}}\n` },
      'name must be well-formed Unicode',
    ],
    [
      'a number that is too large',
      { 'a.ndjson': `{"externalId":"a","name":"A",${line},"extraAttributes":{"n":1e400}}\n` },
      'extraAttributes must hold',
    ],
    [
      'an attribute nested too deep for the parser',
      { 'a.ndjson': `{"n":12345678901234567890,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n` },
      'a.ndjson:1: is not JSON: it is nested too deep',
    ],
    ['an externalId twice', { 'a.ndjson': ndjson(row(), row()) }, 'a.ndjson:2: same externalId as line 1: a'],
    [
      'an id that occurs in two files',
      { 'a.ndjson': ndjson(row({ id })), 'b.ndjson': ndjson(row({ externalId: 'b', id })) },
      `b.ndjson:1: same id as a.ndjson:1: ${id}`,
    ],
    [
      'itself as its grandparent',
      { 'a.ndjson': ndjson(row({ parentExternalId: 'b' }), row({ externalId: 'b', parentExternalId: 'a' })) },
      'a.ndjson:2: its parents form a cycle',
    ],
    [
      'no point',
      placed({ type: 'LineString', coordinates: [] }),
      `geometry must be a Point, and is a LineString; make points of it: ogr2ogr -dialect sqlite -sql 'SELECT ST_Centroid(geometry), * FROM "a"' points-of-a.geojson a.geojson`,
    ],
    [
      'several points',
      placed({ type: 'MultiPoint', coordinates: [1, 2].map((x) => [x, 1]) }),
      'geometry must be a Point, and is a MultiPoint; make points of it',
    ],
    [
      'no place',
      placed(null),
      'geometry must be a Point, and is null; give the feature a place, or leave it out with --skip-invalid',
    ],
  ]
  test.each(files)(
    'with %s is listed with its file, line and reason, and nothing changes',
    async (_what, each, reason) => {
      expect(await t.importer.fail(each)).toContain(reason)
      expect(await t.db.database.prisma.dataset.count()).toBe(0)
    },
  )

  test('is one line, also if its value has several', async () => {
    const message = await t.importer.fail({ 'a.ndjson': ndjson(row({ parentExternalId: 'b\nc' })) })
    expect(message).toBe('1 bad row; nothing was changed\na.ndjson:1: the parent is not there: b\\nc')
  })

  test('is left out with skipInvalid, and so are its descendants; the other rows are loaded', async () => {
    const files = {
      'a.ndjson': ndjson(
        row({ externalId: 'bad', latitude: 91 }),
        row({ externalId: 'child', parentExternalId: 'bad' }),
        row({ externalId: 'grandchild', parentExternalId: 'child' }),
        row({ externalId: 'good' }),
      ),
    }
    expect(await t.importer.run(files, { skipInvalid: true })).toMatchObject({ created: 1, skipped: 3 })
    expect(t.importer.reported.skipped.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'a.ndjson:1',
      'a.ndjson:2',
      'a.ndjson:3',
    ])
  })

  test('is listed with those that have the same reason, by its place if they are few; the error counts all', async () => {
    const rows = Array.from({ length: 150 }, (_, n) => row({ externalId: String(n), name: '' }))
    const message = await t.importer.fail({ 'a.ndjson': ndjson(...rows, row({ latitude: 91 })) })
    expect(message.split('\n')).toEqual([
      '151 bad rows; nothing was changed',
      'a.ndjson:1: name is required (150 rows)',
      'a.ndjson:151: latitude must be from -90 to 90: 91',
    ])
  })

  test('is counted with those whose reasons differ only in a value; five are listed, and more are one line', async () => {
    const orphans = Array.from({ length: 150 }, (_, n) =>
      row({ externalId: String(n), parentExternalId: `unknown${n}` }),
    )
    const again = Array.from({ length: 5 }, (_, n) => row({ externalId: String(n) }))
    const message = await t.importer.fail({
      'a.ndjson': `${ndjson(...orphans)}nonsense\n`,
      'b.ndjson': ndjson(...again),
    })
    expect(message.split('\n')).toEqual([
      '156 bad rows; nothing was changed',
      expect.stringMatching(/^a\.ndjson:151: is not JSON: /),
      'a.ndjson:1: the parent is not there: unknown0 (150 rows)',
      ...[0, 1, 2, 3, 4].map((n) => `b.ndjson:${n + 1}: same externalId as a.ndjson:${n + 1}: ${n}`),
    ])
  })

  test('is listed if its reason is among the first hundred; the error counts the others', async () => {
    const rows = Array.from({ length: 150 }, (_, n) =>
      row({
        externalId: String(n),
        images: Array.from({ length: n + 1 }, (_, i) => (i === n ? {} : { originalUrl: 'a' })),
      }),
    )
    const message = await t.importer.fail({ 'a.ndjson': ndjson(...rows) })
    expect(message).toMatch(/^150 bad rows; nothing was changed\na\.ndjson:1: /)
    expect(message.split('\n')).toHaveLength(102)
    expect(message).toMatch(/and 50 more$/)
  })
})

describe('A field may come from', () => {
  const mapped = async (text: string, columns: object) => {
    const given = { externalId: 'id', name: 'id', latitude: { value: 37 }, longitude: { value: 127 } }
    const items = [{ file: 'a.csv', columns: { ...given, categoryCode: { value: 'x' }, ...columns } }]
    await t.importer.run({ 'a.csv': text }, { items })
    const stored = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
    return stored.map((item) => item.administrativeAreaCode)
  }

  test('a column, or a default where it is empty', async () => {
    const administrativeAreaCode = { column: 'area', default: 'unknown' }
    expect(await mapped('id,area\na,11\nb,\nc, \n', { administrativeAreaCode })).toEqual(['11', 'unknown', 'unknown'])
    expect(await mapped('id,area\na,\n', { administrativeAreaCode: { column: 'area', default: 7 } })).toEqual(['7'])
  })

  test('the first of several columns that is not empty', async () => {
    const administrativeAreaCode = { first: ['b', 'a'], default: 'none' }
    expect(await mapped('id,a,b\na,1,2\nb,3,\nc,,\n', { administrativeAreaCode })).toEqual(['2', '3', 'none'])
  })

  test.each<[object, string]>([
    [{ column: 'aera', default: 'x' }, 'a.csv: has no column aera (did you mean area?); the file'],
    [{ first: ['area', 'aera'] }, 'a.csv: has no column aera (did you mean area?); the file'],
    [{ first: [] }, 'administrativeAreaCode.first must name at least one column'],
    [{ column: 'area' }, 'items.0.columns.administrativeAreaCode must be a column'],
    [{ column: 'area', default: [] }, 'items.0.columns.administrativeAreaCode must be a column'],
  ])('and %j is refused', async (administrativeAreaCode, reason) => {
    await expect(mapped('id,area\na,1\n', { administrativeAreaCode })).rejects.toThrow(reason)
  })
})

describe('A mapped column that no row of a file has', () => {
  const rows = [
    { id: 'a', name: 'A', tel: '1', 'addr.city': 'own', addr: { street: 'S 1', 'zip.code': 9 } },
    { id: 'b', name: 'B', addr: { street: 'S 2', city: 'nested' } },
  ]
  const given = { externalId: 'id', name: 'name', latitude: { value: 37 }, longitude: { value: 127 } }
  const codes = { administrativeAreaCode: { value: 'x' }, categoryCode: { value: 'y' } }
  const run = (file: string, columns: object, options: object = {}) =>
    t.importer.fail(
      {
        'a.ndjson': rows.map((row) => JSON.stringify(row)).join('\n'),
        'a.geojson': JSON.stringify({
          type: 'FeatureCollection',
          features: rows.map((properties) => ({ properties, geometry: { type: 'Point', coordinates: [127, 37] } })),
        }),
      },
      { items: [{ file, columns: { ...given, ...codes, ...columns } }], ...options },
    )

  test.each(['a.ndjson', 'a.geojson'])('%s: is an error that names the nearest one', async (file) => {
    expect(await run(file, {})).toMatch(/^loaded .*"created":2/)
    for (const options of [{}, { skipInvalid: true }, { dryRun: true }]) {
      const message = await run(file, { telephone: 'Tel', streetAddress: 'addr.stret', description: 'tel' }, options)
      expect(message).toMatch(
        new RegExp(
          `^${file}: has no column Tel \\(did you mean tel\\?\\), addr.stret \\(did you mean addr.street\\?\\); the file has`,
        ),
      )
    }
    expect(await t.db.database.prisma.item.count()).toBe(2)
  })

  test.each(['a.ndjson', 'a.geojson'])('%s: a.b is the member b of a, unless a member has that name', async (file) => {
    const columns = {
      streetAddress: 'addr.street',
      addressLocality: 'addr.city',
      postalCode: 'addr.zip.code',
      description: { template: '{addr.street}/{tel}' },
      extraAttributes: ['addr.city', 'addr'],
    }
    expect(await run(file, columns)).toMatch(/^loaded .*"created":2/)
    const items = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
    expect(items).toMatchObject([
      {
        ...{ streetAddress: 'S 1', addressLocality: 'own', postalCode: '9', description: 'S 1/1' },
        extraAttributes: { 'addr.city': 'own', addr: { street: 'S 1', 'zip.code': 9 } },
      },
      { streetAddress: 'S 2', addressLocality: 'nested', postalCode: null, description: 'S 2/' },
    ])
  })

  test('is no error in an empty file, and a file that is no data shows none of its names', async () => {
    const items = [{ file: 'b.ndjson', columns: { ...given, ...codes, name: 'nmae', externalId: 'di' } }]
    expect(await t.importer.fail({ 'b.ndjson': '' }, { items })).toMatch(/^loaded/)
    const message = await t.importer.fail({ 'b.ndjson': '{"secret":1}' }, { items })
    expect(message).toBe(
      'b.ndjson: has no column di, nmae; the file has 1 column, none of them expected; look at its first line',
    )
  })
})
