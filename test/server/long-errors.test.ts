import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'

/*
 * A client chooses the number of its bad parameters, their names and their values. No error prints all of them.
 */

const t = useApp({ federation: true })

/** The text of a response, and its parsed JSON. */
interface Answer {
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its content
  body: any
}

async function ask(path: string, { body, ...headers }: Record<string, string> = {}): Promise<Answer> {
  const own = { authorization: `Bearer ${t.key}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(t.url + path, { headers: own, ...(body !== undefined && { method: 'POST', body }) })
  const text = await response.text()
  return { text, body: JSON.parse(text) }
}

const members = (count: number, value: unknown = 1, end = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}${end}`, value]))
const pairs = (count: number, value = '') =>
  Object.keys(members(count))
    .map((name) => name + value)
    .join('&')
const graphql = (params: object) => ask('/graphql', { body: JSON.stringify(params) })
const rpc = (method: string, params: object) =>
  ask('/mcp', { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
const callTool = (name: string, given: object) => rpc('tools/call', { name, arguments: given })
const strict = { prefer: 'handling=strict' }

const TOTAL = '{ datasets { total } }'
const LONG_NAME = { ['x'.repeat(1_001)]: 1 }
const ENTITIES = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }'
const PAGE = 'query ($n: Int) { searchItems(text: "a", limit: $n) { total } }'
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
const BOX = 'query ($box: BoundingBox) { searchItems(within: $box) { total } }'

describe('An error names at most 50 bad parameters, and the number of the others', () => {
  test.each<[string, (count: number) => Promise<Answer>, (body: Answer['body']) => unknown]>([
    ['/v1', (count) => ask(`/v1/datasets?${pairs(count)}`, strict), ({ error }) => error],
    ['/search', (count) => ask(`/search?text=a&${pairs(count)}`), ({ error }) => error],
    ['/tiles', (count) => ask(`/tiles/all/0/0/0.mvt?${pairs(count)}`), ({ error }) => error],
    ['/exports', (count) => ask(`/exports/seoul.csv?${pairs(count)}`), ({ error }) => error],
    ['/ogc', (count) => ask(`/ogc/collections/seoul/items?${pairs(count)}`), ofProblem],
    ['a query string that is not UTF-8', (count) => ask(`/v1/datasets?${pairs(count, '=%ff')}`), ({ error }) => error],
    ['/graphql', (count) => graphql({ query: TOTAL, ...members(count) }), ofGraphQL],
    ['variables', (count) => graphql({ query: TOTAL, variables: members(count, LONG_NAME) }), ofGraphQL],
    [
      'arguments of a field',
      (count) => graphql({ query: ENTITIES, variables: { r: Array(count).fill({ __typename: 'Item' }) } }),
      ofGraphQL,
    ],
    ['/mcp', (count) => rpc('initialize', initialize(count)), ({ error: { message, data } }) => ({ message, ...data })],
    ['arguments of a tool', (count) => callTool('listDatasets', members(count)), ofTool],
    ['an object in an argument of a tool', (count) => callTool('searchItems', { within: members(count - 4) }), ofTool],
  ])('%s', async (_door, send, errorOf) => {
    for (const [count, last] of [
      [60, '10 more are not valid'],
      [51, '1 more is not valid'],
    ] as const) {
      const { details, message } = errorOf((await send(count)).body) as {
        details: { field: unknown }[]
        message: string
      }
      expect(details).toHaveLength(51)
      for (const { field } of details.slice(0, 50)) expect(field).toEqual(expect.any(String))
      expect(details[50]).toEqual({ field: null, message: last })
      expect(message.endsWith(`; ${last}`)).toBe(true)
    }
    const { details } = errorOf((await send(50)).body) as { details: unknown[] }
    expect(details).toHaveLength(50)
  })
})

const ofProblem = ({ detail, details }: Answer['body']) => ({ message: detail, details })
const ofGraphQL = ({ errors: [{ message, extensions }] }: Answer['body']) => ({ message, ...extensions })
const ofTool = ({ result }: Answer['body']) => result._meta.error
const initialize = (bad: number) => ({
  protocolVersion: '2025-11-25',
  capabilities: { experimental: members(bad) },
  clientInfo: { name: 'x', version: '1' },
})

const LONG = 'x'.repeat(2_500)

test.each<[string, () => Promise<Answer>]>([
  ['2,000 unknown parameters', () => ask(`/v1/datasets?${pairs(2_000)}`, strict)],
  ['2,000 unknown parameters of /ogc', () => ask(`/ogc?${pairs(2_000)}`)],
  ['a long name', () => ask(`/v1/datasets?${'x'.repeat(10_000)}`, strict)],
  ['20,000 unknown members', () => graphql({ query: TOTAL, ...members(20_000) })],
  ['a member with a long name', () => graphql({ query: TOTAL, ['x'.repeat(200_000)]: 1 })],
  ['100 unknown members of an input object', () => graphql({ query: BOX, variables: { box: members(100, 1, LONG) } })],
  ['20,000 representations', () => graphql({ query: ENTITIES, variables: { r: Array(20_000).fill({}) } })],
  ['a variable with a long name', () => graphql({ query: `query ($${'x'.repeat(49_000)}: Int!) { apiKey { id } }` })],
  ['a long text for a number', () => graphql({ query: PAGE, variables: { n: 'x'.repeat(200_000) } })],
  [
    'an object in place of an id',
    () => graphql({ query: NODES, variables: { ids: [[{ ['x'.repeat(200_000)]: 1 }]] } }),
  ],
  ['5,000 unknown arguments of a tool', () => callTool('listDatasets', members(5_000))],
  ['an argument of a tool with a long name', () => callTool('listDatasets', { ['x'.repeat(60_000)]: 1 })],
  ['4,000 bad members of a message', () => rpc('initialize', initialize(4_000))],
  ['a long name of a tool', () => callTool('x'.repeat(60_000), {})],
])('the error of %s is short', async (_what, send) => {
  const { text } = await send()
  expect(text).toMatch(/"errors?":|"isError":true|"status":400/)
  expect(text.length).toBeLessThan(16_000)
})
