import { expect, test } from 'vitest'
import { ndjson, row, useImporter } from '../support/import.ts'

const t = useImporter()

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

/** The JSON text of the attributes in the database, without spaces. */
async function storedAttributes(): Promise<string[]> {
  const items = await t.db.database.prisma.$queryRaw<{ attributes: string }[]>`
    SELECT extra_attributes::text AS attributes FROM items ORDER BY external_id`
  return items.map(({ attributes }) => attributes.replaceAll(' ', ''))
}

// What is read from each format is a file of test/rows.
test.each(ATTRIBUTES)('the database stores %s unchanged', async (_what, attributes) => {
  const number = '1.2345678901e-318'
  const files = {
    'a.ndjson': ndjson(
      row({ externalId: 'a', extraAttributes: JSON.rawJSON(`1`) }),
      row({ externalId: 'b', extraAttributes: { n: JSON.rawJSON(number) } }),
    ).replace('"extraAttributes":1', `"extraAttributes":${attributes}`),
  }
  await t.importer.run(files)
  expect(await storedAttributes()).toEqual([attributes, `{"n":0.${'0'.repeat(317)}12345678901}`])
  expect(await t.importer.run(files)).toMatchObject({ updated: 0, unchanged: 2 })
})

test('two long numbers for ids are two items', async () => {
  const numbers = ['9007199254740993', '9007199254740992']
  await t.importer.run({ 'a.ndjson': ndjson(...numbers.map((n) => row({ externalId: JSON.rawJSON(n) }))) })
  const items = await t.db.database.prisma.item.findMany({ orderBy: { externalId: 'asc' } })
  expect(items.map(({ externalId }) => externalId)).toEqual(numbers.toReversed())
})
