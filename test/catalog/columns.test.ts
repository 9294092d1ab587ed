import { randomUUID } from 'node:crypto'
import { getNamedType, isLeafType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { itemListArguments, parseArguments } from '../../src/catalog/arguments.ts'
import { type Column, EXPORT_FIELDS, IMAGE_COLUMNS, ITEM_COLUMNS } from '../../src/catalog/columns.ts'
import { type RequestedFields, recordsWith, selectMembers } from '../../src/catalog/projection.ts'
import { schema } from '../../src/graphql/schema.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newDataset, newPlace } from '../support/catalog.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { createPublicReader } from '../support/reader.ts'

/*
 * Each column of an item and of an image is imported, and is shown by GraphQL and by REST. A failure names the column.
 */

const t = useApp()
let importer: Importer
beforeAll(async () => {
  importer = await createImporter(t.database)
})
afterAll(() => importer.close())

/** The columns that REST shows, of the types. */
const visible = (columns: ReadonlyMap<string, Column>, internal: string[], isOfType = (_type: string) => true) =>
  [...columns].flatMap(([field, { type }]) => (!internal.includes(field) && isOfType(type) ? [field] : [])).sort()

/** REST shows neither the identifier in the source nor the keywords. */
const GRAPHQL_ONLY = ['externalId', 'keywords']

const ITEM_FIELDS = visible(ITEM_COLUMNS, GRAPHQL_ONLY)
const IMAGE_FIELDS = visible(IMAGE_COLUMNS, ['itemId'])

/** The names of a GraphQL type's fields without sub-fields. */
function leafFields(name: 'Item' | 'Image'): string[] {
  const type = schema.getType(name)
  const fields = isObjectType(type) ? Object.values(type.getFields()) : []
  return fields.flatMap((field) => (isLeafType(getNamedType(field.type)) ? [field.name] : [])).sort()
}

describe('Every column', () => {
  test('is a GraphQL field, and every GraphQL field without sub-fields is a column', () => {
    expect(leafFields('Item')).toEqual([...ITEM_FIELDS, ...GRAPHQL_ONLY].sort())
    expect(leafFields('Image')).toEqual(IMAGE_FIELDS)
  })

  test('is exported', () => {
    expect([...EXPORT_FIELDS].sort()).toEqual([...ITEM_COLUMNS.keys(), 'images'].sort())
  })

  test('has the imported value in REST and GraphQL', async () => {
    const id = randomUUID()
    const isText = (type: string) => type === 'String'
    const texts = (fields: string[]) =>
      Object.fromEntries(fields.filter((field) => !/^id$|Id$/.test(field)).map((field) => [field, `The ${field}`]))
    const item = texts(visible(ITEM_COLUMNS, GRAPHQL_ONLY, isText))
    const image = texts(visible(IMAGE_COLUMNS, ['itemId'], isText))
    await importer.run({ 'items.ndjson': ndjson(row({ ...item, id, images: [image] })) })

    const { data } = await (await t.get(`/v1/dataset-items/${id}`)).json()
    expect(Object.keys(data).sort()).toEqual([...ITEM_FIELDS, 'dataset', 'images'].sort())
    expect(Object.keys(data.images[0]).sort()).toEqual(IMAGE_FIELDS)
    expect(data).toMatchObject({ ...item, id, latitude: '37.5', longitude: '127', images: [image] })

    const selection = `${ITEM_FIELDS.join(' ')} images { ${IMAGE_FIELDS.join(' ')} }`
    // An alias keeps PostgreSQL from writing the items for the client.
    for (const fields of [selection, selection.replace('extraAttributes', ''), `${selection} alias: name`]) {
      const { body } = await t.graphql(`{ dataset(id: "places") { items { nodes { ${fields} } } } }`)
      const { dataset: _dataset, extraAttributes: _attributes, ...expected } = data
      expect(body.data.dataset.items.nodes).toEqual([expect.objectContaining(expected)])
    }
  })
})

describe('A projection', () => {
  test('throws for a name that is not a field', () => {
    const message = 'Item.phoneNumber has no column'
    const select = (requested: RequestedFields) => selectMembers(recordsWith(requested))
    expect(() => select({ fields: ['name', 'phoneNumber'] })).toThrow(message)
    expect(() => select({ fields: ['name'], parent: { fields: ['phoneNumber'] } })).toThrow(message)
    expect(() => select({ fields: ['name'], images: ['phoneNumber'] })).toThrow('Image.phoneNumber has no column')
    expect(() => selectMembers({ members: ['name', 'phoneNumber'], form: 'json' })).toThrow(message)
  })

  test('covers every GraphQL field of an item', () => {
    const type = schema.getType('Item')
    const fields = isObjectType(type) ? Object.keys(type.getFields()) : []
    expect(() => selectMembers(recordsWith({ fields: [...fields, '__typename'] }))).not.toThrow()
  })

  test('gives items that throw if a field outside of the projection is read', async () => {
    const result = await createPublicReader(t.database)(async (catalog) => {
      const nodes = recordsWith({ fields: ['name'], images: ['altText'], parent: { fields: ['url'] } })
      const dataset = catalog.dataset(DATASET.seoul)
      const page = catalog.itemsOf(dataset, parseArguments(itemListArguments, { limit: 100 }), { nodes, total: false })
      return page.nodes()
    })
    const child = result.find(({ parent }) => parent)
    const illustrated = result.find(({ images = [] }) => images.length > 0)
    expect(child?.name).toBeTypeOf('string')
    expect(child?.parent?.url).toBeTypeOf('string')
    expect(() => child?.url).toThrow('Item.url is not in the projection')
    expect(() => child?.parent?.name).toThrow('Item.name is not in the projection')
    expect(() => illustrated?.images?.[0]?.cdnUrl).toThrow('Image.cdnUrl is not in the projection')
  })
})

/* UUIDs match in any letter case. These have letters; those of the small catalog have none. */

const ID = {
  dataset: 'aabbccdd-eeff-4abc-8def-aabbccddeeff',
  item: 'abcdefab-cdef-4abc-8def-abcdefabcdef',
  image: 'fedcbafe-dcba-4abc-8def-fedcbafedcba',
}

beforeAll(async () => {
  const { prisma } = t.database
  await prisma.dataset.create({ data: newDataset({ id: ID.dataset, slug: 'letters' }) })
  await prisma.item.create({ data: newPlace({ id: ID.item, datasetId: ID.dataset }) })
  const urls = { originalUrl: '', cdnUrl: '', thumbnailSmallUrl: '', thumbnailMediumUrl: '', thumbnailLargeUrl: '' }
  await prisma.image.create({ data: { id: ID.image, itemId: ID.item, sortOrder: 0, isPrimary: true, ...urls } })
})

test.each([
  ['lower case', (id: string) => id],
  ['capitals', (id: string) => id.toUpperCase()],
  ['both', (id: string) => id.replace(/[a-d]/g, (letter) => letter.toUpperCase())],
])('a dataset, an item and an image are found by their UUID in %s', async (_case, write) => {
  const read = createPublicReader(t.database)
  const found = await read(async (catalog) => [
    catalog.dataset(write(ID.dataset)).id,
    (await catalog.item(write(ID.item))).id,
    JSON.parse((await catalog.item(write(ID.item), { members: ['id'], form: 'json' })).written?.toString() ?? '').id,
    ...(await catalog.nodes(Object.values(ID).map(write))).map((node) => node?.id),
  ])
  expect(found).toEqual([ID.dataset, ID.item, ID.item, ID.dataset, ID.item, ID.image])
})

test('a slug is no UUID, in any letter case', async () => {
  for (const slug of [ID.item, ID.item.toUpperCase()]) {
    const change = t.database.prisma.dataset.update({ where: { id: ID.dataset }, data: { slug } })
    await expect(change).rejects.toThrow('slug_is_not_a_uuid')
  }
})
