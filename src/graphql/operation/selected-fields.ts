import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  type InlineFragmentNode,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import {
  ALL_COLUMNS,
  type ItemProjection,
  isWritable,
  type ListProjection,
  type Member,
  type Members,
  type RequestedFields,
  recordsWith,
} from '../../catalog/projection.ts'

/*
 * Finds which parts of a list a query selects, so that the SQL statement reads nothing else. A field under @skip or @include
 * counts as selected. If a query selects only plain fields of a page's items, or of `item`, PostgreSQL writes them as JSON. This saves half
 * of the time of a response (test/bench): graphql-js does not complete each field of each item, and JSON.stringify does not print them.
 */

/** The fragments of a document by name. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** The form of a list's nodes: of GraphQL, of REST, where the distance is a member of the item, or features of GeoJSON. */
export type NodeForm = 'graphql' | 'rest' | 'geojson'

/** Fields in which a list has its total, and others that need no item. */
const TOTALS = ['total', 'totalCount']
const FIELDS_WITHOUT_ITEMS = [...TOTALS, 'page', 'limit', '__typename']

/** What each field of a document reads. The nodes of a document are the same objects in each request, and a node always selects the same. */
export class Projections {
  readonly #form: NodeForm
  readonly #known = new Map<FieldNode, ListProjection>()

  constructor(form: NodeForm) {
    this.#form = form
  }

  /** The projection of the list that the resolver with this `info` returns: a page, a connection, or the items themselves. */
  ofList(info: GraphQLResolveInfo): ListProjection {
    return this.#find(info, listProjection)
  }

  /** The projection of the item that the resolver with this `info` returns. */
  ofItem(info: GraphQLResolveInfo): ItemProjection {
    return this.#find(info, itemProjection).nodes ?? ALL_COLUMNS
  }

  #find(info: GraphQLResolveInfo, project: typeof listProjection): ListProjection {
    const [node, ...others] = info.fieldNodes
    const known = node && others.length === 0 ? this.#known.get(node) : undefined
    if (known) return known
    const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const projection = project(sets, info, this.#form)
    if (node && others.length === 0) this.#known.set(node, projection)
    return projection
  }
}

function itemProjection(sets: readonly SelectionSetNode[], { fragments }: GraphQLResolveInfo, form: NodeForm) {
  return { total: false, nodes: writtenAs(form, membersOfItem(sets, fragments)) }
}

function listProjection(
  sets: readonly SelectionSetNode[],
  { fragments, returnType }: GraphQLResolveInfo,
  form: NodeForm,
): ListProjection {
  const type = getNamedType(returnType)
  const { fields } = selectFields(sets, fragments)
  const names = [...fields.keys()]
  const members = membersOfNodes(type.name, fields.get('nodes') ?? [], fragments, form)
  const recordsOfList = () => recordsWith(requestedFields(itemSetsOf(type, sets, fragments), fragments))
  const needsItems = names.some((name) => !FIELDS_WITHOUT_ITEMS.includes(name))
  return {
    total: names.some((name) => TOTALS.includes(name)),
    nodes: writtenAs(form, members) ?? (needsItems ? recordsOfList() : undefined),
  }
}

/** What PostgreSQL writes of the nodes of a page; undefined if resolvers read them. Each `nodes` of a page may have other members. */
function membersOfNodes(
  pageType: string,
  nodes: readonly SelectionSetNode[],
  fragments: Fragments,
  form: NodeForm,
): Members | undefined {
  if (nodes.length !== 1) return undefined
  if (pageType === 'ItemPage') return membersOfItem(nodes, fragments)
  // In GraphQL, a search without a point has a distance that is null, which PostgreSQL does not write.
  const isFound = pageType === 'NearbyItemPage' || (pageType === 'FoundItemPage' && form !== 'graphql')
  return isFound ? membersOfFound(nodes, fragments, form !== 'graphql') : undefined
}

/** The members of GeoJSON that are not properties. */
const GEOMETRY: readonly unknown[] = ['id', 'latitude', 'longitude']

function writtenAs(form: NodeForm, members: Members | undefined): ItemProjection | undefined {
  if (!members || form !== 'geojson') return members && { members, form: 'json' }
  return { members: members.filter((member) => !GEOMETRY.includes(member)), form: 'features' }
}

/** What a query selects of the items of a list, wherever the list has them. */
function itemSetsOf(
  type: GraphQLNamedType,
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): readonly SelectionSetNode[] {
  if (type.name === 'Item') return sets
  const definitions = isObjectType(type) ? type.getFields() : {}
  return [...selectFields(sets, fragments).fields].flatMap(([name, subSets]) => {
    const definition = definitions[name]
    return definition ? itemSetsOf(getNamedType(definition.type), subSets, fragments) : []
  })
}

