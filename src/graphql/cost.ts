import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'

/** What an operation may come to: fields in its answer, weighed by what they ask of the database. */
export interface OperationSize {
  cost: number
  /** Levels of fields; introspection is bounded by GraphQL's own rule. */
  depth: number
}

/** A search, a count or a list is a statement of its own; what lies in memory is next to nothing. */
const WEIGHTS: Record<string, number> = {
  nearbyItems: 500,
  itemConnection: 10,
  items: 10,
  children: 10,
  total: 5,
  totalCount: 5,
}

/** How many there are taken to be of what has no size in the document: all datasets, all images of an item. */
const ASSUMED_LENGTH: Record<string, number> = { datasets: 20, images: 5 }

const DEFAULT_PAGE_SIZE = 20

interface Operation {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Readonly<Record<string, unknown>>
}

/**
 * Measures a valid operation before it runs: the cost of a field is its weight and the cost of what is selected in it, as
 * often as its page size says. Each fragment is measured once, so the work is bounded by the length of the document.
 */
export function measureOperation(definition: OperationDefinitionNode, operation: Operation): OperationSize {
  const root = operation.schema.getRootType(definition.operation)
  if (!root) return { cost: 0, depth: 0 }
  const variables = { ...defaultVariables(definition), ...operation.variables }
  const known = new Map<string, OperationSize>()

  const measureSelection = (set: SelectionSetNode, type: GraphQLCompositeType): OperationSize => {
    const size: OperationSize = { cost: 0, depth: 0 }
    for (const selection of set.selections) {
      const part =
        selection.kind === Kind.FIELD
          ? measureField(selection, type)
          : selection.kind === Kind.FRAGMENT_SPREAD
            ? measureFragment(selection.name.value)
            : measureSelection(selection.selectionSet, typeNamed(selection.typeCondition?.name.value, type))
      size.cost += part.cost
      size.depth = Math.max(size.depth, part.depth)
    }
    return size
  }

  const measureField = (node: FieldNode, parent: GraphQLCompositeType): OperationSize => {
    const name = node.name.value
    const field = 'getFields' in parent ? parent.getFields()[name] : undefined
    const type = field && getNamedType(field.type)
    // __schema, __type and __typename come from memory.
    if (!field || !type) return { cost: 1, depth: 1 }
    const weight = WEIGHTS[name] ?? 1
    if (!node.selectionSet || !isCompositeType(type)) return { cost: weight, depth: 1 }
    const inside = measureSelection(node.selectionSet, type)
    return { cost: weight + lengthOf(node, field, variables) * inside.cost, depth: 1 + inside.depth }
  }

  const measureFragment = (name: string): OperationSize => {
    const before = known.get(name)
    if (before) return before
    const fragment = operation.fragments.get(name)
    const size = fragment
      ? measureSelection(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value, root))
      : { cost: 0, depth: 0 }
    known.set(name, size)
    return size
  }

  const typeNamed = (name: string | undefined, otherwise: GraphQLCompositeType): GraphQLCompositeType => {
    const type = name === undefined ? undefined : operation.schema.getType(name)
    return isCompositeType(type) ? type : otherwise
  }

  return measureSelection(definition.selectionSet, root)
}

function defaultVariables({ variableDefinitions = [] }: OperationDefinitionNode): Operation['variables'] {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  )
  return Object.fromEntries(defaults)
}

/** How often what is selected in a field may come: its page size, or the ids that it is given. */
function lengthOf(node: FieldNode, field: GraphQLField<unknown, unknown>, variables: Operation['variables']): number {
  const given = new Map(node.arguments?.map((argument) => [argument.name.value, givenValue(argument.value, variables)]))
  const ids = given.get('ids')
  if (Array.isArray(ids)) return ids.length
  const takes = (name: string) => field.args.some((arg) => arg.name === name)
  if (takes('limit')) return pageSize(given.get('limit'))
  if (takes('first')) return pageSize(given.get('first') ?? given.get('last'))
  return ASSUMED_LENGTH[field.name] ?? 1
}

/** What is no number of items is refused when the field is resolved. */
function pageSize(given: unknown): number {
  return typeof given === 'number' && given > 0 ? given : DEFAULT_PAGE_SIZE
}

function givenValue(node: ValueNode, variables: Operation['variables']): unknown {
  return valueFromASTUntyped(node, { ...variables })
}
