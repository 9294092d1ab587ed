import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApiDocument } from '../../src/api/openapi/documents.ts'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { pathTemplate } from '../../src/gateway/http.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
const document = openApiDocument()
ajv.addSchema(document, 'openapi')

/** The path templates of the routes and their patterns, in the router's order of preference. */
const TEMPLATES = REST_ROUTES.map(({ path }) => pathTemplate(path))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))
  .sort((a, b) => a.template.split('{').length - b.template.split('{').length)

/**
 * Checks a response of a /v1 route: the OpenAPI document must contain its status and media type, and its body must match the
 * schema.
 * @throws Error if the response does not match
 */
export async function checkDocumented(url: string, response: Response): Promise<void> {
  const { pathname } = new URL(url)
  const route = TEMPLATES.find(({ pattern }) => pattern.test(pathname))
  const contentType = response.headers.get('content-type')?.split(';')[0]
  if (!route || contentType === undefined || response.status === 304) return
  const pointer = ['paths', route.template, 'get', 'responses', String(response.status)]
  const reference = resolve(pointer) ?? pointer
  const schema = [...reference, 'content', contentType, 'schema'].map((part) => part.replaceAll('/', '~1')).join('/')
  const isValid = ajv.getSchema(`openapi#/${schema}`)
  if (!isValid) throw new Error(`${url}: ${response.status} as ${contentType} is not documented`)
  if (!isValid(await response.clone().json())) {
    throw new Error(`${url}: ${response.status} is not as documented: ${ajv.errorsText(isValid.errors)}`)
  }
}

/** The path of the component to which the response at `pointer` refers; undefined if it refers to none. */
function resolve(pointer: readonly string[]): string[] | undefined {
  const found = pointer.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
    document,
  )
  const reference = typeof found === 'object' && found !== null ? Reflect.get(found, '$ref') : undefined
  return typeof reference === 'string' ? reference.replace('#/', '').split('/') : undefined
}

/** The problems that a linter with its recommended rules finds in the text of an OpenAPI document. */
export async function lint(source: string, rules: Record<string, 'off'> = {}): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}
