import { isEmailAddress, isWebAddress } from '../../config/contact.ts'
import { VERSION } from '../../config/version.ts'
import components from './components.json' with { type: 'json' }
import { collectSchemas, type Json, type OpenApi } from './components.ts'
import data from './documents.json' with { type: 'json' }
import { fileOperations } from './files.ts'
import { introduction } from './introduction.ts'
import { describeOgc } from './ogc.ts'
import { DOCUMENTED_CODES, ERROR_SCHEMAS, errorResponse, pathsOf } from './operations.ts'
import { restOperations } from './rest.ts'
import { toOpenApi30 } from './version-3-0.ts'

/*
 * The OpenAPI documents, made from the tables of routes. The GraphQL operation of a route gives the members of its response and their
 * descriptions. The schema that parses its parameters gives their bounds. The JSON files have what the code does not know.
 */

/**
 * The OpenAPI 3.1 document of the REST routes. The URL of its server is relative.
 * @param contact is whom to ask for a key: an e-mail address, a URL or a text
 */
export function openApiDocument(contact?: string): OpenApi {
  const { schemas, define } = collectSchemas({ ...ERROR_SCHEMAS, ...components.schemas })
  const paths = pathsOf(restOperations(define))
  return {
    ...data.rest,
    info: {
      ...data.rest.info,
      version: VERSION,
      contact: contactObject(contact ?? 'Maintainers of the Dataset Catalog'),
    },
    servers: serversAt('/'),
    paths,
    components: {
      securitySchemes: securitySchemes(contact),
      headers: components.headers,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(DOCUMENTED_CODES.map((code) => [code, errorResponse(code)])),
    },
  }
}

/** One document of all paths, for the API reference: the REST routes, exports, tiles, and OGC API Features. */
export function documentOfAllPaths(contact?: string): OpenApi {
  const rest = openApiDocument(contact)
  const ogc = describeOgc('Ogc')
  const { schemas, responses, ...others } = rest.components
  return {
    ...rest,
    info: { ...rest.info, description: introduction(contact) },
    tags: [...rest.tags, ...data.otherTags],
    paths: { ...rest.paths, ...pathsOf(fileOperations()), ...ogc.paths },
    components: {
      ...others,
      ...ogc.components,
      schemas: { ...schemas, ...ogc.components.schemas },
      responses: { ...responses, CURSOR_EXPIRED: errorResponse('CURSOR_EXPIRED'), ...ogc.components.responses },
    },
  }
}

/** The API definition of `/ogc`: an OpenAPI 3.0 document (OGC 17-069r4, section 9). `base` is the address of the landing page. */
export function apiDefinition(base: string): Json {
  const { paths, components } = describeOgc()
  const relative = Object.entries(paths).map(([path, item]) => [path.replace(/^\/ogc\/?/, '/'), item])
  const { license } = data.ogc.info
  return toOpenApi30({
    ...data.ogc,
    info: { ...data.ogc.info, version: VERSION, license: { ...license, url: new URL('docs', base).href } },
    servers: serversAt(base),
    paths: Object.fromEntries(relative),
    components: { securitySchemes: securitySchemes(), ...components },
  })
}

/** @see https://spec.openapis.org/oas/v3.1.1.html#contact-object */
function contactObject(contact: string): Json {
  if (isWebAddress(contact)) return { url: contact }
  return isEmailAddress(contact) ? { email: contact } : { name: contact }
}

/** @param contact is whom to ask for a key; without it the description is for the operator */
function securitySchemes(contact?: string) {
  const source = contact === undefined ? '`catalog keys create` prints it.' : `Whom to ask for one: ${contact}`
  return { apiKey: { type: 'http', scheme: 'bearer', description: `An API key. ${source}` } }
}

/** The member `servers` of a document, with an address such as `https://example.org`. */
export function serversAt(url: string): Json[] {
  return [{ url, description: 'This server' }]
}
