import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { z } from 'zod'

/** Documents that an operator trusts, by the hash or other id that clients send for them. */
export type TrustedDocuments = ReadonlyMap<string, string>

/** Documents that clients have registered are kept in memory, the least used of so many given up first. */
const REGISTERED_LIMIT = 1_000

/** How clients name a document: Apollo's automatic persisted queries, or `documentId`. */
const naming = z.union([
  z.object({ extensions: z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) }) }),
  z.object({ documentId: z.string() }),
])

/**
 * Lets clients send the id of a document instead of its text. With trusted documents no other is run; without them a client
 * registers one by sending its text together with its SHA-256 (automatic persisted queries), over GET or POST.
 */
export function documentsById(trusted: TrustedDocuments | undefined): Plugin {
  const texts = trusted && new Set(trusted.values())
  const registered = new Map<string, string>()
  return {
    onParams: ({ params, setParams }) => {
      const id = idOf(params)
      if (texts && trusted) {
        const query = id === undefined ? params.query : trusted.get(id)
        if (query === undefined || !texts.has(query))
          throw refusal('PERSISTED_QUERY_NOT_TRUSTED', 'Only trusted documents are run here')
        setParams({ ...params, query })
      } else if (id !== undefined) {
        setParams({ ...params, query: params.query ? register(registered, id, params.query) : recall(registered, id) })
      }
    },
  }
}

function idOf(params: unknown): string | undefined {
  const { data } = naming.safeParse(params)
  if (!data) return undefined
  return 'documentId' in data ? data.documentId : data.extensions.persistedQuery.sha256Hash
}

function register(registered: Map<string, string>, id: string, query: string): string {
  if (createHash('sha256').update(query).digest('hex') !== id) {
    throw refusal('PERSISTED_QUERY_HASH_MISMATCH', 'The SHA-256 is not that of the document')
  }
  registered.delete(id)
  registered.set(id, query)
  const [oldest] = registered.keys()
  if (registered.size > REGISTERED_LIMIT && oldest !== undefined) registered.delete(oldest)
  return query
}

function recall(registered: Map<string, string>, id: string): string {
  const query = registered.get(id)
  // Clients know this message, and send the document.
  if (query === undefined) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
  return register(registered, id, query)
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 200 } } })
}
