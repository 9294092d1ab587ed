import { type ExecutionResult, GraphQLError } from 'graphql'
import type { ReadLog } from '../catalog/snapshot/read-log.ts'
import type { ReadCatalog } from '../catalog/snapshot-reader.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import { type PrepareOptions, prepareDocument } from '../graphql/operation/documents.ts'
import { execute } from '../graphql/operation/execute.ts'
import { type Envelope, featureCollection, GEOJSON, membersOf } from './envelope.ts'
import type { RestRoute } from './routes.ts'

/** A response body as text, its `meta`, and the log of the reads on which it depends. */
interface Represented {
  body: string
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

/** The parts of a route that its responses need. The suggestions of /mcp are no route of REST, and have only these parts. */
type ResponseSource = Pick<RestRoute, 'operation' | 'resource' | 'envelope' | 'hasFeatures'>

/** The representations of a route; the first is the default. Call it once for each route: it prepares the route's operation. */
export function representationsOf(
  route: ResponseSource,
  options: PrepareOptions,
): [Representation, ...Representation[]] {
  return [
    represent(
      'application/json',
      'application/json; charset=utf-8',
      route,
      { ...options, form: 'rest' },
      route.envelope,
    ),
    ...(route.hasFeatures
      ? [represent(GEOJSON, GEOJSON, route, { usesRawJson: true, form: 'geojson' }, featureCollection)]
      : []),
  ]
}

function represent<Body extends { meta: Envelope['meta'] }>(
  mediaType: string,
  contentType: string,
  { operation, resource }: ResponseSource,
  options: PrepareOptions,
  toBody: (resource: unknown) => Body,
): Representation {
  const prepared = prepareDocument(operation, options)
  if ('errors' in prepared)
    throw new GraphQLError(`The operation of a route is not valid: ${prepared.errors.join('; ')}`)
  return {
    mediaType,
    contentType,
    respond: async (readCatalog, variables) => {
      const { result, print, readLog } = await execute(prepared, { variables }, readCatalog)
      const body = toBody(find(result, resource))
      return { body: print(body), meta: body.meta, readLog }
    },
  }
}

function find({ data, errors }: ExecutionResult, resource: RestRoute['resource']): unknown {
  const [error] = errors ?? []
  if (error) throw catalogErrorOf(error)
  return resource.reduce<unknown>((value, member) => membersOf(value)[member], data)
}
