import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { getOgc } from '../support/ogc.ts'

const FACTS = {
  license: 'CC-BY-4.0',
  publisher: 'Übermap "GmbH"',
  contact: 'data@example.org',
  termsUrl: 'https://example.org/terms',
  sourceUrl: 'http://example.org/data?a=b&c=d',
  sourceDate: '2024-02-29',
  updateFrequency: 'every month',
}
const NONE = Object.fromEntries(Object.keys(FACTS).map((name) => [name, null]))

const t = useApp()
let importer: Importer
beforeAll(async () => {
  importer = await createImporter(t.database)
})
afterAll(async () => {
  await importer.close()
})

const importDataset = (dataset: object) =>
  importer.run(
    { 'a.ndjson': ndjson(row({ id: '12345678-0000-4000-8000-000000000001' })) },
    { dataset: { slug: 'facts', ...dataset } },
  )

async function factsInGraphql(slug = 'facts') {
  const { body } = await t.graphql(`query ($slug: ID!) { dataset(id: $slug) { ${Object.keys(FACTS).join(' ')} } }`, {
    slug,
  })
  return body.data.dataset
}

const poll = (read: () => Promise<unknown>) => expect.poll(read)

test('the facts of a manifest are those of the dataset, and an import without them removes them', async () => {
  await importDataset(FACTS)
  await poll(() => factsInGraphql()).toEqual(FACTS)
  await importDataset({ license: '' })
  await poll(() => factsInGraphql()).toEqual(NONE)
})

test('a dataset without facts has nulls', async () => {
  expect(await factsInGraphql('seoul')).toEqual(NONE)
})

test('/v1 has no facts', async () => {
  await importDataset(FACTS)
  const { data } = await (await t.get('/v1/datasets/facts')).json()
  expect(Object.keys(data)).toEqual([
    ...['id', 'slug', 'name', 'description', 'visibility', 'accessTier', 'attribution', 'createdAt', 'updatedAt'],
  ])
})

test('an item shows the facts of its dataset', async () => {
  await importDataset(FACTS)
  await poll(() => factsInGraphql()).toEqual(FACTS)
  const query = '{ item(id: "12345678-0000-4000-8000-000000000001") { dataset { license sourceDate } } }'
  const { body } = await t.graphql(query)
  expect(body.data.item.dataset).toEqual({ license: 'CC-BY-4.0', sourceDate: '2024-02-29' })
})

describe('A fact of another form is refused', () => {
  const LICENSE = 'must be an SPDX identifier, such as CC-BY-4.0, or a URL'
  const URL = 'must be a URL that begins with http:// or https://'
  const CONTACT = 'must be an e-mail address or a URL'
  const DATE = 'must be a date, such as 2026-01-31'

  test.each([
    ['license', 'Creative Commons', LICENSE],
    ['license', 'javascript:alert(1)', LICENSE],
    ['license', 'https://', LICENSE],
    ['termsUrl', 'example.org', URL],
    ['termsUrl', 'javascript:alert(1)', URL],
    ['sourceUrl', 'ftp://example.org', URL],
    ['sourceUrl', 'https://example.org/a b', URL],
    ['contact', 'Mr. Kim', CONTACT],
    ['contact', 'a@b@c', CONTACT],
    ['contact', 'javascript://x', CONTACT],
    ['sourceDate', '2026-02-30', DATE],
    ['sourceDate', '31.01.2026', DATE],
    ['sourceDate', '2026-01-31T00:00:00Z', DATE],
    ['publisher', ['a'], 'must be text'],
    ['updateFrequency', 'a\0', 'must not contain NUL'],
  ])('%s %j', async (field, value, reason) => {
    const message = await importer.fail({ 'a.ndjson': ndjson(row()) }, { dataset: { slug: 'refused', [field]: value } })
    expect(message).toContain(`dataset.${field} ${reason}`)
  })

  test.each([
    ['license', 'LicenseRef-KOGL-1'],
    ['license', 'GPL-2.0+'],
    ['license', 'https://www.kogl.or.kr/info/licenseType1.do'],
    ['contact', 'https://example.org/contact'],
    ['contact', '데이터@example.org'],
  ])('but %s %s is right', async (field, value) => {
    await importDataset({ ...FACTS, [field]: value })
    await poll(() => factsInGraphql()).toEqual({ ...FACTS, [field]: value })
  })
})

describe('The collection of /ogc', () => {
  const collection = async () => (await getOgc(t, '/ogc/collections/facts')).body
  const linksOf = async (...relations: string[]) =>
    (await collection()).links
      .filter(({ rel }: { rel: string }) => relations.includes(rel))
      .map(({ rel, href }: Record<string, string>) => [rel, href])

  test('has the licence, the publisher and the addresses', async () => {
    await importDataset(FACTS)
    await poll(async () => (await collection()).license).toBe('CC-BY-4.0')
    expect((await collection()).contacts).toEqual([
      { name: FACTS.publisher, emails: [{ value: 'data@example.org' }], roles: ['publisher'] },
    ])
    expect(await linksOf('license', 'terms-of-service', 'via')).toEqual([
      ['license', 'https://spdx.org/licenses/CC-BY-4.0.html'],
      ['terms-of-service', FACTS.termsUrl],
      ['via', FACTS.sourceUrl],
    ])
  })

  test('links to a licence that is a URL, and to a contact that is one', async () => {
    const license = 'https://example.org/license'
    await importDataset({ license, contact: 'https://example.org/contact' })
    await poll(async () => (await collection()).license).toBe('other')
    expect((await collection()).contacts).toEqual([
      { links: [{ href: 'https://example.org/contact', rel: 'about' }], roles: ['publisher'] },
    ])
    expect(await linksOf('license', 'terms-of-service', 'via')).toEqual([['license', license]])
  })

  test('has neither licence nor contacts without facts', async () => {
    await importDataset({})
    await poll(async () => Object.hasOwn(await collection(), 'license')).toBe(false)
    expect(await collection()).not.toHaveProperty('contacts')
  })
})
