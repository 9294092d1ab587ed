import { type DocumentNode, GraphQLError, parse, validate, visit } from 'graphql'
import { LRUCache } from 'lru-cache'
import { schema } from '../schema.ts'
import { countNames, findExcessLength, LIMITS, type NameCounts } from './limits.ts'
import { type Fragments, fragmentsOf } from './projection.ts'
import { type Executable, withRawJson } from './raw-json.ts'

/** A valid document with everything that is known of it before its variables are. */
export interface PreparedDocument {
  document: DocumentNode
  fragments: Fragments
  counts: NameCounts
  executable: Executable
}

/** A document that can't be executed, and why. */
export interface InvalidDocument {
  errors: readonly GraphQLError[]
}

/** Prepares a document, or returns what it prepared before. */
export type DocumentStore = (query: string) => PreparedDocument | InvalidDocument

/** Clients choose the documents, so the store is bounded: by their number, and by the characters of all together. */
const MAX_DOCUMENTS = 1_000
const MAX_CHARACTERS = 4_000_000

/** A store of prepared documents; it gives up the least recently used one first. */
export function createDocumentStore(options: PrepareOptions): DocumentStore {
  const documents = new LRUCache<string, PreparedDocument | InvalidDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_document, query) => query.length + 1,
  })
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

export interface PrepareOptions {
  /** Whether PostgreSQL writes the items of pages as JSON where it can (raw-json.ts). */
  usesRawJson: boolean
}

/** Parses, validates, counts and rewrites a document. */
export function prepareDocument(query: string, { usesRawJson }: PrepareOptions): PreparedDocument | InvalidDocument {
  try {
    const document = parse(query, { maxTokens: LIMITS.tokens })
    const errors = validate(schema, document)
    if (errors.length > 0) return { errors }
    // Introspection must not show the fields that raw-json.ts adds to the schema.
    const executable = usesRawJson && !isIntrospection(document) ? withRawJson(document) : { schema, document }
    return { document, fragments: fragmentsOf(document), counts: countNames(document), executable }
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] }
    // The parser is recursive, and lists of values nest without a limit of their own.
    if (error instanceof RangeError) return { errors: [new GraphQLError('The document is nested too deeply')] }
    throw error
  }
}

function isIntrospection(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    Field: ({ name }) => {
      if (name.value === '__schema' || name.value === '__type') isFound = true
    },
  })
  return isFound
}
