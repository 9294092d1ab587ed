import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { exportQuery, tileParameters } from '../../src/api/files.ts'
import { OGC_ROUTES } from '../../src/api/ogc/routes.ts'
import { documentOfAllPaths, openApiDocument } from '../../src/api/openapi/documents.ts'
import { EXPORT_FORMATS } from '../../src/catalog/export-formats.ts'
import { useApp } from '../support/app.ts'
import { lint } from '../support/openapi.ts'

/*
 * The OpenAPI document of all paths: REST, exports, tiles, and OGC API Features.
 */

const t = useApp()

const all = JSON.parse(JSON.stringify(documentOfAllPaths()))
const rest = JSON.parse(JSON.stringify(openApiDocument()))

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(all, 'all')

test('it is served without a key, with the address of the request', async () => {
  const served = await fetch(`${t.url}/openapi.json`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await served.json()).toEqual({ ...all, servers: [{ url: t.url, description: 'This server' }] })
})

test('/llms.txt needs no key, and leads only to what the server has', async () => {
  const guide = await fetch(`${t.url}/llms.txt`)
  expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const links = [...(await guide.text()).matchAll(/\]\((.+?)\)/g)].map(([, link = '']) => link)
  const ask = async (link: string) => (await t.get(`/${link.replace('{datasetId}', 'seoul')}`)).status
  const statuses = await Promise.all(links.map(async (link) => [link, await ask(link)]))
  // Two take POST only.
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([
    ['graphql', 400],
    ['mcp', 405],
  ])
})

test('a linter finds no problem in it', async () => {
  expect(await lint(JSON.stringify(all))).toEqual([])
})

test('the REST routes and their components are those of /v1/openapi.json', () => {
  expect(all.paths).toMatchObject(rest.paths)
  for (const [kind, components] of Object.entries<object>(rest.components)) {
    expect(Object.entries(all.components[kind])).toEqual(expect.arrayContaining(Object.entries(components)))
  }
})

test('each operation has a name of its own and a tag with a description', () => {
  const operations = Object.values<{ get: { operationId: string; tags: [string] } }>(all.paths).map(({ get }) => get)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  const tags = new Set(operations.flatMap((operation) => operation.tags))
  expect([...tags]).toEqual(all.tags.map(({ name }: { name: string }) => name))
})

interface Parameter {
  $ref?: string
  name: string
  in: string
}

describe('The parameters are those that the route parses', () => {
  test.each([
    ...EXPORT_FORMATS.map(
      (format) => [`/exports/{datasetId}.${format.name}`, ['datasetId'], exportQuery(format)] as const,
    ),
    ['/tiles/{datasetId}/{z}/{x}/{y}.mvt', ['datasetId', 'z', 'x', 'y'], tileParameters] as const,
  ])('%s', (path, inPath, { shape }) => {
    const parameters: Parameter[] = all.paths[path].get.parameters
    expect(parameters.map(({ name }) => name)).toEqual([...inPath, ...Object.keys(shape)])
    for (const parameter of parameters) expect(parameter).toMatchObject({ description: expect.stringMatching(/\.$/) })
  })

  test.each(OGC_ROUTES.map((route) => [route.path.replace(/:(\w+)\(\.\+\)/g, '{$1}'), route] as const))(
    '%s',
    (path, { query }) => {
      const parameters: Parameter[] = all.paths[path].get.parameters
      const names = parameters.map(({ $ref, name }) => $ref?.split('/').at(-1) ?? name)
      expect(names).toEqual(expect.arrayContaining(Object.keys(query.shape)))
    },
  )
})

describe('A response matches the document', () => {
  test.each([
    ['/exports/{datasetId}.geojson', '/exports/seoul.geojson', 'application/geo+json'],
    ['/ogc', '/ogc', 'application/json'],
    ['/ogc/collections', '/ogc/collections', 'application/json'],
    ['/ogc/collections/{collectionId}/items', '/ogc/collections/seoul/items', 'application/geo+json'],
  ])('%s', async (path, url, mediaType) => {
    const response = await t.get(url)
    const pointer = ['paths', path, 'get', 'responses', '200', 'content', mediaType, 'schema']
    const isValid = ajv.getSchema(`all#/${pointer.map((part) => part.replaceAll('/', '~1')).join('/')}`)
    expect([response.headers.get('content-type')?.split(';')[0], isValid?.(await response.json())]).toEqual([
      mediaType,
      true,
    ])
  })

  test.each([
    ...EXPORT_FORMATS.map(({ name }) => [`/exports/seoul.${name}`, `/exports/{datasetId}.${name}`] as const),
    ['/tiles/seoul/0/0/0.mvt', '/tiles/{datasetId}/{z}/{x}/{y}.mvt'] as const,
  ])('%s has a documented media type and documented headers', async (url, path) => {
    const { headers } = await t.get(url)
    const { content, headers: documented } = all.paths[path].get.responses[200]
    expect(Object.keys(content)).toEqual([headers.get('content-type')?.split(';')[0]])
    expect(
      Object.keys(documented).filter((name) => !headers.has(name) && !/^RateLimit|^Authentication-Info$/.test(name)),
    ).toEqual([])
  })

  test.each([
    ['/exports/draft.csv', 403, '/exports/{datasetId}.csv'],
    ['/tiles/seoul/19/0/0.mvt', 400, '/tiles/{datasetId}/{z}/{x}/{y}.mvt'],
    ['/ogc/collections/none', 404, '/ogc/collections/{collectionId}'],
  ])('the error of %s is %i', async (url, status, path) => {
    const response = await t.get(url)
    expect(response.status).toBe(status)
    const { $ref } = all.paths[path].get.responses[status]
    const { content } = all.components.responses[$ref.split('/').at(-1)]
    const { schema } = content[response.headers.get('content-type')?.split(';')[0] ?? '']
    const isValid = ajv.getSchema(`all${schema.$ref}`)
    expect(isValid?.(await response.json())).toBe(true)
  })
})

test('the reference begins with how to authenticate, errors, pages, limits, caching, versions and formats', async () => {
  const { info } = await (await t.get('/openapi.json')).json()
  const headings = [...info.description.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([
    ...['Authentication', 'Errors', 'Pages', 'Limits and headers', 'Caching and polling', 'Versions', 'Formats'],
  ])
  expect(info.description).not.toContain('{{')
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(info.description)?.[1] ?? '')
  const { error } = await (await t.get('/v1/datasets/seoul/items?limit=101')).json()
  expect(shown).toEqual({ error: { ...error, requestId: shown.error.requestId } })
})
