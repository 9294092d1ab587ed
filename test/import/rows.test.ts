import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { csv, type Files, ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

// What else makes a bad row or a bad file is in the files of test/rows.
describe('A bad row', () => {
  const id = '22222222-0000-4000-8000-000000000001'
  test.each<[string, Files, string]>([
    ['no name', { 'a.ndjson': ndjson(row(), row({ externalId: 'b', name: '' })) }, 'a.ndjson:2: name is required'],
    [
      'a parent that does not exist',
      { 'a.ndjson': ndjson(row({ parentExternalId: 'z' })) },
      'a.ndjson:1: the parent is not there: z',
    ],
    [
      'the UUID of a parent that does not exist',
      { 'a.ndjson': ndjson(row({ parentItemId: id })) },
      `the parent is not there: ${id}`,
    ],
    ['itself as its parent', { 'a.ndjson': ndjson(row({ parentExternalId: 'a' })) }, 'its parents form a cycle'],
    [
      'both the UUID and the externalId of its parent',
      { 'a.ndjson': ndjson(row({ parentExternalId: 'b', parentItemId: id })) },
      'give one',
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
  ])('with %s is listed with its file, line and reason, and nothing changes', async (_what, files, reason) => {
    expect(await t.importer.fail(files)).toContain(reason)
    expect(await t.db.database.prisma.dataset.count()).toBe(0)
  })

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

describe('A bad file stops the import, and nothing changes, also when bad rows are skipped:', () => {
  const packed = gzipSync(
    ndjson(...Array.from({ length: 5_000 }, (_, n) => row({ externalId: String(n), description: String(n ** 9) }))),
  )
  test.each<[string, Files, object | undefined, string]>([
    [
      'gzip that is cut off',
      { 'a.ndjson.gz': packed.subarray(0, packed.length / 2) },
      undefined,
      "a.ndjson.gz: can't be read: unexpected end of file; it is cut short, so fetch it again",
    ],
    [
      'one that lacks a column of the manifest',
      { 'a.csv': csv('a,A,11,x,37,127') },
      { name: 'nmae', latitude: 'lat' },
      'a.csv: has no column nmae, lat; no column is mapped to administrativeAreaCode, categoryCode, longitude, externalId (or id); the file has 6 columns, none of them expected; look at its first line',
    ],
  ])('%s', async (_what, files, columns, expected) => {
    const [file] = Object.keys(files)
    for (const options of [{}, { skipInvalid: true }, { dryRun: true }]) {
      expect(await t.importer.fail(files, { ...options, items: [{ file, columns }] })).toBe(expected)
      expect(t.importer.reported.skipped).toEqual([])
      expect(await t.db.database.prisma.dataset.count()).toBe(0)
    }
  })
})
