import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { xlsx } from '../support/xlsx.ts'

const app = useApp()
let importer: Importer
beforeEach(async () => {
  importer = await createImporter(app.database)
})
afterEach(() => importer.close())

const ITEMS = ndjson(
  row({ externalId: 'a', administrativeAreaCode: 'KR', categoryCode: 'x' }),
  row({ externalId: 'b', administrativeAreaCode: 'KR', categoryCode: "o'x" }),
  row({ externalId: 'c', administrativeAreaCode: 'JP', categoryCode: 'x' }),
)
const FILES = { 'a.ndjson': ITEMS, 'countries.csv': 'code,name\nKR,대한민국\nJP,日本\nAD,Andorra\n' }
const FILE = { file: 'countries.csv', columns: { code: 'code', label: 'name' } }
const run = (labels: unknown, files: Record<string, string> = FILES) =>
  importer.run(files, { items: 'a.ndjson', labels })
const fail = (labels: unknown, files: Record<string, string> = FILES) =>
  importer.fail(files, { items: 'a.ndjson', labels })

const becomes = <Value>(read: () => Promise<Value>, value: Value) =>
  expectWithinASecond(read, (answer) => expect(answer).toEqual(value))

const QUERY = '{ dataset(id: "places") { categories { code label total } administrativeAreas { code label total } } }'
async function facets() {
  const { body } = await app.graphql(QUERY)
  return body.data.dataset
}

