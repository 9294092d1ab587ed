import type { ExecutionResult } from 'graphql'
import { z } from 'zod'
import { CatalogError, ERRORS, validationFailed } from '../../errors/errors.ts'
import { parseQueryString } from '../../gateway/query-string.ts'
import { parseJson } from '../../json.ts'

/*
 * Reads the parameters of a GraphQL request (GraphQL over HTTP, section 5) from a body or a query string.
 */

const text = z.string('must be text')

const MAX_CHARACTERS = 1_000

const name = text.max(MAX_CHARACTERS, `must be at most ${MAX_CHARACTERS} characters long`)

/** Apollo's automatic persisted queries. */
const persistedQuery = z.object({ version: z.literal(1, 'must be 1'), sha256Hash: name })

/** graphql-js prints the whole object for each member that its type does not have, which takes quadratic time. No input object is as long. */
const variable = z
  .unknown()
  .refine(
    (value) => !(value instanceof Object) || Array.isArray(value) || withoutLength(value, MAX_CHARACTERS) >= 0,
    `must be at most ${MAX_CHARACTERS} characters long`,
  )

/** Subtracts the length of a JSON value, about that of its text. It stops below zero, and so goes no deeper than this length. */
function withoutLength(value: unknown, length: number): number {
  if (!(value instanceof Object)) return length - String(value).length
  let left = length
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) break
    left = withoutLength(member, left - name.length - 1)
  }
  return left
}

const graphqlParams = z.preprocess(
  withoutNulls,
  z
    .strictObject({
      query: text.exactOptional(),
      documentId: name.exactOptional(),
      operationName: name.exactOptional(),
      variables: z.record(z.string(), variable, 'must be an object').exactOptional(),
      extensions: z
        .looseObject({ persistedQuery: persistedQuery.exactOptional() }, 'must be an object')
        .exactOptional(),
    })
    .refine(({ query, documentId, extensions }) => query || documentId || extensions?.persistedQuery, {
      path: ['query'],
      error: 'is required',
    }),
)

/** A parameter of a URL. Empty text counts as absent. */
const urlText = z.string().transform((given) => given || null)
const urlJson = z.string().transform((given, context) => {
  const value = parseJson(given || 'null')
  if (value === undefined) context.addIssue('must be JSON')
  return value
})

const urlParameters = z.object({
  query: urlText.exactOptional(),
  documentId: urlText.exactOptional(),
  operationName: urlText.exactOptional(),
  variables: urlJson.exactOptional(),
  extensions: urlJson.exactOptional(),
})

/** A parameter that is null counts as absent. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

/** The parameters of a request. `query`, `documentId` or `extensions.persistedQuery` identifies the document. */
export type GraphQLParams = z.output<typeof graphqlParams>

/** Media types of a body, each with its reader. */
const BODY_READERS: Readonly<Record<string, (body: string) => unknown>> = {
  'application/json': readJson,
  'application/graphql+json': readJson,
  'application/graphql': (query) => ({ query }),
}

/** The media types of a body that /graphql accepts. */
export const BODY_TYPES = Object.keys(BODY_READERS)

/**
 * The parameters in the body of a POST request.
 * @param bodyType is one of `BODY_TYPES`
 * @throws `VALIDATION_FAILED` that names every bad parameter
 */
export function readBody(bodyType: string, body: string): GraphQLParams {
  const value = BODY_READERS[bodyType]?.(body)
  if (Array.isArray(value)) throw validationFailed([{ field: 'body', message: 'must be one operation, not a batch' }])
  return parseParams(value)
}

/**
 * The parameters in the query string of a GET request. Other parameters are ignored.
 * @throws `VALIDATION_FAILED` that names every bad parameter
 */
export function readQueryString(queryString: string): GraphQLParams {
  return parseParams(parseQueryString(urlParameters, queryString))
}

function parseParams(value: unknown): GraphQLParams {
  const parsed = graphqlParams.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((field) => ({ field, message: 'is not a parameter of a GraphQL request' }))
      : [
          {
            field: issue.path.map(String).join('.') || 'body',
            message: issue.path.length ? issue.message : 'must be an object',
          },
        ],
  )
  throw validationFailed(problems)
}

function readJson(body: string): unknown {
  const value = parseJson(body)
  if (value === undefined) throw validationFailed([{ field: 'body', message: 'must be JSON' }])
  return value
}

/** The media types of a response (GraphQL over HTTP, section 4.1); the first is the default. */
export const RESPONSE_TYPES: readonly [ResponseType, ResponseType] = [
  { mediaType: 'application/json' },
  { mediaType: 'application/graphql-response+json' },
]

interface ResponseType {
  mediaType: 'application/json' | 'application/graphql-response+json'
}

/**
 * The status of the response to a well-formed request (GraphQL over HTTP, section 6.4). If execution began, the result has `data`
 * and the status is 200. Otherwise application/graphql-response+json has the status of the first error, and application/json
 * has 200.
 */
export function statusOf({ data, errors }: ExecutionResult, mediaType: ResponseType['mediaType']): number {
  const [error] = errors ?? []
  if (!error || data !== undefined || mediaType === 'application/json') return 200
  const { originalError } = error
  return originalError instanceof CatalogError ? ERRORS[originalError.code].status : 400
}
