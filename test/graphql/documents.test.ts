import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDocumentMap, readTrustedDocuments } from '../../src/graphql/operation/documents.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { useFolder } from '../support/folder.ts'
import { postGraphql } from '../support/graphql.ts'

const DOCUMENT = 'query Name($id: ID!) { dataset(id: $id) { name } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const named = (hash: string) => ({ persistedQuery: { version: 1, sha256Hash: hash } })

let t: TestApp
let strict: TestApp
const inFolder = useFolder()
beforeAll(async () => {
  t = await startApp()
  strict = await startApp({ beside: t, trustedDocuments: new Map([['known', DOCUMENT]]) })
})
afterAll(async () => {
  await strict.close()
  await t.close()
})

const post = async (app: TestApp, body: object) => (await postGraphql(app, body)).json()
const variables = { id: 'seoul' }
const SEOUL = { data: { dataset: { name: 'Seoul' } } }

describe('Automatic persisted queries', () => {
  test('are registered once and then found by their hash, over GET too', async () => {
    const extensions = named(sha256(DOCUMENT))
    expect(await post(t, { extensions, variables })).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    })
    expect(await post(t, { query: DOCUMENT, extensions, variables })).toEqual(SEOUL)
    expect(await post(t, { extensions, variables })).toEqual(SEOUL)
    const query = new URLSearchParams({ extensions: JSON.stringify(extensions), variables: JSON.stringify(variables) })
    expect(await (await t.get(`/graphql?${query}`)).json()).toEqual(SEOUL)
  })

  test('are found by documentId too, as a bare hash and with the prefix sha256:', async () => {
    const query = 'query Prefixed($id: ID!) { dataset(id: $id) { name } }'
    const documentId = `sha256:${sha256(query)}`
    expect(await post(t, { documentId, variables })).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    })
    expect(await post(t, { query, documentId, variables })).toEqual(SEOUL)
    expect(await post(t, { documentId, variables })).toEqual(SEOUL)
    expect(await post(t, { documentId: sha256(query), variables })).toEqual(SEOUL)
    expect(await post(t, { extensions: named(sha256(query)), variables })).toEqual(SEOUL)
    const search = new URLSearchParams({ documentId, variables: JSON.stringify(variables) })
    expect(await (await t.get(`/graphql?${search}`)).json()).toEqual(SEOUL)
    expect(await post(t, { query: '{ datasets { total } }', documentId, variables })).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_HASH_MISMATCH' } }],
    })
  })
})

test("clients' documents in memory have at most 500,000 characters, and the least recently used ones leave first", () => {
  const documents = createDocumentMap<string>((document) => document.length)
  const document = `#${'x'.repeat(7_800)}`
  for (let n = 0; n < 400; n += 1) {
    documents.set(`${n}`, document)
    documents.get('0')
  }
  expect(documents.size * document.length).toBeLessThan(500_000)
  expect([documents.has('0'), documents.has('1'), documents.has('399')]).toEqual([true, false, true])
})

describe('With trusted documents', () => {
  test('these are executed, by hash, by documentId and by their text', async () => {
    expect(await post(strict, { extensions: named('known'), variables })).toEqual(SEOUL)
    expect(await post(strict, { documentId: 'known', variables })).toEqual(SEOUL)
    expect(await post(strict, { query: DOCUMENT, variables })).toEqual(SEOUL)
  })

  test('a hash may have the prefix sha256: in the request, in the file, and in both', async () => {
    const hash = sha256(DOCUMENT)
    for (const id of [hash, `sha256:${hash}`]) {
      const app = await startApp({ beside: t, trustedDocuments: new Map([[id, DOCUMENT]]) })
      expect(await post(app, { documentId: hash, variables })).toEqual(SEOUL)
      expect(await post(app, { documentId: `sha256:${hash}`, variables })).toEqual(SEOUL)
      expect(await post(app, { documentId: `md5:${hash}`, variables })).toMatchObject({
        errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_TRUSTED' } }],
      })
      await app.close()
    }
  })

  test('no other document is executed', async () => {
    const other = '{ datasets { total } }'
    for (const body of [
      { query: other },
      { query: other, extensions: named(sha256(other)) },
      { documentId: 'unknown' },
      { query: '{ __schema { types { name } } }' },
    ]) {
      expect(await post(strict, body)).toMatchObject({
        errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_TRUSTED' } }],
      })
    }
    expect((await strict.get('/v1/datasets')).status).toBe(200)
  })

  test('a missing file, or one with a document of another schema, stops the start with an error', async () => {
    const path = inFolder('documents.json')
    await writeFile(path, JSON.stringify({ a: DOCUMENT }))
    expect(await readTrustedDocuments(path)).toEqual(new Map([['a', DOCUMENT]]))
    await writeFile(path, JSON.stringify({ a: '{ nope }' }))
    await expect(readTrustedDocuments(path)).rejects.toThrow(/TRUSTED_DOCUMENTS .* the document a is not valid/)
    await writeFile(path, '[')
    await expect(readTrustedDocuments(path)).rejects.toThrow(/TRUSTED_DOCUMENTS/)
    await expect(readTrustedDocuments(inFolder('nowhere'))).rejects.toThrow(/ENOENT/)
  })
})
