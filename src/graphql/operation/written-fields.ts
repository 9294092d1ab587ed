import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ItemProjection, Members } from '../../catalog/projection.ts'
import { type Fragments, membersOfFound, membersOfItem, type WrittenFields } from './selected-fields.ts'

/*
 * If a query selects only plain fields of a page's items, PostgreSQL writes the value of `nodes` as JSON, and in the same way that of
 * `item`. This saves half of the time of a response (test/bench): graphql-js does not complete each field of each item, and
 * JSON.stringify does not print them.
 */

/** The form of a list's nodes: of GraphQL, of REST, where the distance is a member of the item, or features of GeoJSON. */
export type NodeForm = 'graphql' | 'rest' | 'geojson'

/** Finds the fields of a document whose values PostgreSQL can write. */
export function findWritten(
  document: DocumentNode,
  schema: GraphQLSchema,
  fragments: Fragments,
  form: NodeForm = 'graphql',
): WrittenFields {
  const written = new Map<FieldNode, ItemProjection>()
  const typeInfo = new TypeInfo(schema)
  const ofItem = (set: SelectionSetNode) => membersOfItem([set], fragments)
  const ofFound = (set: SelectionSetNode) => membersOfFound([set], fragments, form !== 'graphql')
  const add = (field: FieldNode | undefined, toMembers: (set: SelectionSetNode) => Members | undefined) => {
    const members = field?.selectionSet && toMembers(field.selectionSet)
    if (field && members) written.set(field, projectionOf(members, form))
  }
  const enter = (field: FieldNode): undefined => {
    const type = getNamedType(typeInfo.getType())?.name
    if (type === 'ItemPage') add(nodesOf(field), ofItem)
    // In GraphQL, a search without a point has a distance that is null, which PostgreSQL does not write.
    else if (type === 'NearbyItemPage' || (type === 'FoundItemPage' && form !== 'graphql')) add(nodesOf(field), ofFound)
    else if (typeInfo.getParentType()?.name === 'Query' && field.name.value === 'item') add(field, ofItem)
  }
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      // graphql-js merges fields that share a response name, and fragments may add such fields. Resolvers read those parts.
      FragmentDefinition: () => false,
      SelectionSet: (set) => (hasDistinctFields(set) ? undefined : false),
      Field: { enter },
    }),
  )
  return written
}

/** The members of GeoJSON that are not properties. */
const GEOMETRY: readonly unknown[] = ['id', 'latitude', 'longitude']

function projectionOf(members: Members, form: NodeForm): ItemProjection {
  if (form !== 'geojson') return { members, form: 'json' }
  return { members: members.filter((member) => !GEOMETRY.includes(member)), form: 'features' }
}

/** The field `nodes` of a page, if it has it once. */
function nodesOf({ selectionSet }: FieldNode): FieldNode | undefined {
  if (!selectionSet || !hasDistinctFields(selectionSet)) return undefined
  const fields = selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD)
  const nodes = fields.filter(({ name }) => name.value === 'nodes')
  return nodes.length === 1 ? nodes[0] : undefined
}

/** Whether a selection set holds only fields, each with a different response name. */
function hasDistinctFields({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size === selections.length
}
