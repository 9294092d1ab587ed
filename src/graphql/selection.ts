import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import type { ItemProjection } from '../catalog/item-columns.ts'
import type { ListProjection } from '../catalog/projection.ts'
import { markedMembers, WRITTEN_FIELD } from './members.ts'

/*
 * What an operation asks of a list, seen before the list is read, so that no more is read than was asked for. Fields under
 * @skip and @include count as asked for.
 */

/** The fields selected on an object, by name, with what is selected on each. */
type Selected = Map<string, SelectionSetNode[]>

/** A document that is kept is looked at once. */
const seen = new WeakMap<FieldNode, Map<string, ListProjection>>()

/**
 * What is wanted of the list that a resolver is about to give.
 * @param paths lead from the list to its items, a path a way to write them: `nodes`, or `edges`, `node`.
 * @param total is the name of the field for the total.
 */
export function listProjection(info: GraphQLResolveInfo, paths: readonly string[][], total: string): ListProjection {
  const [node] = info.fieldNodes
  const key = paths.map((path) => path.join()).join(' ')
  const known = node && info.fieldNodes.length === 1 ? seen.get(node) : undefined
  const before = known?.get(key)
  if (before) return before
  const list = select(info, setsOf(info.fieldNodes))
  const sets = paths.flatMap((path) => follow(info, list, path))
  const rawJson = node?.selectionSet && markedMembers(node.selectionSet)
  const projection: ListProjection = {
    ...(rawJson && { rawJson }),
    total: list.has(total),
    // Whoever asks for anything but the total needs the items: the ends of a page are items too.
    ...([...list.keys()].some((name) => name !== total && !PAGING.has(name)) && {
      nodes: itemProjection(info, sets, 0),
    }),
  }
  if (node && info.fieldNodes.length === 1) seen.set(node, (known ?? new Map()).set(key, projection))
  return projection
}

/** What a page says of itself without being read. */
const PAGING = new Set(['page', 'limit', '__typename', WRITTEN_FIELD])

/** Parents of parents are read one generation after the other. */
const MAX_GENERATIONS = 1

function itemProjection(
  info: GraphQLResolveInfo,
  sets: readonly SelectionSetNode[],
  generation: number,
): ItemProjection {
  const selected = select(info, sets)
  const images = selected.get('images')
  const parent = selected.get('parent')
  return {
    fields: [...selected.keys()].sort(),
    ...(images && { images: [...select(info, images).keys()].sort() }),
    ...(parent && generation < MAX_GENERATIONS && { parent: itemProjection(info, parent, generation + 1) }),
  }
}

function follow(info: GraphQLResolveInfo, from: Selected, path: readonly string[]): SelectionSetNode[] {
  const [name = '', ...rest] = path
  const sets = from.get(name) ?? []
  return rest.length === 0 ? sets : follow(info, select(info, sets), rest)
}

function select(info: GraphQLResolveInfo, sets: readonly SelectionSetNode[]): Selected {
  const selected: Selected = new Map()
  // A fragment that is spread again adds nothing; following it again and again could take for ever.
  const seenFragments = new Set<string>()
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value
        selected.set(name, [...(selected.get(name) ?? []), ...setsOf([selection])])
      } else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet)
      else if (!seenFragments.has(selection.name.value)) {
        seenFragments.add(selection.name.value)
        const fragment = info.fragments[selection.name.value]
        if (fragment) add(fragment.selectionSet)
      }
    }
  }
  sets.forEach(add)
  return selected
}

function setsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}
