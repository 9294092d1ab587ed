import { describe, expect, test } from 'vitest'
import { documentOfAllPaths } from '../../src/api/openapi/documents.ts'
import { parameterExample } from '../../src/api/openapi/parameters.ts'
import { EXAMPLES } from '../../src/api/pages/pages.ts'
import { useApp } from '../support/app.ts'

const t = useApp({ data: 'sample' })

interface Parameter {
  $ref?: string
  name: string
  in: string
  required: boolean
  example: unknown
}

const { paths, components } = JSON.parse(JSON.stringify(documentOfAllPaths()))

/** The optional parameters without which others are refused. */
const NEEDED_TOGETHER: Record<string, readonly string[]> = { '/search': ['text', 'latitude', 'longitude'] }
const POINT = ['latitude', 'longitude', 'radius']
/** Of these a request has one. */
const STARTS = ['after', 'offset', 'startindex']

/** The URLs of an operation with the examples of its parameters: the required ones, each optional one, and all together. */
const urls = Object.entries<{ get: { parameters: Parameter[] } }>(paths).flatMap(([template, { get }]) => {
  const parameters = get.parameters.map(({ $ref, ...own }) => ($ref ? components.parameters[lastOf($ref)] : own))
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), template)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const needed = NEEDED_TOGETHER[template] ?? []
  const required = query.filter((parameter) => parameter.required || needed.includes(parameter.name))
  const optional = query.filter((parameter) => !required.includes(parameter))
  const alone = (parameter: Parameter) => (POINT.includes(parameter.name) ? pointOf(query) : [parameter])
  const together = query.filter(({ name }) => !STARTS.slice(1).includes(name))
  const choices = [required, ...optional.map((parameter) => [...new Set([...required, ...alone(parameter)])]), together]
  return [...new Set(choices.map((choice) => withQuery(path, choice)))]
})

function pointOf(query: readonly Parameter[]): Parameter[] {
  return query.filter(({ name }) => POINT.includes(name))
}

function lastOf(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}

function withQuery(path: string, parameters: readonly Parameter[]): string {
  const query = new URLSearchParams(parameters.map(({ name, example }) => [name, String(example)]))
  return query.size === 0 ? path : `${path}?${query}`
}

test.each(urls)('the example %s answers 200 with data', async (url) => {
  const response = await t.get(url)
  expect(response.status).toBe(200)
  const text = await response.text()
  if (url.startsWith('/tiles/')) expect(text).toContain('Gyeongbokgung Palace')
  else if (url.includes('.parquet')) expect(text).toMatch(/^PAR1.*Gyeongbokgung Palace.*PAR1$/s)
  else if (url.includes('.csv')) expect(text).toMatch(/^id,.*\r\n.*Gyeongbokgung Palace/s)
  else if (url.includes('.ndjson')) expect(text).toMatch(/^\{"id":.*Gyeongbokgung Palace/s)
  else if (/^\/(ogc|exports)/.test(url)) expect(JSON.parse(text).features).not.toEqual([])
  else {
    const { data } = JSON.parse(text)
    expect(Array.isArray(data) ? data[0] : data).toMatchObject({ id: expect.any(String) })
  }
})

describe('The examples of the members are those of the sample data', () => {
  /** Times of the import, URLs that have the port of the server, and the id of an image, which is made from its URL. */
  const VARYING = (name: string, member: string) => /At$|Url$/.test(member) || (name === 'Image' && member === 'id')

  test.each([
    ['ItemDetail', `/v1/dataset-items/${parameterExample('itemId')}`],
    ['Dataset', `/v1/datasets/${parameterExample('datasetId')}`],
    ['Image', `/v1/dataset-items/${parameterExample('itemId')}`],
  ])('%s', async (name, url) => {
    const { data } = await (await t.get(url)).json()
    const record = name === 'Image' ? data.images[0] : data
    const members = Object.entries<{ examples?: unknown[] }>(components.schemas[name].properties)
    const shown = members.filter(([member, { examples }]) => examples && !VARYING(name, member))
    expect(shown.length).toBeGreaterThan(2)
    expect(Object.fromEntries(shown.map(([member, { examples }]) => [member, examples?.[0]]))).toEqual(
      Object.fromEntries(shown.map(([member]) => [member, record[member]])),
    )
  })
})

test.each(EXAMPLES.map((example) => [example.split('\n')[0], example]))(
  "GraphiQL's example finds something in the sample data: %s",
  async (_first, example) => {
    const { body } = await t.graphql(example ?? '')
    expect(body.errors).toBeUndefined()
    expect(JSON.stringify(body.data)).toMatch(/"name":"[^"]+"/)
  },
)
