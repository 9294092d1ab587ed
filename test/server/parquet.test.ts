import { describe, expect, test } from 'vitest'
import { EXPORT_FIELDS } from '../../src/catalog/columns.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, PALACE } from '../support/catalog.ts'
import { finish, open, recordsOf } from '../support/exports.ts'
import { addLarge } from '../support/large.ts'
import { metadataOf, rowsOf } from '../support/parquet.ts'

const t = useApp()

const PATH = '/exports/seoul.parquet'

describe('GeoParquet', () => {
  test('has the items of NDJSON with the same members, in the same order, and points where GeoJSON has them', async () => {
    const records = recordsOf(await (await t.get('/exports/seoul.ndjson')).text())
    const { features } = await (await t.get('/exports/seoul.geojson')).json()
    const rows = await rowsOf(await t.get(PATH))
    expect(rows).toHaveLength(records.length)
    for (const [n, { geometry, ...row }] of rows.entries()) {
      const { createdAt, updatedAt, latitude, longitude, extraAttributes, images, ...expected } = records[n]
      expect(Object.keys(row)).toEqual(EXPORT_FIELDS)
      expect(row).toEqual({
        ...expected,
        createdAt: new Date(createdAt),
        updatedAt: new Date(updatedAt),
        latitude: Number(latitude),
        longitude: Number(longitude),
        extraAttributes: expect.any(String),
        images: expect.any(String),
      })
      expect(JSON.parse(row.extraAttributes)).toEqual(extraAttributes)
      expect(JSON.parse(row.images)).toEqual(images)
      expect(geometry).toEqual(features[n].geometry)
    }
  })

  test('names its points in the metadata, and has no native geometry and no box', async () => {
    const { schema, key_value_metadata: metadata = [] } = await metadataOf(await t.get(PATH))
    const geo = metadata.find(({ key }) => key === 'geo')?.value ?? ''
    expect(JSON.parse(geo)).toEqual({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
    })
    expect(schema.at(-1)).toEqual({ name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' })
    expect(schema.find(({ name }) => name === 'updatedAt')).toEqual({
      name: 'updatedAt',
      type: 'INT64',
      repetition_type: 'REQUIRED',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    })
    expect(schema.find(({ name }) => name === 'parentItemId')).toMatchObject({ repetition_type: 'OPTIONAL' })
  })

  test('writes a point as WKB: x is the longitude', async () => {
    const [row] = await rowsOf(await t.get(PATH), { geoparquet: false, utf8: false })
    const bytes = Buffer.from(row?.geometry)
    expect([bytes.length, bytes.readUInt8(0), bytes.readUInt32LE(1)]).toEqual([21, 1, 1])
    expect([bytes.readDoubleLE(5), bytes.readDoubleLE(13)]).toEqual([row?.longitude, row?.latitude])
  })

  test('has its media type, the name of the file, and no content coding', async () => {
    const response = await open(t, PATH, { 'accept-encoding': 'gzip' })
    expect(response.headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="seoul.parquet"',
    })
    expect(response.headers['content-encoding']).toBeUndefined()
    await finish(response)
  })

  test('is the same file each time', async () => {
    const bytesOf = async () => Buffer.from(await (await t.get(PATH)).arrayBuffer())
    expect((await bytesOf()).equals(await bytesOf())).toBe(true)
  })

  test('with filters, has only the items that they select', async () => {
    const rows = await rowsOf(await t.get(`${PATH}?categoryCode=gate&administrativeAreaCode=11110`))
    const { features } = await (
      await t.get('/exports/seoul.geojson?categoryCode=gate&administrativeAreaCode=11110')
    ).json()
    expect(rows.map(({ id }) => id)).toEqual(features.map(({ id }: { id: string }) => id))
    expect(rows.length).toBeGreaterThan(0)
  })

  test('with flat=true, has a column for each attribute: texts as they are, other values as JSON', async () => {
    const rows = await rowsOf(await t.get(`${PATH}?flat=true`))
    const [palace, gate] = [ITEM.palace, ITEM.gate].map((id) => rows.find((row) => row.id === id) ?? {})
    expect(palace).toMatchObject({
      'extraAttributes.built': '1395',
      'extraAttributes.open': 'true',
      'extraAttributes.tags': '["royal", "조선"]',
      externalId: PALACE.externalId,
    })
    expect(gate).toMatchObject({ 'extraAttributes.built': null, 'extraAttributes.open': null })
    expect(palace).not.toHaveProperty('extraAttributes')
    expect(await rowsOf(await t.get(`${PATH}?flat=true&categoryCode=gate`))).toEqual([
      expect.not.objectContaining({ 'extraAttributes.built': expect.anything() }),
    ])
  })

  test('keeps numbers of extra attributes, awkward texts, and coordinates with seven decimals', async () => {
    const { prisma } = t.database
    const name = '=1+1,"a"\r\n\t\\ \u0001 \u2028 😀 </script> {} [] \u202e'
    const extraAttributes = '{"n": 12345678901234567890.10, "__proto__": {"": null}}'
    await prisma.$executeRaw`
      UPDATE items SET name = ${name}, extra_attributes = ${extraAttributes}::jsonb, latitude = -0.0000001, longitude = 179.9999999
       WHERE dataset_id = ${DATASET.archived}::uuid`
    const [row] = await rowsOf(await t.get(`/exports/${DATASET.archived}.parquet`))
    expect(row).toMatchObject({
      name,
      extraAttributes: '{"n": 12345678901234567890.10, "__proto__": {"": null}}',
      geometry: { type: 'Point', coordinates: [179.9999999, -0.0000001] },
    })
  })
})

test.each(['?categoryCode=none', '?categoryCode=none&flat=true'])(
  'a file without items (%s) has a list of row groups whose type is struct, as arrow-rs demands',
  async (query) => {
    const response = await t.get(PATH + query)
    const bytes = Buffer.from(await response.clone().arrayBuffer())
    expect(await metadataOf(response.clone())).toMatchObject({ num_rows: 0n, row_groups: [] })
    expect(await rowsOf(response)).toEqual([])
    // Thrift's compact protocol: i64 of 0, then an empty list of structs (12) and not of "stop" (0).
    expect(bytes.includes(Buffer.from([0x16, 0, 0x19, 0x0c]))).toBe(true)
  },
)

test('a large GeoParquet file has row groups of about 10,000 items, and each item once, in order of id', async () => {
  await addLarge(t.database.prisma, 'many', 11_500, "'x'")
  const response = await t.get('/exports/many.parquet')
  const { row_groups: groups, num_rows: total } = await metadataOf(response.clone())
  expect(total).toBe(11_500n)
  const sizes = groups.map(({ num_rows: rows }) => Number(rows))
  expect(sizes).toHaveLength(2)
  expect(sizes[0]).toSatisfy((size) => size >= 10_000 && size < 11_000)
  const ids = (await rowsOf(response)).map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
  expect(ids).toHaveLength(11_500)
})

test('row groups of GeoParquet with long texts have fewer items, so that they fit into memory', async () => {
  await addLarge(t.database.prisma, 'long', 600, "repeat('x', 20000)")
  const { row_groups: groups } = await metadataOf(await t.get('/exports/long.parquet'))
  const sizes = groups.map(({ num_rows: rows }) => Number(rows))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(600)
  expect(sizes.filter((size) => size > 300)).toEqual([])
})
