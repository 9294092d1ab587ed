import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { PARAMETER_EXAMPLES } from '../../src/rest/openapi/examples.ts'
import { pathTemplate, REST_ROUTES } from '../../src/rest/routes.ts'
import { startApp, type TestApp } from '../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startApp({ data: 'sample' })
})
afterAll(() => t.close())

/** The optional parameters without which others are refused. */
const NEEDED_TOGETHER: Record<string, readonly string[]> = { '/search': ['text', 'latitude', 'longitude'] }

/** The URLs of a route with the examples of its parameters: the required ones, each optional one, and all together. */
const urls = REST_ROUTES.flatMap((route) => {
  const path = pathTemplate(route.path).replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))
  const names = Object.keys(route.query.shape)
  const required = [
    ...names.filter((name) => !route.query.shape[name].safeParse(undefined).success),
    ...(NEEDED_TOGETHER[route.path] ?? []),
  ]
  const optional = names.filter((name) => !required.includes(name))
  const choices = [required, ...optional.map((name) => [...required, name]), names]
  return [...new Set(choices.map((choice) => withQuery(path, choice)))]
})

function withQuery(path: string, names: readonly string[]): string {
  const query = new URLSearchParams(names.map((name) => [name, exampleOf(name)]))
  return query.size === 0 ? path : `${path}?${query}`
}

function exampleOf(name: string): string {
  return String(PARAMETER_EXAMPLES[name])
}

test.each(urls)('the example %s answers 200 with data', async (url) => {
  const response = await t.get(url)
  expect(response.status).toBe(200)
  const { data } = await response.json()
  expect(Array.isArray(data) ? data[0] : data).toMatchObject({ id: expect.any(String) })
})

describe('The examples of the members are those of the sample data', () => {
  /** Times of the import, URLs that have the port of the server, and the id of an image, which is made from its URL. */
  const VARYING = (name: string, member: string) => /At$|Url$/.test(member) || (name === 'Image' && member === 'id')

  test.each([
    ['ItemDetail', `/v1/dataset-items/${exampleOf('itemId')}`],
    ['Dataset', `/v1/datasets/${exampleOf('datasetId')}`],
    ['Image', `/v1/dataset-items/${exampleOf('itemId')}`],
  ])('%s', async (name, url) => {
    const { data } = await (await t.get(url)).json()
    const record = name === 'Image' ? data.images[0] : data
    const { components } = JSON.parse(JSON.stringify(openApiDocument()))
    const members = Object.entries<{ examples?: unknown[] }>(components.schemas[name].properties)
    const shown = members.filter(([member, { examples }]) => examples && !VARYING(name, member))
    expect(shown.length).toBeGreaterThan(2)
    expect(Object.fromEntries(shown.map(([member, { examples }]) => [member, examples?.[0]]))).toEqual(
      Object.fromEntries(shown.map(([member]) => [member, record[member]])),
    )
  })
})
