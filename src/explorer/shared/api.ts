import { ApiError } from './api-error.ts'
import { readKey } from './key.ts'
import { patiently } from './patience.ts'
import { SERVER } from './server.ts'

/*
 * Requests to this server, with the key of this tab.
 */

interface ErrorBody {
  error?: { code: string; message: string }
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: string } }[]
}

/**
 * Sends a request to a path of the gateway with the key, or with another key. It names its page, because the key of a frame works only
 * there. A browser would leave the whole path out of a long address. Throws an ApiError when the server can't be reached.
 */
export async function send(path: string, init: RequestInit = {}, key = readKey()): Promise<Response> {
  const headers = new Headers(init.headers)
  if (key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`)
  const page: RequestInit = { referrer: location.pathname, referrerPolicy: 'same-origin' }
  return reach(fetch(SERVER + path, { ...init, ...page, headers }), init.signal)
}

/** Sends a request, and returns the response if it is a success. Otherwise it throws an ApiError. */
export async function request(path: string, init: RequestInit = {}, key = readKey()): Promise<Response> {
  const response = await send(path, init, key)
  if (!response.ok) throw await readError(response)
  return response
}

/** Returns a response, or the body of one. Throws an ApiError when the server can't be reached, or the connection ends in the middle. */
export async function reach<Part>(part: Promise<Part>, signal?: AbortSignal | null): Promise<Part> {
  try {
    return await part
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'UNREACHABLE', 'The server does not answer. Is it running?')
  }
}

/** Runs a GraphQL operation, patiently, and returns its data. Throws an ApiError for the first error. */
export async function runGraphQL<Data>(
  query: string,
  variables: object,
  signal?: AbortSignal,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Data> {
  const { data, errors } = await runParts<Data>(query, variables, signal, parse)
  const [error] = errors.values()
  if (error) throw error
  return data
}

interface Answer<Data> {
  data: Data
  errors: ReadonlyMap<string, ApiError>
}

/** Runs an operation of several parts, and returns the data of those that the server gives, and the errors of the others by their names. */
export async function runParts<Data>(
  query: string,
  variables: object,
  signal?: AbortSignal,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Answer<Data>> {
  return patiently(async () => {
    const answer = await post<Data>({ query, variables }, signal, parse)
    const passing = [...answer.errors.values()].find(({ isTransient }) => isTransient)
    if (passing) throw passing
    return answer
  }, signal)
}

async function post<Data>(
  operation: object,
  signal: AbortSignal | undefined,
  parse: (text: string) => unknown,
): Promise<Answer<Data>> {
  const response = await request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(operation),
    ...(signal && { signal }),
  })
  const body = parse(await reach(response.text(), signal))
  if (!isResult<Data>(body)) throw new ApiError(response.status, 'ERROR', 'The server does not answer as GraphQL does')
  const { data, errors = [] } = body
  const named = errors.map(
    ({ path, message, extensions }) =>
      [String(path?.[0]), new ApiError(response.status, extensions?.code ?? 'ERROR', message)] as const,
  )
  return { data, errors: new Map(named) }
}

function isResult<Data>(body: unknown): body is { data: Data } & ErrorBody {
  return typeof body === 'object' && body !== null
}

/** Reads the error in a response that is not a success. */
export async function readError(response: Response): Promise<ApiError> {
  const fallback = `The server answers with ${response.status}`
  const retryAfter = response.headers.get('retry-after')
  try {
    const { error, errors }: ErrorBody = await response.json()
    const [first] = errors ?? []
    const code = error?.code ?? first?.extensions?.code ?? 'ERROR'
    return new ApiError(response.status, code, error?.message ?? first?.message ?? fallback, retryAfter)
  } catch {
    return new ApiError(response.status, 'ERROR', fallback, retryAfter)
  }
}
