import {
  type FieldNode,
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
import { DEFAULTS, MAX_LIMIT } from '../../catalog/arguments.ts'
import { FILTERS, type Filter, ITEM_FILTERS } from '../../catalog/filters.ts'
import type { Fragments } from './selected-fields.ts'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Cost of the field itself; 1 when absent. A field that needs a separate statement costs more than a value in memory. */
    cost?: number
    /** Number of objects to assume where the document gives no page size; 1 when absent. */
    assumedLength?: number
  }
}

/** The size of an operation before it runs. */
interface OperationSize {
  /** Fields in the response, each weighted by its work for the database. */
  cost: number
  /** Nesting depth of fields. GraphQL's own validation rule limits introspection. */
  depth: number
}

interface Operation {
  schema: GraphQLSchema
  fragments: Fragments
  variables: Readonly<Record<string, unknown>>
}

/** PostgreSQL walks over the items before a page, and takes about as long for a deep one as for a search. */
const DEEP_PAGE = { from: 101, cost: 500 }

/** In place of the values of variables: for the greatest size that an operation has with any variables. */
const ANY = Symbol('any value')

const isDeep = (page: unknown): boolean => page === ANY || (typeof page === 'number' && page >= DEEP_PAGE.from)

/** PostgreSQL reads all items of a filtered list that no index has in its order, and counts them if no trigger does. */
const SCANNED_LIST_COST = 200

/** Whether a list is such a list. Each index of a filter has the order of names. */
function isScanned(field: GraphQLField<unknown, unknown>, given: (name: string) => unknown): boolean {
  if (!field.args.some(({ name }) => name === 'sort')) return false
  const filters: (Filter | undefined)[] = ITEM_FILTERS.filter((name) => given(name) != null).map(
    (name) => FILTERS[name],
  )
  if (given('parentItemId') !== undefined) filters.push(undefined)
  const isByName = (given('sort') ?? 'NAME') === 'NAME'
  return filters.length > 1 || filters.some((filter) => !isByName || (filter && filter.countedAs === undefined))
}

/**
 * Measures a valid operation before it runs. The cost of a field is its own cost plus its page size times the cost of its
 * selections. A deep page costs more. Each fragment is measured once, so the work is linear in the length of the document.
 */
export function measureOperation(definition: OperationDefinitionNode, operation: Operation): OperationSize {
  const variables = { ...defaultVariables(definition), ...operation.variables }
  return measureWith((value) => valueFromASTUntyped(value, variables), definition, operation)
}

/** The greatest size that an operation has with any variables. */
export function greatestSize(
  definition: OperationDefinitionNode,
  operation: Omit<Operation, 'variables'>,
): OperationSize {
  const read = (value: ValueNode) => (value.kind === Kind.VARIABLE ? ANY : valueFromASTUntyped(value))
  return measureWith(read, definition, operation)
}

type ReadValue = (value: ValueNode) => unknown

function measureWith(
  read: ReadValue,
  definition: OperationDefinitionNode,
  operation: Omit<Operation, 'variables'>,
): OperationSize {
  const root = operation.schema.getRootType(definition.operation)
  if (!root) return { cost: 0, depth: 0 }
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
    // __schema, __type and __typename read from memory.
    if (!field || !type) return { cost: 1, depth: 1 }
    const { cost = 1 } = field.extensions
    if (!node.selectionSet || !isCompositeType(type)) return { cost, depth: 1 }
    const inside = measureSelection(node.selectionSet, type)
    const given = (name: string) => {
      const argument = node.arguments?.find((argument) => argument.name.value === name)
      return argument && read(argument.value)
    }
    const more = (isDeep(given('page')) ? DEEP_PAGE.cost : 0) + (isScanned(field, given) ? SCANNED_LIST_COST : 0)
    return { cost: cost + more + lengthOf(field, given) * inside.cost, depth: 1 + inside.depth }
  }

  const measureFragment = (name: string): OperationSize => {
    const before = known.get(name)
    if (before) return before
    const fragment = operation.fragments[name]
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

/** How many objects a field may return: its page size, or the number of ids or representations in its arguments. */
function lengthOf(field: GraphQLField<unknown, unknown>, given: (name: string) => unknown): number {
  const keys = given('ids') ?? given('representations')
  if (keys === ANY) return Number.POSITIVE_INFINITY
  if (Array.isArray(keys)) return keys.length
  const takes = (name: string) => field.args.some((arg) => arg.name === name)
  if (takes('limit')) return pageSize(given('limit'))
  if (takes('first')) return pageSize(given('first') ?? given('last'))
  return field.extensions.assumedLength ?? 1
}

/** The given page size. A value that is not a page size counts as the default, because the resolver will refuse it. */
function pageSize(given: unknown): number {
  if (given === ANY) return MAX_LIMIT
  return typeof given === 'number' && given > 0 && given <= MAX_LIMIT ? given : DEFAULTS.limit
}
