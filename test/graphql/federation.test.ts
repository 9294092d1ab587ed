import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { schema } from '../../src/graphql/schema.ts'
import { startApp, useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM } from '../support/catalog.ts'
import { postGraphql } from '../support/graphql.ts'
import { countStatements } from '../support/statements.ts'

/*
 * The gateway as a subgraph of Apollo Federation. federation-gateway.test.ts queries it through a gateway.
 */

const t = useApp({ federation: true, responseCacheBytes: 0 })

const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Dataset { slug }
    ... on Item { name dataset { slug } }
    ... on Image { altText }
  }
}`

const find = async (representations: unknown, key = t.key) => {
  const { body } = await t.graphql(ENTITIES, { representations }, key)
  expect(body.errors).toBeUndefined()
  return body.data._entities
}

const palace = { __typename: 'Item', name: 'Gyeongbokgung', dataset: { slug: 'seoul' } }

describe('_service', () => {
  test('has the schema with a key for each entity, and nothing else is added to it', async () => {
    const { body } = await t.graphql('{ _service { sdl } }')
    const { sdl } = body.data._service
    expect(sdl).toMatch(/^extend schema @link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.3"/)
    for (const name of ['Dataset', 'Item', 'Image']) {
      expect(sdl).toContain(`type ${name} implements Node @key(fields: "id") {`)
    }
    expect(sdl).toContain('type PageInfo @shareable {')
    const withoutFederation = sdl.replace(/^extend schema.*\n/, '').replace(/ @(key\(fields: "id"\)|shareable)/g, '')
    expect(withoutFederation.trim()).toBe(printSchema(lexicographicSortSchema(schema)))
    expect(() => buildSchema(withoutFederation)).not.toThrow()
  })

  test('needs an API key, like every field', async () => {
    expect((await t.graphql('{ _service { sdl } }', {}, 'none')).status).toBe(401)
  })
})

describe('_entities', () => {
  test('finds datasets, items and images by id, in the order of the references', async () => {
    const references = [
      { __typename: 'Image', id: IMAGE.first },
      { __typename: 'Item', id: ITEM.palace.toUpperCase() },
      { __typename: 'Dataset', id: DATASET.seoul },
      { __typename: 'Item', id: ITEM.palace, unknown: [{ member: 1 }] },
    ]
    expect(await find(references)).toEqual([
      { __typename: 'Image', altText: 'The first image' },
      palace,
      { __typename: 'Dataset', slug: 'seoul' },
      palace,
    ])
    expect(await find([])).toEqual([])
  })

  test('is null for what does not exist, has another type, or may not be accessed', async () => {
    const hidden = ['paid', 'restricted', 'draft', 'inactive'] as const
    const references = [
      ...hidden.map((name) => ({ __typename: 'Dataset', id: DATASET[name] })),
      ...hidden.map((name) => ({ __typename: 'Item', id: ITEM[name] })),
      { __typename: 'Image', id: IMAGE.restricted },
      { __typename: 'Item', id: DATASET.seoul },
      { __typename: 'Dataset', id: ITEM.palace },
      { __typename: 'Item', id: 'seoul' },
      { __typename: 'Item', id: '00000000-0000-4000-8000-000000000000' },
      { __typename: 'Item', id: '' },
      { __typename: 'Item', id: '\0' },
    ]
    expect(await find(references)).toEqual(references.map(() => null))
    const { key } = await createKey(t.database.prisma, {
      name: 'all',
      accessTiers: ['gold'],
      datasets: ['restricted', 'draft', 'inactive'],
    })
    expect(await find(references.slice(0, 9), key)).toEqual([
      ...hidden.map((slug) => ({ __typename: 'Dataset', slug })),
      ...hidden.map((slug) => ({ __typename: 'Item', name: expect.any(String), dataset: { slug } })),
      { __typename: 'Image', altText: expect.any(String) },
    ])
  })

  test('runs as many statements for a hundred references as for one', async () => {
    const count = (references: object[]) => countStatements(t, () => find(references))
    const items = [ITEM.palace, ITEM.gate, ITEM.hall, ITEM.museum, ITEM.same1, ITEM.same2, ITEM.tower, ITEM.plain]
    const reference = (n: number) => ({ __typename: 'Item', id: items[n % items.length] })
    const one = await count([reference(1)])
    expect(await count(Array.from({ length: 100 }, (_, n) => reference(n)))).toBe(one)
  })

  test('costs as much as its references select', async () => {
    const ask = async (length: number) => {
      const representations = Array.from({ length }, () => ({ __typename: 'Item', id: ITEM.tower }))
      const selection = '... on Item { children(limit: 100) { nodes { name } } }'
      const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`
      const response = await postGraphql(t, { query, variables: { r: representations }, extensions: { cost: true } })
      return response.json()
    }
    expect((await ask(3)).extensions.cost.requested).toBe(1 + 3 * (10 + 100 * 2))
    expect((await ask(119)).data._entities).toHaveLength(119)
    expect(await ask(120)).toMatchObject({
      errors: [
        {
          message: 'cost must be at most 25000, but this operation has 25201',
          extensions: { code: 'VALIDATION_FAILED' },
        },
      ],
    })
  })

  test.each<[unknown, string]>([
    [[1], 'representations.0 must be an object'],
    [[[]], 'representations.0 must be an object'],
    [[{ id: ITEM.palace }], 'representations.0.__typename must be one of Dataset, Item, Image'],
    [
      [{ __typename: 'Query', id: 'x' }, { __typename: 'Item' }],
      'representations.0.__typename must be one of Dataset, Item, Image; representations.1.id must be text',
    ],
    [[{ __typename: 'Item', id: { $gt: '' } }], 'representations.0.id must be text'],
    [[{ __typename: '__proto__', id: 'x' }], 'representations.0.__typename must be one of Dataset, Item, Image'],
  ])('refuses the references %j, and names each bad part', async (representations, message) => {
    const { body } = await t.graphql(ENTITIES, { representations })
    expect(body.errors).toMatchObject([{ message, extensions: { code: 'VALIDATION_FAILED' } }])
    expect(body.data ?? null).toBeNull()
  })

  test.each([undefined, null, [null]])('refuses the references %j by their type', async (representations) => {
    const { body } = await t.graphql(ENTITIES, { representations })
    expect(body.errors[0].extensions.code).toBe('VALIDATION_FAILED')
  })

  test('takes references in the document too', async () => {
    const { body } = await t.graphql(
      `{ _entities(representations: [{ __typename: "Item", id: "${ITEM.palace}" }]) { ... on Item { name } } }`,
    )
    expect(body).toEqual({ data: { _entities: [{ name: 'Gyeongbokgung' }] } })
  })
})

test('the other fields are as without federation, with pages that PostgreSQL writes as JSON too', async () => {
  const { body } = await t.graphql('{ dataset(id: "seoul") { items(limit: 1) { total nodes { name } } } }')
  expect(body).toEqual({ data: { dataset: { items: { total: 9, nodes: [{ name: 'Geunjeongjeon' }] } } } })
})

test('federation is off by default: the schema has no field for it', async () => {
  expect(readConfig({}).federation).toBe(false)
  expect(readConfig({ FEDERATION: 'true' }).federation).toBe(true)
  const plain = await startApp({ beside: t })
  const { body } = await plain.graphql('{ _service { sdl } }')
  expect(body.errors[0].message).toBe('Cannot query field "_service" on type "Query".')
  await plain.close()
})

test('federation with trusted documents is refused at the start', () => {
  expect(() => readConfig({ FEDERATION: 'true', TRUSTED_DOCUMENTS: 'documents.json' })).toThrow(
    "FEDERATION can't be true with TRUSTED_DOCUMENTS",
  )
  expect(() => readConfig({ FEDERATION: 'yes' })).toThrow('FEDERATION must be true or false')
})
