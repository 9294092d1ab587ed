import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { GraphQLError, parse, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { z } from 'zod'
import { messageOf, operationFailed } from '../../errors.ts'
import { createDocumentMap } from '../operation/documents.ts'
import { schema } from '../schema.ts'

/*
 * Yoga's own plugins don't fit: plugin-apq has other error codes and no `documentId`, and plugin-persisted-operations can't accept
 * the text of a trusted document.
 */

/** Documents that an operator trusts, by the hash or other id that clients send. A hash may have the prefix `sha256:`. */
export type TrustedDocuments = ReadonlyMap<string, string>

/** The two ways to name a document: Apollo's automatic persisted queries, or `documentId`. */
const reference = z.union([
  z.object({ extensions: z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) }) }),
  z.object({ documentId: z.string() }),
])

/**
 * A Yoga plugin that lets clients send the id of a document instead of its text. With trusted documents no other document is
 * executed. Without them a client registers a document by sending its text together with its SHA-256 (automatic persisted
 * queries).
 */
export function persistedDocuments(
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

/** The documents that clients have registered, by their SHA-256 in hexadecimal. */
export interface RegisteredDocuments {
  find: (hash: string) => string | undefined | Promise<string | undefined>
  register: (hash: string, query: string) => void | Promise<void>
}

/** Creates a bounded store of registered documents in this process. */
export function createRegisteredDocuments(): RegisteredDocuments {
  const documents = createDocumentMap<string>((query) => query.length)
  return {
    find: (hash) => documents.get(hash),
    register: (hash, query) => {
      documents.set(hash, query)
    },
  }
}

const documents = z.record(z.string().min(1), z.string())

/**
 * Reads the file of trusted documents: a JSON object of documents by hash, as code generators write it.
 * @returns undefined if there is no path
 * @throws `OPERATION_FAILED` if the file can't be read or has another form, or if a document is not valid in this schema
 */
export async function readTrustedDocuments(path: string | undefined): Promise<TrustedDocuments | undefined> {
  if (path === undefined) return undefined
  try {
    const trusted = new Map(Object.entries(documents.parse(JSON.parse(await readFile(path, 'utf8')))))
    for (const [hash, document] of trusted) {
      const [invalid] = validate(schema, parse(document))
      if (invalid) throw operationFailed(`the document ${hash} is not valid: ${invalid.message}`)
    }
    return trusted
  } catch (error) {
    throw operationFailed(`TRUSTED_DOCUMENTS ${path} can't be used: ${messageOf(error)}`, error)
  }
}
