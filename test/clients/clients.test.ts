import { readFileSync } from 'node:fs'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { relayStylePagination } from '@apollo/client/utilities'
import { fetchExchange, Client as UrqlClient } from '@urql/core'
import type { FeatureCollection, Point } from 'geojson'
import { initGraphQLTada } from 'gql.tada'
import { print } from 'graphql'
import createClient from 'openapi-fetch'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import type { introspection } from './graphql-env.d.ts'
import type { components, paths } from './openapi.d.ts'
import { graphqlEnv } from './print-env.ts'

const t = useApp()
let headers: Record<string, string>
beforeAll(async () => {
  headers = { authorization: `Bearer ${t.key}` }
})

describe('Apollo Client', () => {
  const PAGE = gql`
    query Items($after: String) {
      dataset(id: "seoul") {
        id
        itemConnection(first: 4, after: $after) {
          edges { cursor node { id name images { id altText } parent { id name } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  `
  interface Page {
    dataset: {
      itemConnection: {
        edges: { node: { id: string; name: string; parent: { name: string } | null } }[]
        pageInfo: { hasNextPage: boolean; endCursor: string }
      }
    }
  }
  const connect = () => {
    const fields = { itemConnection: relayStylePagination() }
    const cache = new InMemoryCache({ typePolicies: { Dataset: { fields } } })
    const client = new ApolloClient({ link: new HttpLink({ uri: `${t.url}/graphql`, headers }), cache })
    return { client, cache }
  }

  test('fetches more pages of itemConnection, and stores each item once in its cache', async () => {
    const { client, cache } = connect()
    await client.query<Page>({ query: PAGE })
    const query = client.watchQuery<Page>({ query: PAGE })
    const subscription = query.subscribe({ next: () => {} })
    const pageInfo = () => client.readQuery<Page>({ query: PAGE })?.dataset.itemConnection.pageInfo
    while (pageInfo()?.hasNextPage) await query.fetchMore({ variables: { after: pageInfo()?.endCursor } })
    subscription.unsubscribe()
    const cached = client.readQuery<Page>({ query: PAGE })
    expect(cached?.dataset.itemConnection.edges.map(({ node }) => node.name)).toHaveLength(9)
    const stored = cache.extract()
    expect(Object.keys(stored).filter((name) => name.startsWith('Item:'))).toHaveLength(9)
    expect(stored[`Item:${ITEM.gate}`]).toMatchObject({ parent: { __ref: `Item:${ITEM.palace}` } })
    client.stop()
  })

  test('gets the code of an error', async () => {
    const { client } = connect()
    const { data, error } = await client.query({ query: gql`{ dataset(id: "restricted") { id } }`, errorPolicy: 'all' })
    expect(data).toEqual({ dataset: null })
    expect(JSON.stringify(error)).toContain('DATASET_ACCESS_DENIED')
    client.stop()
  })
})

test('urql runs a composed query', async () => {
  const exchanges = [fetchExchange]
  const client = new UrqlClient({
    url: `${t.url}/graphql`,
    exchanges,
    fetchOptions: { headers },
    preferGetMethod: true,
  })
  const query = `query ($id: ID!) { dataset(id: $id) { items(limit: 3) { nodes { name images { altText } parent { name } } } } }`
  const { data, error } = await client.query(query, { id: 'seoul' }).toPromise()
  expect(error).toBeUndefined()
  const images = [{ altText: 'The first image' }, {}, {}]
  expect(data.dataset.items.nodes[2]).toMatchObject({ name: 'Gyeongbokgung', parent: null, images })
})

