import { type DocumentNode, getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { ReadCatalog, SnapshotResult } from '../catalog/snapshot/snapshot-reader.ts'
import { graphqlErrorOf } from './errors.ts'
import { LIMITS, measure, withinTime } from './limits.ts'
import { type Executable, prepare, run } from './raw-json.ts'
import { schema } from './schema.ts'

/*
 * Answers the plain request that nearly all are: a JSON body with a document that was seen before and is valid. Yoga would make a
 * Request and a Response of it, at more than the cost of all the rest. What is not plain (an error in the document, a document's id,
 * introspection, an answer with a status of its own) is left to Yoga, so that each thing is answered in one way.
 */

/** A request without `extensions`. */
const plainRequest = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

/** A body of a GraphQL response, and what was read for it. */
export interface DirectAnswer {
  body: string
  hasErrors: boolean
  readLog: SnapshotResult<unknown>['readLog']
}

/** Answers a request's body, or leaves it to Yoga. */
export type AnswerDirectly = (body: string, readCatalog: ReadCatalog) => Promise<DirectAnswer | undefined>

/** Documents come from strangers: so many are kept, the least used given up first. */
const KEPT_DOCUMENTS = 1_000

interface KnownDocument {
  document: DocumentNode
  executable: Executable
}

/**
 * @param writesPages is whether PostgreSQL writes what it can (written.ts).
 * @param report is told of what was thrown, so that what is not the client's is known of.
 */
export function createDirect(writesPages: boolean, report: (error: unknown) => void): AnswerDirectly {
  const documents = new LRUCache<string, KnownDocument>({ max: KEPT_DOCUMENTS })

  return async (body, readCatalog) => {
    const request = parseRequest(body)
    const known = request && findDocument(documents, request.query, writesPages)
    if (!known) return undefined
    const { document, executable } = known
    const { operationName, variables: variableValues = {} } = request
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined
    if (measure(document, operation, variableValues ?? {}).excess) return undefined
    const {
      result: { result, print },
      readLog,
    } = await readCatalog((catalog) =>
      withinTime(run(executable, catalog, { variableValues, operationName: operationName ?? null }), LIMITS.timeMs),
    )
    const { errors, ...rest } = result
    if (!errors) return { body: print(rest), hasErrors: false, readLog }
    const coded = errors.map(graphqlErrorOf)
    // Yoga knows what status the answer has then.
    if (!rest.data || coded.some(({ extensions }) => 'http' in extensions)) return undefined
    errors.forEach(report)
    return { body: print({ errors: coded, ...rest }), hasErrors: true, readLog }
  }
}

function parseRequest(body: string): z.output<typeof plainRequest> | undefined {
  try {
    return plainRequest.safeParse(JSON.parse(body)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function findDocument(
  documents: LRUCache<string, KnownDocument>,
  query: string,
  writesPages: boolean,
): KnownDocument | undefined {
  const known = documents.get(query)
  if (known) return known
  if (Buffer.byteLength(query) > LIMITS.bytes || /__(schema|type)\b/.test(query)) return undefined
  const document = parseDocument(query)
  if (!document || validate(schema, document).length > 0) return undefined
  const made = { document, executable: writesPages ? prepare(document) : { schema, document } }
  documents.set(query, made)
  return made
}

function parseDocument(query: string): DocumentNode | undefined {
  try {
    return parse(query, { maxTokens: LIMITS.tokens, noLocation: false })
  } catch {
    // Yoga says what is wrong with it.
    return undefined
  }
}
