import { hash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { z } from 'zod'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { CatalogError } from '../../errors/errors.ts'
import { graphqlErrorOf } from '../../graphql/errors.ts'
import {
  createDocumentMap,
  createRegisteredDocuments,
  type InvalidDocument,
  type PreparedDocument,
  type PrepareOptions,
  prepareDocument,
  type RegisteredDocuments,
  type TrustedDocuments,
} from '../../graphql/operation/documents.ts'
import { type Executed, execute } from '../../graphql/operation/execute.ts'
import { findExcessLength } from '../../graphql/operation/limits.ts'
import { schema } from '../../graphql/schema.ts'
import type { GraphQLParams } from './protocol.ts'

/*
 * Yoga runs the plugins of a request's parameters here: persisted and trusted documents. It does not parse, validate,
 * execute or send anything.
 */

/**
 * Executes the operation of a request to /graphql. Errors of the document and of its execution are in the result.
 * @throws the errors of `readCatalog`
 */
type ExecuteParams = (params: GraphQLParams, readCatalog: ReadCatalog) => Promise<Executed>

interface YogaContext {
  readCatalog: ReadCatalog
}

interface YogaOptions extends PrepareOptions {
  /** If given, no other documents are executed. */
  trusted?: TrustedDocuments | undefined
  registered?: RegisteredDocuments | undefined
}

/**
 * Creates the function that executes requests through Yoga and its plugins. It does not use Yoga's Request and Response objects,
 * because they take longer than the rest of a small request (docs/decisions/0007-yoga-without-fetch.md). The server reads the
 * parameters and writes the response.
 */
export function createYogaAdapter({ trusted, registered, ...options }: YogaOptions): ExecuteParams {
  const yoga = createYoga<YogaContext>({
    schema: options.schema ?? schema,
    plugins: [persistedDocuments(trusted, registered), executeOperation(options)],
    extraParamNames: ['documentId'],
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    logging: false,
  })
  // Yoga gives a request to its plugins. Ours do not read it.
  const request = new yoga.fetchAPI.Request('http://localhost/graphql')
  return async (params, readCatalog) => {
    try {
      const result = await yoga.getResultForParams({ params, request }, { readCatalog })
      if (!isExecuted(result)) throw new TypeError('Yoga executed no operation')
      return result
    } catch (error) {
      // Another error is not about the document: the key does not work any more, or the database is unavailable.
      if (!(error instanceof GraphQLError) || error instanceof CatalogError) throw error
      return { errors: [graphqlErrorOf(error)], print: JSON.stringify }
    }
  }
}

function isExecuted(result: unknown): result is Executed {
  return result instanceof Object && 'print' in result
}

/** A plugin that replaces Yoga's execution with `execute`, which REST uses too. */
function executeOperation(options: PrepareOptions): Plugin<object, YogaContext> {
  const findDocument = documentStore(options)
  return {
    onParams: ({ setParamsHandler }) =>
      setParamsHandler(async ({ params, context }) => {
        const { query = '', operationName, variables, extensions } = params
        const request = { operationName, variables, showsCost: extensions?.cost === true }
        return execute(findDocument(query), request, context.readCatalog)
      }),
  }
}

/** Returns a function that prepares each document on first use. */
function documentStore(options: PrepareOptions): (query: string) => PreparedDocument | InvalidDocument {
  const documents = createDocumentMap<PreparedDocument | InvalidDocument>((_document, query) => query.length)
  return (query) => {
    const known = documents.get(query)
    if (known) return known
    const excess = findExcessLength(query)
    if (excess) return { errors: [excess] }
    const document = prepareDocument(query, options)
    documents.set(query, document)
    return document
  }
}

/** The two ways to name a document: Apollo's automatic persisted queries, or `documentId`. */
const reference = z.union([
  z.object({ extensions: z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) }) }),
  z.object({ documentId: z.string() }),
])

/*
 * Yoga's own plugins don't fit: plugin-apq has other error codes and no `documentId`, and plugin-persisted-operations can't accept
 * the text of a trusted document.
 */

/**
 * A plugin that lets clients send the id of a document instead of its text. With trusted documents no other document is
 * executed. Without them a client registers a document by sending its text together with its SHA-256 (automatic persisted
 * queries).
 */
function persistedDocuments(
  trusted: TrustedDocuments | undefined,
  registered: RegisteredDocuments = createRegisteredDocuments(),
): Plugin {
  const findQuery = trusted ? trustedDocumentFinder(trusted) : registeredDocumentFinder(registered)
  return {
    onParams: ({ params, setParams }) => {
      const id = documentIdOf(params)
      // Most requests have no id, and a promise would delay them.
      if (id === undefined && !trusted) return undefined
      return findQuery(id, params.query).then((query) => {
        if (query !== undefined) setParams({ ...params, query })
      })
    },
  }
}

/** Returns the text of the document to execute. It throws a GraphQLError with a code `PERSISTED_QUERY_…` if the document is refused. */
type FindQuery = (id: string | undefined, query: string | undefined) => Promise<string | undefined>

function trustedDocumentFinder(trusted: TrustedDocuments): FindQuery {
  const documents = new Map([...trusted].map(([id, document]) => [withoutAlgorithm(id), document]))
  const texts = new Set(trusted.values())
  return async (id, query) => {
    const found = id === undefined ? query : documents.get(id)
    if (found !== undefined && texts.has(found)) return found
    return refuse('PERSISTED_QUERY_NOT_TRUSTED', 'This server executes only trusted documents')
  }
}

function registeredDocumentFinder(registered: RegisteredDocuments): FindQuery {
  return async (id, query) => {
    if (id === undefined) return query
    if (query) {
      if (hash('sha256', query) !== id) {
        return refuse('PERSISTED_QUERY_HASH_MISMATCH', 'The hash must be the SHA-256 of the document')
      }
      await registered.register(id, query)
      return query
    }
    // Clients know this message, and then send the document.
    return (await registered.find(id)) ?? refuse('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
  }
}

function documentIdOf(params: object): string | undefined {
  // Most requests have neither, and a failed parse takes longer than this check.
  if (!('documentId' in params) && !('extensions' in params)) return undefined
  const { data } = reference.safeParse(params)
  if (!data) return undefined
  return 'documentId' in data ? withoutAlgorithm(data.documentId) : data.extensions.persistedQuery.sha256Hash
}

/** The hash of an id such as `sha256:…` (GraphQL over HTTP, appendix A.2: document identifiers). Other ids stay as they are. */
function withoutAlgorithm(id: string): string {
  return id.replace(/^sha256:/, '')
}

function refuse(code: string, message: string): never {
  throw new GraphQLError(message, { extensions: { code } })
}
