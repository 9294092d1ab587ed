import { type ExecutionResult, execute, parse, validate } from 'graphql'
import type { Catalog } from '../catalog/catalog.ts'
import { catalogErrorOf } from '../graphql/error.ts'
import { schema } from '../graphql/schema.ts'
import { membersOf } from './envelope.ts'
import type { RestRoute } from './routes.ts'

/** Runs an operation and gives the resource in its result, or throws a `CatalogError`. */
export type Operation = (catalog: Catalog, variables: Record<string, unknown>) => Promise<unknown>

/** Parses and validates a route's operation, once. */
export function compileOperation({ operation, resource }: RestRoute): Operation {
  const document = parse(operation)
  const [invalid] = validate(schema, document)
  if (invalid) throw invalid
  return async (catalog, variableValues) => {
    const result = await execute({ schema, document, contextValue: { catalog }, variableValues })
    return find(result, resource)
  }
}

function find({ data, errors }: ExecutionResult, resource: RestRoute['resource']): unknown {
  const [error] = errors ?? []
  if (error) throw catalogErrorOf(error)
  return resource.reduce<unknown>((value, member) => membersOf(value)[member], data)
}
