import { isDeepStrictEqual } from 'node:util'
import { OGC_COMPONENTS, OGC_TAG, ogcPaths } from '../../ogc/api-definition.ts'
import { OGC_ROUTES } from '../../ogc/routes.ts'
import type { Components, Json, OpenApi } from '../../rest/openapi/components.ts'
import { openApiDocument } from '../../rest/openapi/document.ts'
import { FILE_TAGS, filePaths } from './files.ts'
import { introduction } from './introduction.ts'

/*
 * One OpenAPI 3.1 document of all paths, for the API reference: the REST routes, exports, tiles, and OGC API Features.
 */

/**
 * The document as an object. The URL of its server is relative.
 * @param contact is whom to ask for a key
 */
export function documentOfAllPaths(contact?: string): OpenApi {
  const rest = openApiDocument(contact)
  const names = freeNames(OGC_COMPONENTS, rest.components)
  const ogc = Object.entries(ogcPaths(OGC_ROUTES)).map(([path, item]) => [path, withNames(item, names)])
  const { schemas, responses, ...others } = rest.components
  return {
    ...rest,
    info: { ...rest.info, description: introduction(contact) },
    tags: [...rest.tags, ...FILE_TAGS, OGC_TAG],
    paths: { ...rest.paths, ...filePaths(), ...Object.fromEntries(ogc) },
    components: {
      ...others,
      parameters: renamed('parameters', names),
      schemas: { ...schemas, ...renamed('schemas', names) },
      responses: { ...responses, ...renamed('responses', names) },
    },
  }
}

/** References, and the references that replace them. */
type Names = ReadonlyMap<string, string>

/** References to the components whose names mean something else in another document. */
function freeNames(components: Components, taken: Components): Names {
  return new Map(
    Object.entries(components).flatMap(([kind, members]) =>
      Object.entries(members)
        .filter(([name, component]) => !isDeepStrictEqual(taken[kind]?.[name] ?? component, component))
        .map(([name]) => [referenceTo(kind, name), referenceTo(kind, `Ogc${name}`)] as const),
    ),
  )
}

function referenceTo(kind: string, name: string): string {
  return `#/components/${kind}/${name}`
}

/** The components of a kind of `/ogc`, under their new names. */
function renamed(kind: keyof typeof OGC_COMPONENTS, names: Names): Record<string, Json> {
  const entries = Object.entries(OGC_COMPONENTS[kind]).map(([name, component]) => {
    const reference = names.get(referenceTo(kind, name))
    return [reference?.split('/').at(-1) ?? name, withNames(component, names)] as const
  })
  return Object.fromEntries(entries)
}

/** The same object with other references. */
function withNames(object: Json, names: Names): Json {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    return typeof value === 'object' && value !== null ? withNames({ ...value }, names) : value
  }
  const entries = Object.entries(object).map(([member, value]) => [
    member,
    member === '$ref' && typeof value === 'string' ? (names.get(value) ?? value) : rename(value),
  ])
  return Object.fromEntries(entries)
}
