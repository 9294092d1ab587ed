import { describe, expect, test } from 'vitest'
import { collection, csv, type Files, HEADER, ndjson, point, row, useImporter } from '../support/import.ts'

const t = useImporter()

const keywords = async () => (await t.db.database.prisma.item.findFirstOrThrow({ orderBy: { name: 'asc' } })).keywords
const cells = 'a,A,11,x,37.5,127'

describe('Keywords', () => {
  test.each<[string, Files, string[]]>([
    [
      'a list in NDJSON',
      { 'a.ndjson': ndjson(row({ keywords: ['ICN', '인천', 'Seoul, Incheon'] })) },
      ['ICN', '인천', 'Seoul, Incheon'],
    ],
    ['a text in NDJSON', { 'a.ndjson': ndjson(row({ keywords: 'ICN; 인천,x' })) }, ['ICN', '인천', 'x']],
    ['numbers in NDJSON', { 'a.ndjson': ndjson(row({ keywords: [7, JSON.rawJSON('1.50')] })) }, ['7', '1.5']],
    ['a list in GeoJSON', { 'a.geojson': collection(point([127, 37.5], row({ keywords: ['b', 'a'] }))) }, ['b', 'a']],
    ['a cell with values', { 'a.csv': `${HEADER},keywords\n${cells},"ICN, RKSI;인천"\n` }, ['ICN', 'RKSI', '인천']],
    ['a cell with JSON', { 'a.csv': `${HEADER},keywords\n${cells},"[""a,b"",""c;d""]"\n` }, ['a,b', 'c;d']],
    ['a cell that is no JSON', { 'a.csv': `${HEADER},keywords\n${cells},[old] name\n` }, ['[old] name']],
    ['an empty cell', { 'a.csv': `${HEADER},keywords\n${cells},\n` }, []],
    ['no column', { 'a.csv': csv(cells) }, []],
    ['null', { 'a.ndjson': ndjson(row({ keywords: null })) }, []],
    [
      'duplicates and empty values',
      { 'a.ndjson': ndjson(row({ keywords: ['a', '', ' a ', null, 'A', '\t', 'a'] })) },
      ['a', 'A'],
    ],
  ])('are read from %s', async (_what, files, expected) => {
    await t.importer.run(files)
    expect(await keywords()).toEqual(expected)
  })

  test('come from several columns, each with a value or values', async () => {
    const columns = {
      ...Object.fromEntries(HEADER.split(',').map((name) => [name, name])),
      keywords: ['iata', 'icao', 'other'],
    }
    const file = `${HEADER},iata,icao,other\n${cells},ICN,RKSI,"Seoul Incheon, 인천; ICN"\nb,B,11,x,37.5,127,,,\n`
    await t.importer.run({ 'a.csv': file }, { items: [{ file: 'a.csv', columns }] })
    expect(await keywords()).toEqual(['ICN', 'RKSI', 'Seoul Incheon', '인천'])
    await t.importer.run(
      { 'a.ndjson': ndjson({ ...row(), other: ['a;b', 'c'], iata: 7, icao: null }) },
      { items: [{ file: 'a.ndjson', columns }] },
    )
    expect(await keywords()).toEqual(['7', 'a;b', 'c'])
    const missing = { items: [{ file: 'a.csv', columns: { ...columns, keywords: ['iata', 'nowhere'] } }] }
    expect(await t.importer.fail({ 'a.csv': file }, missing)).toContain('a.csv: has no column nowhere')
    const numbers = {
      items: [{ file: 'a.csv', columns: { ...columns, keywords: [{ column: 'iata', type: 'number' }] } }],
    }
    expect(await t.importer.fail({ 'a.csv': file }, numbers)).toContain('keywords must be a list of columns')
  })

  test.each<[string, unknown, string]>([
    ['an object', { a: 1 }, 'a.ndjson:1: keywords.0 must be text'],
    ['a list of lists', [['a']], 'a.ndjson:1: keywords.0 must be text'],
    ['a long text', ['x', 'a'.repeat(501)], 'keywords.1 must be at most 500 characters long'],
    ['too many texts', Array.from({ length: 1_001 }, String), 'keywords must be at most 1000 texts'],
    ['NUL', ['a\0'], 'keywords.0 must not contain NUL'],
  ])('that are %s are refused', async (_what, given, message) => {
    expect(await t.importer.fail({ 'a.ndjson': ndjson(row({ keywords: given })) })).toContain(message)
  })

  test('that change alone move the times of the item and of the dataset, and the revision', async () => {
    const stored = () => t.db.database.prisma.dataset.findFirstOrThrow({ include: { items: true } })
    await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: ['a'] })) }, { now: new Date('2026-01-01T00:00:00Z') })
    const before = await stored()
    const later = new Date('2026-02-01T00:00:00Z')
    const summary = await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: ['a', 'b'] })) }, { now: later })
    expect(summary).toMatchObject({ updated: 1, unchanged: 0 })
    const after = await stored()
    expect([after.updatedAt, after.items[0]?.updatedAt]).toEqual([later, later])
    expect(after.revision).toBeGreaterThan(before.revision)
    expect(await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: 'b;a' })) })).toMatchObject({ updated: 1 })
    expect(await t.importer.run({ 'a.ndjson': ndjson(row({ keywords: 'b;a' })) })).toMatchObject({ updated: 0 })
  })
})

test('the database stores no keyword that is null, and no list of lists', async () => {
  await t.importer.run({ 'a.ndjson': ndjson(row()) })
  const set = (list: string) =>
    t.db.database.withSession((session) => session.query('UPDATE items SET keywords = $1::text[]', [list]))
  await expect(set('{a,NULL}')).rejects.toThrow('items_keywords_are_a_list')
  await expect(set('{{a},{b}}')).rejects.toThrow('items_keywords_are_a_list')
})
