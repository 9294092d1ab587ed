import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation'
import { assertCompositionSuccess, composeServices } from '@theguild/federation-composition'
import { buildSchema, type DocumentNode, execute, type GraphQLSchema, graphql, parse, print } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'

/*
 * A gateway of Apollo Federation joins the catalog with another subgraph, which has reviews of items. The reviews refer to items
 * by id, and they add a field to items and datasets.
 */

const t = useApp({ federation: true })
let gateway: GraphQLSchema
/** The operations that the gateway sent to the catalog. */
let sent: { query: string; variables: Record<string, unknown> }[]

beforeAll(async () => {
  const { body } = await t.graphql('{ _service { sdl } }')
  const catalog = { name: 'catalog', url: `${t.url}/graphql`, typeDefs: parse(body.data._service.sdl) }
  const composed = composeServices([catalog, { name: 'reviews', url: 'http://reviews/', typeDefs: parse(REVIEWS_SDL) }])
  assertCompositionSuccess(composed)
  gateway = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: composed.supergraphSdl,
    batch: true,
    onSubschemaConfig: (config) => {
      config.executor = async ({ document, variables = {} }) =>
        config.name.toLowerCase() === 'catalog'
          ? askCatalog(print(document), variables)
          : askReviews(document, variables)
    },
  })
})

const REVIEWS_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { reviews(of: [ID!]!): [Review!]! }
  type Review { text: String! item: Item }
  type Item @key(fields: "id") { id: ID! reviews: [Review!]! }
  type Dataset @key(fields: "id") { id: ID! rating: Int! }
`

async function askCatalog(query: string, variables: Record<string, unknown>) {
  sent.push({ query, variables })
  return (await t.graphql(query, variables)).body
}

/** The other subgraph: an item has one review, and a dataset five stars. */
const reviews = buildSchema(`
  scalar _Any
  union _Entity = Item | Dataset
  ${REVIEWS_SDL.replace(/extend schema.*\n/, '').replaceAll('@key(fields: "id")', '')}
  extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
`)
const review = (id: string) => ({ text: `Review of ${id}`, item: { __typename: 'Item', id } })
const REVIEWS_ROOT = {
  reviews: ({ of }: { of: string[] }) => of.map(review),
  _entities: ({ representations }: { representations: { __typename: string; id: string }[] }) =>
    representations.map(({ __typename, id }) => ({ __typename, id, rating: 5, reviews: [review(id)] })),
}

async function askReviews(document: DocumentNode, variableValues: Record<string, unknown>) {
  const result = await execute({ schema: reviews, document, variableValues, rootValue: REVIEWS_ROOT })
  return JSON.parse(JSON.stringify(result))
}

const ask = async (source: string, variableValues: Record<string, unknown> = {}) => {
  sent = []
  return graphql({ schema: gateway, source, variableValues })
}

test('a review of another subgraph has the item, its dataset and its images from the catalog, in one request', async () => {
  const { data, errors } = await ask(
    'query ($ids: [ID!]!) { reviews(of: $ids) { text item { name dataset { slug } images { altText } } } }',
    { ids: [ITEM.palace, ITEM.gate, ITEM.archived] },
  )
  expect(errors).toBeUndefined()
  expect(data).toEqual({
    reviews: [
      {
        text: `Review of ${ITEM.palace}`,
        item: {
          name: 'Gyeongbokgung',
          dataset: { slug: 'seoul' },
          images: expect.arrayContaining([{ altText: 'The first image' }]),
        },
      },
      expect.objectContaining({ item: expect.objectContaining({ name: 'Gwanghwamun' }) }),
      expect.objectContaining({ item: expect.objectContaining({ dataset: { slug: 'archived' } }) }),
    ],
  })
  expect(sent).toHaveLength(1)
})

test('items and datasets of the catalog have the fields of another subgraph', async () => {
  const { data, errors } = await ask(
    '{ dataset(id: "seoul") { name rating items(limit: 2) { total nodes { name reviews { text } } } } }',
  )
  expect(errors).toBeUndefined()
  expect(data).toMatchObject({
    dataset: {
      name: 'Seoul',
      rating: 5,
      items: {
        total: 9,
        nodes: [{ name: 'Geunjeongjeon', reviews: [{ text: `Review of ${ITEM.hall}` }] }, { name: 'Gwanghwamun' }],
      },
    },
  })
})

test('an error of the catalog keeps its code', async () => {
  const { data, errors } = await ask(`{ dataset(id: "${DATASET.restricted}") { name } }`)
  expect(data).toEqual({ dataset: null })
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['DATASET_ACCESS_DENIED'])
})

test('two catalogs do not compose to one graph, because both answer the same fields', async () => {
  const { body } = await t.graphql('{ _service { sdl } }')
  const typeDefs = parse(body.data._service.sdl)
  const { errors = [] } = composeServices(['one', 'two'].map((name) => ({ name, url: `http://${name}/`, typeDefs })))
  expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['INVALID_FIELD_SHARING']))
  expect(errors.map(({ message }) => message).join('\n')).toContain('"Query.dataset"')
})
