import { describe, expect, test } from 'vitest'
import { type Files, ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

/** The JSON text of the attributes in the database, without spaces. */
async function storedAttributes(): Promise<string | undefined> {
  const [item] = await t.db.database.prisma.$queryRaw<{ attributes: string }[]>`
    SELECT extra_attributes::text AS attributes FROM items`
  return item?.attributes.replaceAll(' ', '')
}

/** Attributes in the key order of PostgreSQL: short keys first, then by bytes. */
const ATTRIBUTES = [
  ['an integer beyond 2^53', '{"n":12345678901234567890}'],
  ['the integer after 2^53', '{"n":9007199254740993}'],
  ['a negative integer', '{"n":-9007199254740993}'],
  ['a long decimal', '{"n":3.14159265358979323846264338327950288}'],
  ['a decimal of 17 digits that a double holds', '{"n":126.97689999999999}'],
  ['a small number', '{"n":0.00000000000000000001}'],
  ['fractions that end with zeros', '{"a":1.50,"b":[0.0,-1.00,10.0],"c":12345678901234567890.10}'],
  ['numbers in lists and objects', '{"a":[1,12345678901234567890,{"b":-0.12345678901234567891}]}'],
  ['the key __proto__', '{"a":1,"__proto__":{"a":1}}'],
  ['the key __proto__ with a plain value', '{"__proto__":5}'],
  ['names of the methods of every object', '{"valueOf":3,"toString":2,"constructor":1,"hasOwnProperty":4}'],
  ['such keys deep inside', '{"a":{"b":[{"toJSON":2,"__proto__":{"constructor":12345678901234567890}}]}}'],
  ['long numbers in text', '{"a":"12345678901234567890","12345678901234567890":"1e400"}'],
] as const

const FIELDS = '"externalId":"a","name":"A","administrativeAreaCode":"11","categoryCode":"x"'
const csvCell = (json: string) => `"${json.replaceAll('"', '""')}"`

/** Each format, with attributes of any kind. */
const FORMATS: [string, (attributes: string) => Files][] = [
  [
    'NDJSON',
    (attributes) => ({ 'a.ndjson': `{${FIELDS},"latitude":1,"longitude":2,"extraAttributes":${attributes}}\n` }),
  ],
  [
    'CSV',
    (attributes) => ({
      'a.csv': `externalId,name,administrativeAreaCode,categoryCode,latitude,longitude,extraAttributes\na,A,11,x,1,2,${csvCell(attributes)}\n`,
    }),
  ],
  [
    'GeoJSON',
    (attributes) => ({
      'a.geojson': `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{${FIELDS},"extraAttributes":${attributes}}}]}`,
    }),
  ],
]

describe.each(FORMATS)('%s', (_format, filesOf) => {
  test.each(ATTRIBUTES)('stores %s unchanged', async (_what, attributes) => {
    await t.importer.run(filesOf(attributes))
    expect(await storedAttributes()).toBe(attributes)
    expect(await t.importer.run(filesOf(attributes))).toMatchObject({ updated: 0, unchanged: 1 })
  })
})

test.each([
  ['1.50', '1.50'],
  ['1.2345678901e-318', `0.${'0'.repeat(317)}12345678901`],
])('the number %s keeps its digits before each character that may follow it', async (number, stored) => {
  for (const [before, after] of [
    ['{"n":', '}'],
    ['{"n":', ' }'],
    ['{"n":', '\t}'],
    ['{"n":', ',"o":1}'],
    ['{"n":[', ']}'],
  ]) {
    const attributes = `${before}${number}${after}`
    await t.importer.run({ 'a.ndjson': `{${FIELDS},"latitude":1,"longitude":2,"extraAttributes":${attributes}}\n` })
    expect(await storedAttributes()).toBe(attributes.replace(number, stored).replace(/\s/g, ''))
  }
})

const COLUMNS = {
  externalId: 'id',
  name: 'id',
  administrativeAreaCode: { value: '11' },
  categoryCode: { value: 'x' },
  latitude: 'y',
  longitude: 'x',
}

test('columns with the names of object methods are mapped into the attributes', async () => {
  const columns = { ...COLUMNS, extraAttributes: ['__proto__', 'constructor', 'toString'] }
  await t.importer.run(
    { 'a.csv': 'id,x,y,__proto__,constructor,toString\na,1,2,p,c,t\n' },
    { items: [{ file: 'a.csv', columns }] },
  )
  expect(await storedAttributes()).toBe('{"toString":"t","__proto__":"p","constructor":"c"}')
  await t.importer.run(
    { 'a.ndjson': '{"id":"a","x":1,"y":2,"toString":12345678901234567890}\n' },
    { items: [{ file: 'a.ndjson', columns: { ...COLUMNS, extraAttributes: ['toString'] } }] },
  )
  expect(await storedAttributes()).toBe('{"toString":12345678901234567890}')
})

describe('A number for a field of text', () => {
  const externalIds = async () =>
    (await t.db.database.prisma.item.findMany({ orderBy: { externalId: 'asc' } })).map((item) => item.externalId)

  test('keeps its digits, so that two long ids are two items', async () => {
    const text = ndjson(row({ externalId: 1 }), row({ externalId: 2 }))
    await t.importer.run({
      'a.ndjson': text
        .replace('"externalId":1,', '"externalId":9007199254740993,')
        .replace('"externalId":2,', '"externalId":9007199254740992,'),
    })
    expect(await externalIds()).toEqual(['9007199254740992', '9007199254740993'])
  })

  test('keeps its digits in a template, beside a list and an object', async () => {
    const columns = { ...COLUMNS, externalId: { template: '{id}|{list}|{object}' } }
    await t.importer.run(
      { 'a.ndjson': '{"id":12345678901234567890,"x":1,"y":2,"list":["a",1],"object":{"toString":1}}\n' },
      { items: [{ file: 'a.ndjson', columns }] },
    )
    expect(await externalIds()).toEqual(['12345678901234567890|["a",1]|{"toString":1}'])
  })

  test('becomes its shortest text in a template if a double holds it exactly', async () => {
    const columns = { ...COLUMNS, externalId: { template: '{id}|{list}' } }
    await t.importer.run(
      { 'a.ndjson': '{"id":7.0,"x":1.0,"y":2.50,"list":[1.50,{"a":1e3}]}\n' },
      { items: [{ file: 'a.ndjson', columns }] },
    )
    expect(await externalIds()).toEqual(['7|[1.5,{"a":1000}]'])
  })

  test('becomes its shortest text if a double holds it exactly', async () => {
    await t.importer.run({
      'a.ndjson': ndjson(...['7.0', '1.50', '1e3'].map((n) => row({ externalId: JSON.rawJSON(n) }))),
    })
    expect(await externalIds()).toEqual(['1.5', '1000', '7'])
  })
})

test('a coordinate of many digits is rounded from its text', async () => {
  await t.importer.run({ 'a.ndjson': ndjson(row({ latitude: JSON.rawJSON('37.123456749999999999999') })) })
  const [item] = await t.db.database.prisma.item.findMany()
  expect(item?.latitude.toFixed()).toBe('37.1234567')
})