describe('gql.tada', () => {
  const graphql = initGraphQLTada<{
    introspection: introspection
    scalars: { DateTime: string; Decimal: string; JSONObject: Record<string, unknown> }
  }>()
  const document = graphql(`
    query Composed($id: ID!, $category: String) {
      dataset(id: $id) {
        status
        items(categoryCode: $category) {
          total
          nodes { name latitude createdAt openingHours parent { name } images { url: thumbnailSmallUrl isPrimary } }
        }
      }
    }
  `)

  test('types a composed query by schema.graphql, and the response has these types', async () => {
    const response = await fetch(`${t.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: print(document), variables: { id: 'seoul', category: 'palace' } }),
    })
    const body: { data: ReturnType<NonNullable<(typeof document)['__apiType']>> } = await response.json()
    const { dataset } = body.data
    expectTypeOf(dataset).toEqualTypeOf<{
      status: 'ACTIVE' | 'ARCHIVED' | 'DRAFT' | 'INACTIVE'
      items: {
        total: number
        nodes: {
          name: string
          latitude: string
          createdAt: string
          openingHours: string | null
          parent: { name: string } | null
          images: { url: string; isPrimary: boolean }[]
        }[]
      }
    } | null>()
    expect(dataset?.items).toMatchObject({
      total: 1,
      nodes: [{ name: 'Gyeongbokgung', latitude: '37.579617', openingHours: '09:00-18:00' }],
    })
  })

  test('its types are up to date (npm run schema)', () => {
    expect(readFileSync(new URL('graphql-env.d.ts', import.meta.url), 'utf8')).toBe(graphqlEnv())
  })
})

describe('openapi-fetch, with types that openapi-typescript generates from the document', () => {
  const connect = () => createClient<paths, 'application/json'>({ baseUrl: t.url, headers })
  type Schemas = components['schemas']

  test('reads items, whose members have their types', async () => {
    const { data, response } = await connect().GET('/v1/datasets/{datasetId}/items', {
      params: { path: { datasetId: 'seoul' }, query: { limit: 2, sort: 'name', order: 'desc' } },
    })
    expect(response.status).toBe(200)
    const [item] = data?.data ?? []
    expect(data?.meta).toEqual({ page: 1, limit: 2, total: 9 })
    expect(item?.name).toEqual(expect.any(String))
    expectTypeOf(item).toExtend<{ id: string; latitude: string; parentItemId: string | null } | undefined>()
    expectTypeOf(item).toEqualTypeOf<Schemas['Item'] | undefined>()
  })

  test('reads a dataset and an item, whose types have names', async () => {
    const dataset = await connect().GET('/v1/datasets/{datasetId}', { params: { path: { datasetId: 'seoul' } } })
    expectTypeOf(dataset.data?.data).toEqualTypeOf<Schemas['Dataset'] | undefined>()
    expect(dataset.data).toMatchObject({ data: { slug: 'seoul' }, meta: {} })
    const { data } = await connect().GET('/v1/dataset-items/{itemId}', { params: { path: { itemId: ITEM.palace } } })
    expectTypeOf(data?.data).toEqualTypeOf<Schemas['ItemDetail'] | undefined>()
    expectTypeOf(data?.data.images[0]).toEqualTypeOf<Schemas['Image'] | undefined>()
    expectTypeOf(data?.data.extraAttributes).toEqualTypeOf<Record<string, unknown> | undefined>()
    expect(data?.data).toMatchObject({ extraAttributes: { built: 1395 }, dataset: { slug: 'seoul' } })
    const list = await connect().GET('/v1/datasets')
    expectTypeOf(list.data).toEqualTypeOf<Schemas['DatasetSummaryListResponse'] | undefined>()
    expectTypeOf<Schemas['DatasetSummary']['status']>().toEqualTypeOf<'active' | 'archived' | 'draft' | 'inactive'>()
  })

  test('reads GeoJSON, whose types are those of RFC 7946', async () => {
    const catalog = createClient<paths, 'application/geo+json'>({ baseUrl: t.url, headers })
    const { data } = await catalog.GET('/v1/datasets/{datasetId}/items', {
      params: { path: { datasetId: 'seoul' }, query: { limit: 2, parentItemId: 'null' } },
      headers: { accept: 'application/geo+json' },
    })
    expectTypeOf(data).toEqualTypeOf<Schemas['ItemFeatureCollection'] | undefined>()
    expectTypeOf<Schemas['ItemFeatureCollection']>().toExtend<FeatureCollection<Point>>()
    expect(data?.features.map(({ geometry }) => geometry.type)).toEqual(['Point', 'Point'])
  })

  test('searches near a point, and its types demand the required parameters', async () => {
    const { data } = await connect().GET('/v1/dataset-items/nearby', {
      params: { query: { latitude: 37.5796, longitude: 126.977 } },
    })
    expectTypeOf(data?.data[0]?.distance).toEqualTypeOf<number | undefined>()
    expect(data?.data[0]?.distance).toBeLessThan(1_000)
    // @ts-expect-error: without a longitude there is no point
    const refused = await connect().GET('/v1/dataset-items/nearby', { params: { query: { latitude: 37.5796 } } })
    expect(refused.response.status).toBe(400)
    const error = refused.error
    if (error && 'error' in error) {
      expectTypeOf(error).toEqualTypeOf<Schemas['ApiError']>()
      expectTypeOf(error.error.message).toEqualTypeOf<string>()
      expect(error.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'longitude' }] })
    } else throw new Error('The refusal is no error')
  })
})
