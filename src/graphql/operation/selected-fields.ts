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
 * counts as selected.
 */

/** The fragments of a document by name. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Fields in which a list has its total, and others that need no item. */
const TOTALS = ['total', 'totalCount']
const FIELDS_WITHOUT_ITEMS = [...TOTALS, 'page', 'limit', '__typename']

/** The fields whose values PostgreSQL writes (written-fields.ts), and what it writes for each. */
export type WrittenFields = ReadonlyMap<FieldNode, ItemProjection>

/** What each field of a document reads. The nodes of a document are the same objects in each request, and a node always selects the same. */
export class Projections {
  readonly #written: WrittenFields
  readonly #ofLists = new Map<FieldNode, ListProjection>()

  constructor(written: WrittenFields) {
    this.#written = written
  }

  /** The projection of the list that the resolver with this `info` returns: a page, a connection, or the items themselves. */
  ofList(info: GraphQLResolveInfo): ListProjection {
    const [node, ...others] = info.fieldNodes
    if (!node || others.length > 0) return findProjection(info, this.#written)
    const projection = this.#ofLists.get(node) ?? findProjection(info, this.#written)
    this.#ofLists.set(node, projection)
    return projection
  }

  /** The projection of the item that the resolver with this `info` returns. */
  ofItem({ fieldNodes: [node] }: GraphQLResolveInfo): ItemProjection {
    return (node && this.#written.get(node)) ?? ALL_COLUMNS
  }
}

function findProjection(
  { fieldNodes, fragments, returnType }: GraphQLResolveInfo,
  written: WrittenFields,
): ListProjection {
  const sets = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const names = [...selectFields(sets, fragments).fields.keys()]
  const recordsOfList = () =>
    recordsWith(requestedFields(itemSetsOf(getNamedType(returnType), sets, fragments), fragments))
  const needsItems = names.some((name) => !FIELDS_WITHOUT_ITEMS.includes(name))
  return {
    total: names.some((name) => TOTALS.includes(name)),
    nodes: jsonOfList(sets, written) ?? (needsItems ? recordsOfList() : undefined),
  }
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

function jsonOfList(sets: readonly SelectionSetNode[], written: WrittenFields): ItemProjection | undefined {
  for (const selection of sets.flatMap(({ selections }) => selections)) {
    const projection = selection.kind === Kind.FIELD ? written.get(selection) : undefined
    if (projection) return projection
  }
  return undefined
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
export function membersOfItem(sets: readonly SelectionSetNode[], fragments: Fragments, depth = 0): Members | undefined {
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
export function membersOfFound(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  isFlat: boolean,
): Members | undefined {
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
