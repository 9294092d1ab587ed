import { type ExecutionResult, GraphQLError } from 'graphql'
import type { RawJson } from '../../catalog/models.ts'
import type { ReadLog } from '../../catalog/snapshot/read-log.ts'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { queryStringOf } from '../../gateway/query-string.ts'
import { catalogErrorOf } from '../../graphql/errors.ts'
import { prepareDocument } from '../../graphql/operation/documents.ts'
import { execute } from '../../graphql/operation/execute.ts'
import type { NodeForm } from '../../graphql/operation/selected-fields.ts'
import { enumType, enumWord } from '../../graphql/schema.ts'

/** The body of every success. */
interface Envelope {
  data: unknown
  meta: Record<string, unknown>
}

type Members = Record<string, unknown>
/** Converts the members of a GraphQL object to the members of REST. */
type Shape = (members: Members) => Members

const unchanged: Shape = (members) => members

/** Creates the envelope of one record, with an empty `meta`. */
export function recordEnvelope(shape: Shape = unchanged): (resource: unknown) => Envelope {
  // A text is the placeholder of an item as JSON (graphql/operation/placeholders.ts).
  return (resource) => ({ data: typeof resource === 'string' ? resource : shape(membersOf(resource)), meta: {} })
}

/** Creates the envelope of a list. All members of the list except `nodes` become `meta`. */
export function listEnvelope(shape: Shape = unchanged): (resource: unknown) => Envelope {
  return (resource) => {
    const { nodes, ...meta } = membersOf(resource)
    // A placeholder for the items as JSON (graphql/operation/placeholders.ts).
    if (typeof nodes === 'string') return { data: nodes, meta }
    if (!Array.isArray(nodes)) throw new TypeError('A list has no nodes')
    return { data: nodes.map((node) => shape(membersOf(node))), meta }
  }
}

/** The members of a dataset that are enums. */
const DATASET_ENUMS = new Map([
  ['status', enumType('DatasetStatus')],
  ['visibility', enumType('DatasetVisibility')],
])

/** REST writes the words of enums, GraphQL their names. */
export const toDataset: Shape = (dataset) =>
  Object.fromEntries(
    Object.entries(dataset).map(([name, value]) => {
      const type = DATASET_ENUMS.get(name)
      return [name, type ? enumWord(type, String(value)) : value]
    }),
  )

/** The members of the item, then its distance in metres. */
export const toNearbyItem: Shape = ({ item, distance }) => ({ ...membersOf(item), distance })

/** The members of the item, then its distance in metres if the search has a point. */
export const toFoundItem: Shape = ({ item, distance }) =>
  distance === null ? membersOf(item) : { ...membersOf(item), distance }