describe('Labels of codes', () => {
  test('come from a file or the manifest, and facets show them', async () => {
    await run({ administrativeAreaCode: FILE, categoryCode: { "o'x": 'Ox', unused: 'Unused' } })
    await becomes(facets, {
      categories: [
        { code: 'x', label: null, total: 2 },
        { code: "o'x", label: 'Ox', total: 1 },
      ],
      administrativeAreas: [
        { code: 'KR', label: '대한민국', total: 2 },
        { code: 'JP', label: '日本', total: 1 },
      ],
    })
    expect(await app.database.prisma.codeLabel.count()).toBe(5)
  })

  test('may belong to a code with the name of a member that all objects have', async () => {
    const labels = JSON.parse('{ "categoryCode": { "__proto__": "Proto", "constructor": "Constructor" } }')
    await run(labels)
    const stored = await app.database.prisma.codeLabel.findMany({ orderBy: { code: 'asc' } })
    expect(stored.map(({ code, label }) => [code, label])).toEqual([
      ['__proto__', 'Proto'],
      ['constructor', 'Constructor'],
    ])
  })

  test('have the warning of a spreadsheet with several sheets, and none for a text that may mean no value', async () => {
    const sheet = (label: string) => [
      ['code', 'label'],
      ['x', label],
    ]
    const spreadsheet = xlsx({ Old: sheet('A'), New: sheet('B') })
    const files = { 'a.ndjson': ITEMS, 'l.xlsx': spreadsheet, 'l.csv': 'code,label\nKR,N/A\n' }
    await importer.run(files, {
      items: 'a.ndjson',
      labels: { categoryCode: 'l.xlsx', administrativeAreaCode: 'l.csv' },
    })
    expect(importer.reported.warnings).toMatchObject([{ reason: expect.stringContaining('"Old" is read') }])
  })

  test.each([['l.csv'], [{ file: 'l.csv' }], [{ file: 'l.csv', delimiter: ',' }]])(
    'come from the columns code and label of a file without columns: %j',
    async (categoryCode) => {
      await run({ categoryCode }, { ...FILES, 'l.csv': 'label,code\nOx,x\n' })
      expect(await app.database.prisma.codeLabel.findMany({ select: { code: true, label: true } })).toEqual([
        { code: 'x', label: 'Ox' },
      ])
    },
  )

  test('may belong to a code that is called file, as a bundle writes them', async () => {
    await run({ categoryCode: { file: 'File', sheet: 'Sheet', x: 'X' } })
    expect(await app.database.prisma.codeLabel.count()).toBe(3)
  })

  test.each<[string, unknown, string]>([
    [
      'the name of another member',
      { categoryCode: { files: 'l.csv' } },
      'categoryCode has labels for codes such as "files", and the items only have others, such as "x"',
    ],
    ['the columns alone', { categoryCode: { code: 'code', label: 'name' } }, 'such as "code", and'],
    [
      'the columns exchanged',
      { administrativeAreaCode: { ...FILE, columns: { code: 'name', label: 'code' } } },
      'administrativeAreaCode has labels for codes such as "대한민국", and the items only have others, such as "KR"',
    ],
  ])('that belong to no code of an item are said: %s', async (_what, labels, warning) => {
    await run(labels)
    expect(importer.reported.warnings.map(({ reason }) => reason)).toEqual([expect.stringContaining(warning)])
    await importer.run(FILES, { items: [], labels, keepMissing: true })
    expect(importer.reported.warnings).toEqual([])
  })

  test('change nothing when they are imported again, and move updatedAt when they change', async () => {
    const updatedAt = async () =>
      (await app.database.prisma.dataset.findFirstOrThrow({ where: { slug: 'places' } })).updatedAt
    const later = (day: number) => ({ items: 'a.ndjson', now: new Date(Date.UTC(2100, 0, day)) })
    const labels = { administrativeAreaCode: FILE }
    await importer.run(FILES, { ...later(1), labels })
    const before = await updatedAt()
    await importer.run(FILES, { ...later(2), labels })
    expect(await updatedAt()).toEqual(before)
    const renamed = { ...FILES, 'countries.csv': 'code,name\nKR,Korea\nJP,日本\nAD,Andorra\n' }
    await importer.run(renamed, { ...later(3), labels })
    expect(await updatedAt()).toEqual(later(3).now)
    await becomes(async () => (await facets()).administrativeAreas[0].label, 'Korea')
  })

  test('are removed when the manifest has none, and with the dataset', async () => {
    await run({ administrativeAreaCode: FILE })
    await run(undefined)
    await becomes(async () => (await facets()).administrativeAreas[0].label, null)
    await run({ administrativeAreaCode: FILE })
    await app.database.prisma.dataset.delete({ where: { slug: 'places' } })
    expect(await app.database.prisma.codeLabel.count()).toBe(0)
  })

  test('that somebody changes in the database are fresh within a second', async () => {
    await run({ administrativeAreaCode: FILE })
    await becomes(async () => (await facets()).administrativeAreas[0].label, '대한민국')
    await app.database.prisma.$executeRaw`UPDATE code_labels SET label = 'Korea' WHERE code = 'KR'`
    await becomes(async () => (await facets()).administrativeAreas[0].label, 'Korea')
    await app.database.prisma.$executeRaw`TRUNCATE code_labels`
    await becomes(async () => (await facets()).administrativeAreas[0].label, null)
  })

  test('are not changed by a dry run', async () => {
    await run({ categoryCode: { x: 'X' } })
    await importer.run(FILES, { items: 'a.ndjson', labels: { categoryCode: { x: 'Y' } }, dryRun: true })
    expect(await app.database.prisma.codeLabel.findMany({ select: { label: true } })).toEqual([{ label: 'X' }])
  })

  test.each<[string, unknown, Record<string, string>, RegExp]>([
    [
      'a list',
      { categoryCode: [] },
      {},
      /labels\.categoryCode must be a file, .* or an object with a label for each code/,
    ],
    ['another field', { name: {} }, {}, /labels .*name/],
    ['an empty label', { categoryCode: { x: '' } }, {}, /labels\.categoryCode must be a file/],
    ['a missing file', { categoryCode: 'none.csv' }, {}, /^none\.csv: does not exist/],
    [
      'a missing column',
      { categoryCode: 'countries.csv' },
      {},
      /^countries\.csv: has no column label.*; name its columns in the manifest: \{ "file", "columns": \{ "code", "label" \} \}; the file has the columns code, name$/,
    ],
    [
      'a file with its encoding and no columns, as a message advises',
      { categoryCode: { file: 'countries.csv', encoding: 'utf-8' } },
      {},
      /^countries\.csv: has no column label/,
    ],
    [
      'a file and an unknown member',
      { categoryCode: { file: 'l.csv', colums: 'x' } },
      {},
      /has the unknown member colums/,
    ],
    [
      'a missing column and no rows',
      { categoryCode: 'l.csv' },
      { 'l.csv': 'code,name,unit\n' },
      /^l\.csv: has no column label.*; name its columns .*; the file has the columns code, name, unit$/,
    ],
    [
      'bad rows',
      { categoryCode: 'l.csv' },
      { 'l.csv': 'code,label\na,\n,b\n' },
      /^l\.csv:2: label is required\nl\.csv:3: code is required$/,
    ],
    [
      'two labels',
      { categoryCode: 'l.csv' },
      { 'l.csv': 'code,label\na,b\na,b\na,c\n' },
      /^l\.csv:4: another label than on line 2: a$/,
    ],
  ])('with %s are a mistake that changes nothing', async (_what, labels, files, message) => {
    const before = await app.database.prisma.codeLabel.count()
    expect((await fail(labels, { ...FILES, ...files })).replace(/^\S+manifest\.json: /, '')).toMatch(message)
    expect(await app.database.prisma.codeLabel.count()).toBe(before)
  })
})
