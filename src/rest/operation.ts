import { type ExecutionResult, parse, validate } from 'graphql'
import type { Catalog } from '../catalog/catalog.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import { type Executed, prepare, run } from '../graphql/raw-json.ts'
import { schema } from '../graphql/schema.ts'
import { membersOf } from './envelope.ts'
import type { RestRoute } from './routes.ts'

/** The resource in an operation's result, and the way to print what is made of it as JSON. */
export interface OperationResult {
  found: unknown
  print: Executed['print']
}

/** Runs an operation, or throws a `CatalogError`. */
export type Operation = (catalog: Catalog, variables: Record<string, unknown>) => Promise<OperationResult>

/**
 * Parses and validates a route's operation, once.
 * @param writesPages is whether PostgreSQL writes what it can (graphql/written.ts).
 */
export function compileOperation({ operation, resource }: RestRoute, writesPages: boolean): Operation {
  const document = parse(operation)
  const [invalid] = validate(schema, document)
  if (invalid) throw invalid
  const executable = writesPages ? prepare(document) : { schema, document }
  return async (catalog, variableValues) => {
    const { result, print } = await run(executable, catalog, { variableValues })
    return { found: find(result, resource), print }
  }
}

function find({ data, errors }: ExecutionResult, resource: RestRoute['resource']): unknown {
  const [error] = errors ?? []
  if (error) throw catalogErrorOf(error)
  return resource.reduce<unknown>((value, member) => membersOf(value)[member], data)
}
