import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entityTag, sendIfUnchanged } from '../../src/gateway/reply.ts'

let app: FastifyInstance
let url: string
beforeAll(async () => {
  app = fastify()
  // The response has the tag "a", in the content coding and with the weakness of the path.
  app.get<{ Params: { kind: string } }>('/:kind', (request, reply) => {
    const { kind } = request.params
    const tag = { etag: '"a"', isWeak: kind === 'weak', coding: kind === 'br' ? ('br' as const) : undefined }
    if (!sendIfUnchanged(request, reply, tag)) void reply.header('etag', entityTag(tag)).send('content')
  })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

const ask = async (kind: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/${kind}`, { headers })
  return [response.status, response.headers.get('etag')]
}

test('the tag of a response says its coding, and whether it is weak', async () => {
  expect(await ask('plain')).toEqual([200, '"a"'])
  expect(await ask('br')).toEqual([200, '"a-br"'])
  expect(await ask('weak')).toEqual([200, 'W/"a"'])
})

describe('If-None-Match', () => {
  test.each([
    ['"a"', '"a"'],
    ['W/"a"', '"a"'],
    ['"a-br"', '"a-br"'],
    ['"a-gzip"', '"a-gzip"'],
    ['"x", W/"a-br" , "y"', '"a-br"'],
    ['*', '"a"'],
  ])('%s is a 304 with the tag that the client has', async (list, etag) => {
    expect(await ask('plain', { 'if-none-match': list })).toEqual([304, etag])
  })

  test.each(['"b"', '"a', 'a', '"a-zstd"', '"x", "y"', '"**"'])('%s is a 200', async (list) => {
    expect(await ask('plain', { 'if-none-match': list })).toEqual([200, '"a"'])
  })

  test('of a weak tag is a 304 with the weak tag', async () => {
    for (const list of ['W/"a"', '"a"', '*'])
      expect(await ask('weak', { 'if-none-match': list })).toEqual([304, 'W/"a"'])
  })

  test('* is a 304 in the coding of the response', async () => {
    expect(await ask('br', { 'if-none-match': '*' })).toEqual([304, '"a-br"'])
  })
})

describe('If-Match', () => {
  test.each(['"a"', '"a-br"', '"x", "a"', '*'])('%s is a 200', async (list) => {
    expect(await ask('plain', { 'if-match': list })).toEqual([200, '"a"'])
  })

  test.each(['"b"', 'W/"a"', '"x", W/"a-br"'])('%s is refused', async (list) => {
    expect((await ask('plain', { 'if-match': list }))[0]).not.toBe(200)
  })

  test('only * is a 200 for a weak tag, which a strong comparison never finds', async () => {
    expect(await ask('weak', { 'if-match': '*' })).toEqual([200, 'W/"a"'])
    for (const list of ['"a"', 'W/"a"', '"a-br"']) expect((await ask('weak', { 'if-match': list }))[0]).not.toBe(200)
  })
})
