import { MAX_LIMIT } from '../../catalog/arguments.ts'
import { GEOJSON } from '../rest/envelope.ts'
import { REST_ROUTES, type RestRoute } from '../rest/routes.ts'
import { type DefineSchema, type Json, objectOf, refTo } from './components.ts'
import { type Member, membersOf, optionalOf, propertiesOf, recordOf, resourceOf } from './members.ts'
import { ACCESS_CODES, COMMON_CODES, headersOf, type Operation, SUCCESS_HEADERS } from './operations.ts'
import { parametersOf } from './parameters.ts'

/*
 * The operations of the REST routes. Records, envelopes, `meta` and features have names, so that generated types have them too.
 */

/** The operations of all REST routes. */
export function restOperations(define: DefineSchema): Operation[] {
  return REST_ROUTES.map((route): Operation => {
    const { name, tag, path, summary, description, query, pathParameters, parameters } = route
    const mayBeDenied = Object.keys(pathParameters).length > 0 || Object.hasOwn(query.shape, 'datasetId')
    const isPaged = Object.hasOwn(query.shape, 'page')
    return {
      path,
      about: { operationId: name, tags: [tag], summary, description, parameters: parametersOf(route, parameters) },
      headers: headersOf(SUCCESS_HEADERS),
      ownHeaders: headersOf([isPaged ? 'Link' : [], path.startsWith('/v1/') ? 'Ignored-Parameters' : []].flat()),
      content: contentOf(route, define),
      codes: [...COMMON_CODES, ...(mayBeDenied ? ACCESS_CODES : [])],
    }
  })
}

/** The schema of each representation of a route's response (envelope.ts). */
function contentOf(route: RestRoute, define: DefineSchema): Json {
  const { record, query, hasFeatures } = route
  const resource = resourceOf(route)
  const members = membersOf(resource)
  const nodes = members.find(({ name }) => name === 'nodes')
  const meta = metaOf(propertiesOf(nodes ? members.filter((member) => member !== nodes) : [], define), define)
  if (!nodes) {
    const envelope = objectOf({ data: recordOf(resource, define, record), meta })
    return { 'application/json': { schema: define(`${record}Response`, envelope) } }
  }
  const listOf = (items: Json): Json => ({
    type: 'array',
    description: nodes.description,
    items,
    ...(Object.hasOwn(query.shape, 'limit') && { maxItems: MAX_LIMIT }),
  })
  const envelope = objectOf({ data: listOf(recordOf(nodes, define, record)), meta })
  const schema = define(`${record}ListResponse`, envelope)
  return {
    'application/json': { schema },
    ...(hasFeatures && { [GEOJSON]: { schema: featuresOf(record, nodes, listOf, meta, define) } }),
  }
}

/** The schema of a FeatureCollection: coordinates become the geometry, other members the properties. */
function featuresOf(record: string, nodes: Member, listOf: (items: Json) => Json, meta: Json, define: DefineSchema) {
  const { id = {}, latitude: _, longitude: __, ...others } = propertiesOf(membersOf(nodes), define)
  const properties = objectOf(others, 'The members of the item without its position.', optionalOf(nodes))
  const feature = {
    type: constant('Feature'),
    id,
    geometry: refTo('schemas', 'GeoJsonPoint'),
    properties: define(`${record}Properties`, properties),
  }
  const features = listOf(define(`${record}Feature`, objectOf(feature, 'An item as a GeoJSON feature (RFC 7946).')))
  const description = 'A page of items as GeoJSON (RFC 7946). `meta` is a foreign member.'
  const collection = objectOf({ type: constant('FeatureCollection'), features, meta }, description)
  return define(`${record}FeatureCollection`, collection)
}

/** `type` beside `const`, because some generators make nothing of `const` alone. */
function constant(value: string): Json {
  return { type: 'string', const: value }
}

function metaOf(members: Record<string, Json>, define: DefineSchema): Json {
  const { page, total } = members
  if (!total) return refTo('schemas', 'EmptyMeta')
  if (!page) return define('ListMeta', objectOf(members, 'The number of records in the list.'))
  const description = 'Number of items on all pages.'
  const counted = { ...members, total: { ...total, description } }
  return define('PageMeta', objectOf(counted, 'The page, and the number of items on all pages.'))
}
