import { getNamedType, Kind } from 'graphql'
import { MAX_LIMIT } from '../../catalog/arguments.ts'
import type { RestRoute } from '../routes.ts'
import { type DefineSchema, type Json, objectOf } from './components.ts'
import { fieldOf, membersOf, OPTIONAL_MEMBERS, type Resource, resourceOf } from './members.ts'

/*
 * The schema of each route's response. Records, envelopes, `meta` and features have names, so that generated types have them too.
 */

/** The list of a route: the GraphQL field of its records, and its other members, which become `meta`. */
interface List {
  nodes: Resource
  meta: Json
}

/** The schema of a route's envelope (envelope.ts). */
export function envelopeOf(route: RestRoute, define: DefineSchema): Json {
  const resource = resourceOf(route)
  const list = listOf(resource, define)
  if (!list) {
    const envelope = { data: recordOf(route, resource, define), meta: metaOf({}, define) }
    return define(`${route.record}Response`, objectOf(envelope))
  }
  const data = {
    type: 'array',
    description: list.nodes.field.description ?? '',
    items: recordOf(route, list.nodes, define),
    ...maxItemsOf(route),
  }
  return define(`${route.record}ListResponse`, objectOf({ data, meta: list.meta }))
}

/** The schema of a route's FeatureCollection (envelope.ts): coordinates become the geometry, other members the properties. */
export function featuresOf(route: RestRoute, define: DefineSchema): Json {
  const list = listOf(resourceOf(route), define)
  if (!list) throw new TypeError('Only lists have features')
  const { field, node } = list.nodes
  const members = membersOf(field.type, node.selectionSet, define)
  const { id = {}, latitude: _latitude, longitude: _longitude, ...properties } = members
  const feature = {
    type: constant('Feature'),
    id,
    geometry: define('GeoJsonPoint', POINT),
    properties: define(
      `${route.record}Properties`,
      objectOf(properties, 'The members of the item without its position.', optionalMembersOf(list.nodes)),
    ),
  }
  const collection = {
    type: constant('FeatureCollection'),
    features: {
      type: 'array',
      description: field.description ?? '',
      items: define(`${route.record}Feature`, objectOf(feature, 'An item as a GeoJSON feature (RFC 7946).')),
      ...maxItemsOf(route),
    },
    meta: list.meta,
  }
  const description = 'A page of items as GeoJSON (RFC 7946). `meta` is a foreign member.'
  return define(`${route.record}FeatureCollection`, objectOf(collection, description))
}

const POINT: Json = objectOf(
  {
    type: constant('Point'),
    coordinates: {
      type: 'array',
      description: 'Longitude and latitude, in degrees.',
      items: { type: 'number', format: 'double' },
      minItems: 2,
      maxItems: 2,
      examples: [[126.977041, 37.579617]],
    },
  },
  'A GeoJSON point (RFC 7946).',
)

/** `type` beside `const`, because some generators make nothing of `const` alone. */
function constant(value: string): Json {
  return { type: 'string', const: value }
}

/** The route's list; undefined if its resource is one record. */
function listOf(resource: Resource, define: DefineSchema): List | undefined {
  const { field, node } = resource
  const others = node.selectionSet?.selections.filter(
    (child) => child.kind === Kind.FIELD && child.name.value !== 'nodes',
  )
  if (!others || others.length === node.selectionSet?.selections.length) return undefined
  const meta = membersOf(field.type, { kind: Kind.SELECTION_SET, selections: others }, define)
  return { nodes: fieldOf(resource, 'nodes'), meta: metaOf(meta, define) }
}

function recordOf({ record }: RestRoute, { field, node }: Resource, define: DefineSchema): Json {
  const { description } = getNamedType(field.type)
  const members = membersOf(field.type, node.selectionSet, define)
  return define(record, objectOf(members, description ?? '', optionalMembersOf({ field })))
}

function optionalMembersOf({ field }: Pick<Resource, 'field'>): readonly string[] {
  return OPTIONAL_MEMBERS[getNamedType(field.type).name] ?? []
}

function metaOf(members: Record<string, Json>, define: DefineSchema): Json {
  if (members.page) {
    const total = { ...members.total, description: 'Number of items on all pages.' }
    return define('PageMeta', objectOf({ ...members, total }, 'The page, and the number of items on all pages.'))
  }
  if (members.total) return define('ListMeta', objectOf(members, 'The number of records in the list.'))
  return define('EmptyMeta', objectOf(members, 'A single record has no `meta` members.'))
}

function maxItemsOf({ query }: RestRoute): Json {
  return Object.hasOwn(query.shape, 'limit') ? { maxItems: MAX_LIMIT } : {}
}