/** The members of an object of a GraphQL result. */
export function membersOf(value: unknown): Members {
  if (!isObject(value)) throw new TypeError('Not an object')
  return value
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/** https://www.iana.org/assignments/media-types/application/geo+json */
export const GEOJSON = 'application/geo+json'

/** A list of items as GeoJSON (RFC 7946). `meta` is a foreign member (section 6.1). */
interface FeatureCollection {
  type: 'FeatureCollection'
  /** The placeholder of JSON that PostgreSQL writes (catalog/projection.ts). */
  features: unknown
  meta: Envelope['meta']
}

const toEnvelope = listEnvelope()

/** Creates points from a list of items. Their properties are the members of the items in the envelope. */
function featureCollection(resource: unknown): FeatureCollection {
  const { data, meta } = toEnvelope(resource)
  return { type: 'FeatureCollection', features: data, meta }
}

/**
 * The maximum length of a `Link` header in bytes. nginx refuses a response with more than 4 kB of headers by default, Node's client one
 * with more than 16 kB.
 */
export const MAX_LINK_LENGTH = 3_000

/**
 * The other pages of a list as a `Link` header (RFC 8288), relative to the server; undefined for a response without pages, and if
 * long parameters would make the header too long for clients.
 * @param url is the target of the request: a path or an absolute URL (RFC 9112 section 3.2), and a query string; `base` is the path before
 *   that of the target, as the client knows it.
 * @param parameters are the names of the parameters that the route knows. The links repeat no others.
 */
export function pageLinks(
  { base, url }: { base: string; url: string },
  { page, limit, total }: Envelope['meta'],
  parameters: readonly string[],
): string | undefined {
  if (typeof page !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return undefined
  const last = Math.max(1, Math.ceil(total / limit))
  const start = base + startOfLink(url, parameters)
  const link = (relation: string, number: number) => `<${start}${number}>; rel="${relation}"`
  const links = [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ].join(', ')
  return links.length <= MAX_LINK_LENGTH ? links : undefined
}

/** A URL that is the same after parsing and printing. To parse one takes 20 µs. */
const PLAIN_URL = /^\/[\w-][\w/-]*(\?([\w-]+=[\w.*-]*(&(?=\w)|$))*)?$/

/** The URL of a page up to its number. */
function startOfLink(url: string, parameters: readonly string[]): string {
  const isOther = (name: string) => name !== 'page' && parameters.includes(name)
  if (PLAIN_URL.test(url)) {
    const [path = '', query = ''] = url.split('?')
    const kept = query.split('&').filter((pair) => isOther(pair.slice(0, pair.indexOf('='))))
    return `${path}?${kept.map((pair) => `${pair}&`).join('')}page=`
  }
  const { pathname } = new URL(url, 'http://localhost')
  const query = new URLSearchParams(queryStringOf(url))
  for (const name of new Set(query.keys())) if (!isOther(name)) query.delete(name)
  return `${pathname}?${query}${query.size > 0 ? '&' : ''}page=`
}

/** A response body, its `meta`, and the log of the reads on which it depends. */
interface Represented {
  body: RawJson
  meta: Envelope['meta']
  readLog: ReadLog | undefined
}

/** A media type of a route, and the function that makes the response in it. */
export interface Representation {
  mediaType: string
  contentType: string
  /** @throws a `CatalogError` */
  respond: (readCatalog: ReadCatalog, variables: Record<string, unknown>) => Promise<Represented>
}

/** What makes the responses of a route. The suggestions of /mcp are no route of REST, and have only this. */
export interface ResponseSource {
  operation: string
  /** The path of the resource in the operation's result. */
  resource: readonly [string, ...string[]]
  envelope: (resource: unknown) => Envelope
  /** Whether the list is also GeoJSON, for lists of places. */
  hasFeatures?: boolean
}

/** The representations of a route; the first is the default. Call it once for each route: it prepares the route's operation. */
export function representationsOf(route: ResponseSource): [Representation, ...Representation[]] {
  const json = represent('application/json', 'application/json; charset=utf-8', route, 'rest', route.envelope)
  return route.hasFeatures ? [json, represent(GEOJSON, GEOJSON, route, 'geojson', featureCollection)] : [json]
}

function represent<Body extends { meta: Envelope['meta'] }>(
  mediaType: string,
  contentType: string,
  { operation, resource }: ResponseSource,
  form: NodeForm,
  toBody: (resource: unknown) => Body,
): Representation {
  const prepared = prepareDocument(operation, { form })
  if ('errors' in prepared)
    throw new GraphQLError(`The operation of a route is not valid: ${prepared.errors.join('; ')}`)
  return {
    mediaType,
    contentType,
    respond: async (readCatalog, variables) => {
      const { print, readLog, ...result } = await execute(prepared, { variables }, readCatalog)
      const body = toBody(find(result, resource))
      return { body: print(body), meta: body.meta, readLog }
    },
  }
}

function find({ data, errors }: ExecutionResult, resource: ResponseSource['resource']): unknown {
  const [error] = errors ?? []
  if (error) throw catalogErrorOf(error)
  return resource.reduce<unknown>((value, member) => membersOf(value)[member], data)
}
