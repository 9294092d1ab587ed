import { z } from 'zod'
import type { Catalog } from '../../catalog/catalog.ts'
import { parseQueryString, queryStringOf } from '../../gateway/query-string.ts'
import type { Addresses } from './links.ts'
import type { Forms } from './media-types.ts'
import { type FormShape, formParameter } from './parameters.ts'

/*
 * The type of a resource of OGC API Features.
 */

/** A request, without its parameters. */
export interface OgcRequest extends Addresses {
  /** The path and the query string. */
  url: string
  /** Makes the API definition, from all routes. `base` is the address of the landing page. */
  apiDefinition: (base: string) => object
  /** The parameters in the path, decoded. */
  path: Readonly<Record<string, string>>
  /**
   * Takes memory for the response before it is read.
   * @throws `SERVICE_UNAVAILABLE` if there is none
   */
  reserve: (bytes: number) => void
}

/** A response body, its `Link` header, and its weak entity tag if the body alone does not identify the response. */
interface OgcResponse {
  body: string | Buffer
  links?: string | undefined
  weakTag?: string
}

/** Reads the response from the catalog. `version` gives its entity tag sooner, without its body. */
interface Resource {
  read: (catalog: Catalog) => Promise<OgcResponse>
  version?: (catalog: Catalog) => Promise<string>
}

export interface OgcRoute {
  /** The operation's name in the API definition. */
  name: string
  summary: string
  /** In the router's syntax; `(.+)` refuses an empty parameter. */
  path: string
  query: z.ZodObject
  forms: Forms
  /** The name of the schema of the response in the API definition. */
  schema: string
  /** Whether the response has features, and so a coordinate reference system. */
  hasFeatures: boolean
  /** @throws `VALIDATION_FAILED` for bad parameters */
  resource: (request: OgcRequest) => Resource
}

/** A route with typed parameters. */
export function route<Shape extends z.ZodRawShape>({
  parameters,
  resource,
  ...options
}: Omit<OgcRoute, 'query' | 'resource' | 'hasFeatures'> & {
  parameters: Shape
  resource: (request: OgcRequest, query: z.output<z.ZodObject<FormShape & Shape>>) => Resource
}): OgcRoute {
  const query = z.strictObject({ f: formParameter(options.forms), ...parameters })
  return {
    ...options,
    query,
    hasFeatures: options.forms.includes('geojson'),
    resource: (request) => resource(request, parseQueryString(query, queryStringOf(request.url))),
  }
}
