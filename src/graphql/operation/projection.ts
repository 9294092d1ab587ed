import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type InlineFragmentNode,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { type ItemProjection, isRawField, type RawItem, type RawNearby } from '../../catalog/item-columns.ts'
import type { ListProjection } from '../../catalog/projection.ts'

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

/** The field that replaces `nodes` of a page where PostgreSQL writes the items as JSON (raw-json.ts). */
export const RAW_NODES = 'rawNodes'
/** The same for items near a point in the form of REST: the distance is a member of the item. */
export const RAW_FLAT_NODES = 'rawFlatNodes'

/** The fields in which a page or connection has its items and its total. */
export interface ListShape {
  /** Each path leads from the list to its items. */
  items: readonly (readonly [string, ...string[]])[]
  total: string
}

/** Fields that need no item. */
const FIELDS_WITHOUT_ITEMS = new Set(['page', 'limit', '__typename'])

/** A cache. It works because documents are prepared once: their nodes are the same objects in each request. */
const projections = new WeakMap<FieldNode, ListProjection>()

/** The projection of the list that the resolver with this `info` returns. */
export function listProjection(info: GraphQLResolveInfo, shape: ListShape): ListProjection {
  const [node] = info.fieldNodes
  const known = node && info.fieldNodes.length === 1 ? projections.get(node) : undefined
  if (known) return known
  const { fragments } = info
  const list = selectFields(setsOf(info.fieldNodes), fragments).fields
  const flat = list.get(RAW_FLAT_NODES)
  const raw = flat ?? list.get(RAW_NODES)
  const rawJson = raw && projectItem(raw, fragments).rawJson
  const rawNearby = raw && projectNearby(raw, fragments, flat !== undefined)
  const itemSets = shape.items.flatMap((path) => follow(list, path, fragments))
  const needsItems = [...list.keys()].some((name) => name !== shape.total && !FIELDS_WITHOUT_ITEMS.has(name))
  const projection: ListProjection = {
    total: list.has(shape.total),
    ...(rawNearby
      ? { rawNearby }
      : rawJson
        ? { rawJson }
        : needsItems && { nodes: projectItem(itemSets, fragments).projection }),
  }
  if (node && info.fieldNodes.length === 1) projections.set(node, projection)
  return projection
}

/** A cache like `projections`. */
const rawItems = new WeakMap<FieldNode, RawItem>()

/** The members of the item that PostgreSQL writes for the field with this `info` (raw-json.ts). */
export function rawItemOf({ fieldNodes, fragments }: GraphQLResolveInfo): RawItem {
  const [node] = fieldNodes
  const known = node && rawItems.get(node)
  if (known) return known
  const { rawJson } = projectItem(setsOf(fieldNodes), fragments)
  if (!node || !rawJson) throw new TypeError('PostgreSQL cannot write the item')
  rawItems.set(node, rawJson)
  return rawJson
}

/** The list's statement reads this many generations of parents. Each further generation takes another statement. */
const MAX_PARENT_DEPTH = 1

/**
 * The projection of an item. `rawJson` lists its members in the order of the response. It is undefined if PostgreSQL can't write
 * the item in the form of the response (aliases, arguments, directives, fields that need a resolver).
 */
export function projectItem(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  depth = 0,
): { projection: ItemProjection; rawJson: RawItem | undefined } {
  const { fields, isPlain } = selectFields(sets, fragments, 'Item')
  const imageSets = fields.get('images')
  const parentSets = depth < MAX_PARENT_DEPTH ? fields.get('parent') : undefined
  const images = imageSets && selectFields(imageSets, fragments, 'Image')
  const parent = parentSets && projectItem(parentSets, fragments, depth + 1)

  const rawMember = ([name, subSets]: [string, readonly SelectionSetNode[]]): RawItem[number] | undefined => {
    if (subSets.length === 0) return isRawField('Item', name) ? name : undefined
    if (name === 'parent') return parent?.rawJson && { parent: parent.rawJson }
    const related = selectFields(subSets, fragments, name === 'images' ? 'Image' : 'Dataset')
    const names = [...related.fields.keys()]
    if (!related.isPlain) return undefined
    if (name === 'images') return names.every((field) => isRawField('Image', field)) ? { images: names } : undefined
    const isRawDataset = name === 'dataset' && names.every((field) => isRawField('Dataset', field))
    return isRawDataset ? { dataset: names } : undefined
  }
  return {
    projection: {
      fields: [...fields.keys()].sort(),
      ...(images && { images: [...images.fields.keys()].sort() }),
      ...(parent && { parent: parent.projection }),
    },
    rawJson: isPlain ? allDefined([...fields].map(rawMember)) : undefined,
  }
}

/** The members of an item near a point; undefined if PostgreSQL can't write it in the form of the response. */
export function projectNearby(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  isFlat: boolean,
): RawNearby | undefined {
  const { fields, isPlain } = selectFields(sets, fragments)
  const rawMember = ([name, subSets]: [string, readonly SelectionSetNode[]]):
    | RawNearby['members'][number]
    | undefined => {
    if (name === 'distance') return name
    const item = name === 'item' ? projectItem(subSets, fragments).rawJson : undefined
    return item && { item }
  }
  const members = isPlain ? allDefined([...fields].map(rawMember)) : undefined
  return members && { members, isFlat }
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

function follow(
  fields: SelectedFields['fields'],
  [name = '', ...rest]: readonly string[],
  fragments: Fragments,
): SelectionSetNode[] {
  const sets = fields.get(name) ?? []
  return rest.length === 0 ? sets : follow(selectFields(sets, fragments).fields, rest, fragments)
}

function setsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}

function allDefined<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined
}
