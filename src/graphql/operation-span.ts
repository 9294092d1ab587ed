import { inSpan } from '../tracing.ts'

/** Runs an operation within a span of the trace, named as OpenTelemetry's conventions for GraphQL have it. */
export function inOperationSpan<Result>(name: string | null | undefined, run: () => Promise<Result>): Promise<Result> {
  const attributes = { 'graphql.operation.type': 'query', ...(name && { 'graphql.operation.name': name }) }
  return inSpan('graphql query', { attributes }, run)
}
