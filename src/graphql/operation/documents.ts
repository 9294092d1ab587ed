import { readFile } from 'node:fs/promises'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import type { FieldDetailsList, GroupedFieldSet } from 'graphql/execution/collectFields'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { messageOf, operationFailed } from '../../errors/errors.ts'
import { schema as catalogSchema } from '../schema.ts'
import { greatestSize } from './cost.ts'
import { countNodes, findExcess, findRepetitions, LIMITS } from './limits.ts'
import { type Fragments, fragmentsOf, type NodeForm, Projections } from './selected-fields.ts'

/** A valid document, and everything about it that does not depend on variables. */
export interface PreparedDocument {
  schema: GraphQLSchema
  document: DocumentNode
  fragments: Fragments
  projections: Projections
  /** By its operations. */
  operations: ReadonlyMap<OperationDefinitionNode, PreparedOperation>
}

/** The fields that graphql-js collects of each selection set. They are the same in each request, unless the document has directives. */
export interface CollectedFields {
  root?: GroupedFieldSet
  ofObject: Map<FieldDetailsList, { type: GraphQLObjectType; fields: GroupedFieldSet }>
}

/** What is known of an operation before its variables are. */
interface PreparedOperation {
  /** Whether it exceeds no limit with any variables. */
  isAlwaysSmall: boolean
  /** Undefined if they depend on variables. */
  collected: CollectedFields | undefined
}

function prepareOperations(
  document: DocumentNode,
  schema: GraphQLSchema,
  fragments: Fragments,
  dependsOnVariables: boolean,
): Map<OperationDefinitionNode, PreparedOperation> {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return new Map(
    operations.map((operation) => [
      operation,
      {
        isAlwaysSmall: !findExcess(greatestSize(operation, { schema, fragments })),
        collected: dependsOnVariables ? undefined : { ofObject: new Map() },
      },
    ]),
  )
}

/** A document that can't be executed, and why. */
export interface InvalidDocument {
  errors: readonly GraphQLError[]
  /** Undefined if the text has no syntax of a document. */
  document?: DocumentNode
}

export interface PrepareOptions {
  /** The schema that clients see; by default the one without the fields for a gateway (federation.ts). */
  schema?: GraphQLSchema
  /** The form of the items that PostgreSQL writes as JSON (selected-fields.ts); by default that of GraphQL. */
  form?: NodeForm
}

/** The errors of a document that the response names. Each may print a large part of the document. */
const MAX_ERRORS = 20

/** Parses and validates a document, and finds what its fields read. It does not throw for a bad document: it returns the errors. */
export function prepareDocument(
  query: string,
  { form = 'graphql', schema = catalogSchema }: PrepareOptions = {},
): PreparedDocument | InvalidDocument {
  try {
    const document = parse(query, { maxTokens: LIMITS.tokens })
    const repetitions = findRepetitions(document)
    if (repetitions) return { errors: [repetitions], document }
    const errors = validate(schema, document, undefined, { maxErrors: MAX_ERRORS })
    if (errors.length > 0) return { errors, document }
    const counts = countNodes(document)
    const excess = findExcess(counts)
    if (excess) return { errors: [excess], document }
    const fragments = fragmentsOf(document)
    return {
      schema,
      document,
      fragments,
      projections: new Projections(form),
      operations: prepareOperations(document, schema, fragments, counts.directives > 0),
    }
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] }
    // The parser is recursive, and no other limit applies to the nesting of values.
    if (error instanceof RangeError) return { errors: [new GraphQLError('The document is nested too deeply')] }
    throw error
  }
}

/** Clients choose the documents, so their number and total length are limited. A prepared one takes 110 to 220 bytes a character. */
const MAX_DOCUMENTS = 1_000
const MAX_CHARACTERS = 500_000

/**
 * A bounded map for clients' documents. When it is full, it drops the least recently used one.
 * @param lengthOf returns the number of characters of an entry.
 */
export function createDocumentMap<Value extends {}>(
  lengthOf: (value: Value, key: string) => number,
): LRUCache<string, Value> {
  const sizeCalculation = (value: Value, key: string) => lengthOf(value, key) + 1
  return new LRUCache({ max: MAX_DOCUMENTS, maxSize: MAX_CHARACTERS, sizeCalculation })
}

/** Documents that an operator trusts, by the hash or other id that clients send. A hash may have the prefix `sha256:`. */
export type TrustedDocuments = ReadonlyMap<string, string>

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

const trustedDocuments = z.record(z.string().min(1), z.string())

/**
 * Reads the file of trusted documents: a JSON object of documents by hash, as code generators write it.
 * @returns undefined if there is no path
 * @throws `OPERATION_FAILED` if the file can't be read or has another form, or if a document is not valid in this schema
 */
export async function readTrustedDocuments(path: string | undefined): Promise<TrustedDocuments | undefined> {
  if (path === undefined) return undefined
  try {
    const trusted = new Map(Object.entries(trustedDocuments.parse(JSON.parse(await readFile(path, 'utf8')))))
    for (const [hash, document] of trusted) {
      const [invalid] = validate(catalogSchema, parse(document))
      if (invalid) throw operationFailed(`the document ${hash} is not valid: ${invalid.message}`)
    }
    return trusted
  } catch (error) {
    throw operationFailed(`TRUSTED_DOCUMENTS ${path} can't be used: ${messageOf(error)}`, error)
  }
}