/** The list's statement reads this many generations of parents. Each further generation takes another statement. */
const MAX_PARENT_DEPTH = 1

/** The fields of an item, of its images and of its parent that a query selects. */
function requestedFields(sets: readonly SelectionSetNode[], fragments: Fragments, depth = 0): RequestedFields {
  const { fields } = selectFields(sets, fragments, 'Item')
  const images = fields.get('images')
  const parent = depth < MAX_PARENT_DEPTH ? fields.get('parent') : undefined
  return {
    fields: [...fields.keys()].sort(),
    images: images && [...selectFields(images, fragments, 'Image').fields.keys()].sort(),
    parent: parent && requestedFields(parent, fragments, depth + 1),
  }
}

/**
 * The members of an item in the order of the response. Undefined if PostgreSQL can't write the item in the form of the response
 * (aliases, arguments, directives, fields that need a resolver).
 */
function membersOfItem(sets: readonly SelectionSetNode[], fragments: Fragments, depth = 0): Members | undefined {
  const { fields, isPlain } = selectFields(sets, fragments, 'Item')
  const memberOf = ([name, subSets]: [string, readonly SelectionSetNode[]]): Member | undefined => {
    if (subSets.length === 0) return isWritable('Item', name) ? name : undefined
    if (name === 'parent') {
      const parent = depth < MAX_PARENT_DEPTH ? membersOfItem(subSets, fragments, depth + 1) : undefined
      return parent && { parent }
    }
    const images = name === 'images' ? membersOfRelated('Image', subSets, fragments) : undefined
    const dataset = name === 'dataset' ? membersOfRelated('Dataset', subSets, fragments) : undefined
    return images ? { images } : dataset && { dataset }
  }
  return isPlain ? allDefined([...fields].map(memberOf)) : undefined
}

function membersOfRelated(
  model: 'Image' | 'Dataset',
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): readonly string[] | undefined {
  const { fields, isPlain } = selectFields(sets, fragments, model)
  const names = [...fields.keys()]
  return isPlain && names.every((name) => isWritable(model, name)) ? names : undefined
}

/**
 * The members of a found item; undefined if PostgreSQL can't write it in the form of the response.
 * @param isFlat is whether the distance is a member of the item, as in REST
 */
function membersOfFound(sets: readonly SelectionSetNode[], fragments: Fragments, isFlat: boolean): Members | undefined {
  const { fields, isPlain } = selectFields(sets, fragments)
  const membersOf = ([name, subSets]: [string, readonly SelectionSetNode[]]): Members | undefined => {
    if (name === 'distance') return [name]
    const item = name === 'item' ? membersOfItem(subSets, fragments) : undefined
    return item && !isFlat ? [{ item }] : item
  }
  return isPlain ? allDefined([...fields].map(membersOf))?.flat() : undefined
}

interface SelectedFields {
  /** The selection sets of each field by its name, in the order of the response. */
  fields: Map<string, SelectionSetNode[]>
  /** Whether no field has an alias, an argument or a directive, and no field with sub-fields occurs twice. */
  isPlain: boolean
}

/** The types of the interface `Node`. In a fragment on `Node`, a fragment on another of these types does not apply. */
export const NODE_TYPES: readonly string[] = ['Dataset', 'Item', 'Image']

/** The fields that selection sets on one object select, with fragments expanded. `type` is the object's type if it is a `Node`. */
function selectFields(sets: readonly SelectionSetNode[], fragments: Fragments, type?: string): SelectedFields {
  const fields = new Map<string, SelectionSetNode[]>()
  let isPlain = true
  // Expanding a fragment again adds nothing, and could take exponential time.
  const expanded = new Set<string>()
  const addFragment = ({ typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode): void => {
    const condition = typeCondition?.name.value
    const isOnOther =
      type !== undefined && condition !== undefined && condition !== type && NODE_TYPES.includes(condition)
    if (!isOnOther) add(selectionSet)
  }
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.directives?.length) isPlain = false
      if (selection.kind === Kind.FIELD) addField(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) addFragment(selection)
      else if (!expanded.has(selection.name.value)) {
        expanded.add(selection.name.value)
        const fragment = fragments[selection.name.value]
        if (fragment?.directives?.length) isPlain = false
        if (fragment) addFragment(fragment)
      }
    }
  }
  const addField = ({ name, alias, arguments: args, selectionSet }: FieldNode): void => {
    const before = fields.get(name.value)
    if (alias || args?.length || (before && selectionSet)) isPlain = false
    fields.set(name.value, [...(before ?? []), ...(selectionSet ? [selectionSet] : [])])
  }
  sets.forEach(add)
  return { fields, isPlain }
}

function allDefined<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined
}
