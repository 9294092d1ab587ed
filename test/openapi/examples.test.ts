import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { apiDefinition, documentOfAllPaths, openApiDocument } from '../../src/api/openapi/documents.ts'
import { parameterExample } from '../../src/api/openapi/parameters.ts'
import { toOpenApi30 } from '../../src/api/openapi/version-3-0.ts'
import { EXAMPLES } from '../../src/api/pages/pages.ts'
import { useApp } from '../support/app.ts'

const t = useApp({ data: 'sample' })

interface Parameter {
  $ref?: string
  name: string
  in: string
  required: boolean
  example?: unknown
  schema?: { default?: unknown }
}

/** The document at /ogc/api, with its paths from the root of the server. */
function ogcDocument() {
  const document = JSON.parse(JSON.stringify(apiDefinition('http://localhost/ogc')))
  const paths = Object.entries(document.paths).map(([path, item]) => [`/ogc${path}`.replace(/\/$/, ''), item])
  return { ...document, paths: Object.fromEntries(paths) }
}

/** The documents, and a validator of their version of JSON Schema. In 3.0, `nullable` says that a value may be null. */
const DOCUMENTS = [
  [ogcDocument(), new Ajv({ strict: false })],
  [documentOfAllPaths(), new Ajv2020({ strict: false })],
  [openApiDocument(), new Ajv2020({ strict: false })],
  [toOpenApi30(openApiDocument()), new Ajv({ strict: false })],
] as const

const { components } = JSON.parse(JSON.stringify(documentOfAllPaths()))

/** The optional parameters without which others are refused. */
const NEEDED_TOGETHER: Record<string, readonly string[]> = { '/search': ['text', 'latitude', 'longitude'] }
const POINT = ['latitude', 'longitude', 'radius']
/** What tools fill in for a parameter: its example or its default. Swagger UI leaves out an optional one that has neither. */
const filledIn = ({ example, schema }: Parameter) => example ?? schema?.default

/** The URLs of the operations of all documents. */
const urls = new Map(DOCUMENTS.flatMap(([document]) => urlsOf(JSON.parse(JSON.stringify(document)))))

interface Document {
  paths: Record<string, { get: { parameters: Parameter[] } }>
  components: { parameters?: Record<string, Parameter> }
}

/** The URLs of each operation with the values of its parameters: the required ones, each optional one, and all together. */
function urlsOf({ paths, components }: Document) {
  return Object.entries(paths).flatMap(([template, { get }]) => urlsOfOperation(template, get.parameters, components))
}

function urlsOfOperation(template: string, given: readonly Parameter[], components: Document['components']) {
  const parameters = given.map((parameter) => components.parameters?.[lastOf(parameter.$ref ?? '')] ?? parameter)
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, String(filledIn(parameter))), template)
  const query = parameters.filter((parameter) => parameter.in === 'query' && filledIn(parameter) !== undefined)
  const needed = NEEDED_TOGETHER[template] ?? []
  const required = query.filter((parameter) => parameter.required || needed.includes(parameter.name))
  const optional = query.filter((parameter) => !required.includes(parameter))
  const alone = (parameter: Parameter) => (POINT.includes(parameter.name) ? pointOf(query) : [parameter])
  const choices = [required, ...optional.map((parameter) => [...new Set([...required, ...alone(parameter)])]), query]
  return choices.map((choice) => [withQuery(path, choice), template] as const)
}

function pointOf(query: readonly Parameter[]): Parameter[] {
  return query.filter(({ name }) => POINT.includes(name))
}

function lastOf(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}

function withQuery(path: string, parameters: readonly Parameter[]): string {
  const query = new URLSearchParams(parameters.map((parameter) => [parameter.name, String(filledIn(parameter))]))
  return query.size === 0 ? path : `${path}?${query}`
}

/** What is wrong with the body of a response, by the schema that a document has for it. */
function problemsIn(
  document: object,
  ajv: Ajv | Ajv2020,
  template: string,
  contentType: string,
  body: unknown,
): unknown {
  const id = JSON.stringify(document).length.toString()
  const content = Object(document).paths[template]?.get.responses['200'].content[contentType.split(';')[0] ?? '']
  if (!content) return null
  if (!ajv.getSchema(id)) ajv.addSchema(document, id)
  const pointer = ['paths', template, 'get', 'responses', '200', 'content', contentType.split(';')[0], 'schema']
    .map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  ajv.validate({ $ref: `${id}#/${pointer}` }, body)
  return ajv.errors ?? null
}
for (const [, ajv] of DOCUMENTS) addFormats.default(ajv)

test.each([...urls])(
  '%s, as tools fill it in, answers 200 with data that fit the schema of each document',
  async (url, template) => {
    // Requests that name no dataset have a null in the usage of the key.
    if (template === '/key') await t.get('/v1/datasets')
    await t.keyUsage.write()
    const response = await t.get(url)
    expect(response.status).toBe(200)
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? ''
    if (contentType.includes('json') && !contentType.includes('ndjson')) {
      for (const [document, ajv] of DOCUMENTS) {
        expect(problemsIn(document, ajv, template, contentType, JSON.parse(text))).toBeNull()
      }
    }
    if (url.startsWith('/tiles/')) expect(text).toContain('Gyeongbokgung Palace')
    else if (url.includes('.parquet')) expect(text).toMatch(/^PAR1.*Gyeongbokgung Palace.*PAR1$/s)
    else if (url.includes('.csv')) expect(text).toMatch(/^id,.*\r\n.*Gyeongbokgung Palace/s)
    else if (url.startsWith('/changes/')) expect(text).toMatch(/^\{"dataset":.*"complete":false\}\n$/s)
    else if (url.includes('.ndjson')) expect(text).toMatch(/^\{"id":.*Gyeongbokgung Palace/s)
    else if (/^\/(ogc|exports)/.test(url)) expect(JSON.parse(text).features).not.toEqual([])
    else {
      const { data } = JSON.parse(text)
      if (template === '/key') expect(data.usage).toContainEqual(expect.objectContaining({ dataset: null }))
      expect(Array.isArray(data) ? data[0] : data).toMatchObject({ id: expect.any(String) })
    }
  },
)

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
