import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'

const t = useApp()

const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String) {
  datasetConnection(first: $first, after: $after, last: $last, before: $before) {
    totalCount
    edges { cursor node { id } }
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`
const ask = (variables: Record<string, unknown> = {}) => t.graphql(QUERY, variables)
const connection = async (variables?: Record<string, unknown>) => {
  const { body } = await ask(variables)
  expect(body.errors).toBeUndefined()
  return body.data.datasetConnection
}
const idsIn = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id)

/** More datasets, some with the same name. */
const NAMES = ['Twin', 'Twin', 'Twin', 'Ämter', 'zebra', '공원', '\u{1f3db} museums', '\uffee']

beforeAll(async () => {
  const [createdAt, updatedAt] = [new Date(0), new Date(0)]
  const given = { status: 'active', visibility: 'public', attribution: 'Test', createdAt, updatedAt } as const
  const data = NAMES.map((name, n) => ({ ...given, id: randomUUID(), slug: `more-${n}`, name }))
  await t.database.prisma.dataset.createMany({ data })
})

test('gives the datasets in the order of the list', async () => {
  const { body } = await t.graphql('{ datasets { nodes { id } total } }')
  const page = await connection({ first: 100 })
  expect(idsIn(page)).toEqual(idsIn(body.data.datasets))
  expect(page.totalCount).toBe(body.data.datasets.total)
  expect(page.edges.map(({ node }: { node: object }) => node)).toEqual(page.nodes)
})

test('gives every page between two cursors, and knows whether datasets precede and follow it', async () => {
  const { edges } = await connection({ first: 100 })
  const cursors = [undefined, ...edges.map(({ cursor }: { cursor: string }) => cursor)]
  for (const [a, after] of cursors.entries()) {
    for (const [b, before] of cursors.entries()) {
      for (const given of [{ first: 1 }, { first: 3 }, { last: 1 }, { last: 3 }, {}]) {
        const page = await connection({ after, before, ...given })
        // `a` and `b` are the numbers of the datasets at the cursors, from 1.
        const between = edges.slice(a, b === 0 ? edges.length : Math.max(a, b - 1))
        const expected = given.last ? between.slice(-given.last) : between.slice(0, given.first)
        const place = edges.indexOf(expected[0])
        const isEmpty = expected.length === 0
        expect(page, JSON.stringify({ a, b, given })).toMatchObject({
          edges: expected,
          pageInfo: {
            hasPreviousPage: isEmpty ? a > 0 : place > 0,
            hasNextPage: isEmpty ? b > 0 : place + expected.length < edges.length,
            startCursor: expected[0]?.cursor ?? null,
            endCursor: expected.at(-1)?.cursor ?? null,
          },
        })
      }
    }
  }
})

test('continues from the position of a dataset that was deleted, or has another name', async () => {
  const all = await connection({ first: 100 })
  const { id } = await t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'more-3' } })
  const place = idsIn(all).indexOf(id)
  const rest = idsIn(all).slice(place + 1)
  const follow = async () => idsIn(await connection({ after: all.edges[place].cursor }))
  await t.database.prisma.dataset.update({ where: { id }, data: { name: '\u{10ffff}' } })
  await expect.poll(follow).toEqual([...rest, id])
  await t.database.prisma.dataset.delete({ where: { id } })
  await expect.poll(follow).toEqual(rest)
})

test('has only the datasets that the key may access', async () => {
  const { key } = await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })
  const { body } = await t.graphql('{ datasetConnection(first: 100) { nodes { id } totalCount } }', {}, key)
  expect(idsIn(body.data.datasetConnection)).toContain(DATASET.restricted)
  expect(body.data.datasetConnection.totalCount).toBe((await connection()).totalCount + 1)
})

test.each([
  [{ first: 0 }, 'first', 'must be at least 1'],
  [{ last: 101 }, 'last', 'must be at most 100'],
  [{ first: 1, last: 1 }, 'last', 'must not be given together with first'],
  [{ after: '' }, 'after', 'must be a cursor of this list'],
  [{ before: Buffer.from('["a",1]').toString('base64url') }, 'before', 'must be a cursor of this list'],
])('refuses %j, naming %s', async (variables, field, message) => {
  const { body } = await ask(variables)
  expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: [{ field, message }] } }])
})

test('refuses the cursor of an item, and an item connection that of a dataset', async () => {
  const { body } = await t.graphql('{ dataset(id: "seoul") { itemConnection { pageInfo { endCursor } } } }')
  const refused = await ask({ after: body.data.dataset.itemConnection.pageInfo.endCursor })
  expect(refused.body.errors[0].message).toBe('after must be a cursor of this list')
  const { pageInfo } = await connection()
  const other = await t.graphql(
    'query ($after: String) { dataset(id: "seoul") { itemConnection(after: $after) { totalCount } } }',
    { after: pageInfo.endCursor },
  )
  expect(other.body.errors[0].message).toBe('after must be a cursor of this list')
})
