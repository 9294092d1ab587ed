import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { newDataset } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'

const t = useApp()

const post = async (body: string, contentType: string, accept = 'application/json') => {
  const headers = { authorization: `Bearer ${t.key}`, 'content-type': contentType, accept }
  const response = await fetch(`${t.url}/graphql`, { method: 'POST', headers, body })
  return [response.status, response.headers.get('content-type')?.split(';')[0]]
}

test('a response of GraphQL has the media type that its client accepts, whatever another client got before', async () => {
  const body = JSON.stringify({ query: '{ datasets { total } }' })
  for (const accept of ['application/json', 'application/graphql-response+json', 'application/json']) {
    expect(await post(body, 'application/json', accept)).toEqual([200, accept])
  }
})

test('a response with errors is not cached', async () => {
  const ask = async () => (await t.graphql('{ dataset(id: "seoul") { categories { label } } }')).body
  await t.database.prisma.$executeRaw`ALTER TABLE code_labels RENAME TO moved_labels`
  expect((await ask()).errors).toHaveLength(1)
  // The feed hears nothing of this.
  await t.database.prisma.$executeRaw`ALTER TABLE moved_labels RENAME TO code_labels`
  expect((await ask()).errors).toBeUndefined()
})

test('a body is read as its own type, whatever type the same text had before', async () => {
  const document = '{ datasets { total } }'
  for (const round of [1, 2]) {
    expect([round, ...(await post(document, 'application/graphql'))]).toEqual([round, 200, 'application/json'])
    expect((await post(document, 'application/json'))[0]).toBe(400)
  }
})

test('a dataset that did not exist is found as soon as it is created, also by the same text', async () => {
  const ask = async () => (await t.graphql('{ dataset(id: "late") { name } }')).body
  expect((await ask()).errors[0].extensions.code).toBe('NOT_FOUND')
  expect((await ask()).errors[0].extensions.code).toBe('NOT_FOUND')
  await t.database.prisma.dataset.create({ data: newDataset({ slug: 'late', name: 'Late' }) })
  await expectWithinASecond(ask, (body) => expect(body).toEqual({ data: { dataset: { name: 'Late' } } }))
})
