import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { isRawImageField, isRawItemField, type RawItem } from '../catalog/item-columns.ts'

/*
 * Which selections on an item are plain: fields by their own names, each once, under no condition. What is asked for so
 * is known before the first item is read, and PostgreSQL can write it as it goes out.
 */

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** The fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Stands for a page's nodes where PostgreSQL writes them. */
export const WRITTEN_FIELD = 'writtenNodes'

const written = new WeakMap<FieldNode, RawItem>()

/** Notes what is to be written for a field. */
export function markWritten(field: FieldNode, members: RawItem): FieldNode {
  written.set(field, members)
  return field
}

/** What is to be written of a page's nodes, if so. */
export function markedMembers({ selections }: SelectionSetNode): RawItem | undefined {
  const field = selections.find((selection) => selection.kind === Kind.FIELD && selection.name.value === WRITTEN_FIELD)
  return field?.kind === Kind.FIELD ? written.get(field) : undefined
}

/** The members of the items that a selection asks for, or undefined where it is not plain. */
export function plainMembers(set: SelectionSetNode, fragments: Fragments): RawItem | undefined {
  return membersOfItem(set, fragments, true)
}

function membersOfItem(set: SelectionSetNode, fragments: Fragments, mayHaveParent: boolean): RawItem | undefined {
  return each(plainFields(set, fragments), ({ name: { value: name }, selectionSet }) => {
    if (!selectionSet) return isRawItemField(name) ? name : undefined
    if (name === 'images') {
      const images = each(plainFields(selectionSet, fragments), (field) =>
        isRawImageField(field.name.value) ? field.name.value : undefined,
      )
      return images && { images }
    }
    // Parents of parents are read one generation after the other.
    const parent = name === 'parent' && mayHaveParent ? membersOfItem(selectionSet, fragments, false) : undefined
    return parent && { parent }
  })
}

/** The fields of a selection in the order of the answer, or undefined where one of them is not plain. */
function plainFields(set: SelectionSetNode, fragments: Fragments): FieldNode[] | undefined {
  const fields = new Map<string, FieldNode>()
  // A fragment that is spread again adds nothing; following it again and again could take for ever.
  const seenFragments = new Set<string>()
  const add = (selections: SelectionSetNode['selections']): boolean =>
    selections.every((selection) => {
      if (selection.directives?.length) return false
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (seenFragments.has(selection.name.value)) return true
        seenFragments.add(selection.name.value)
      }
      if (selection.kind !== Kind.FIELD) {
        const inside = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
        // Whatever type it is on, an item is of it: other fragments are invalid here.
        return inside !== undefined && !inside.directives?.length && add(inside.selectionSet.selections)
      }
      const name = selection.name.value
      const isFirst = !fields.has(name)
      if (isFirst) fields.set(name, selection)
      return !selection.alias && !selection.arguments?.length && (isFirst || !selection.selectionSet)
    })
  return add(set.selections) ? [...fields.values()] : undefined
}

function each<From, To>(list: readonly From[] | undefined, make: (from: From) => To | undefined): To[] | undefined {
  const made = list?.map(make)
  return made?.every((value) => value !== undefined) ? made : undefined
}
