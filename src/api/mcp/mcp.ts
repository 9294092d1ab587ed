import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FindKeyOrigins } from '../../auth/origins.ts'
import { parseOrigin } from '../../config/origin.ts'
import { isLoopback } from '../../config/url.ts'
import { shorten, validationFailed } from '../../errors/errors.ts'
import type { Caller } from '../../gateway/admission/admission.ts'
import { addDoor, type Services } from '../../gateway/answer.ts'
import { sendErrorBody, toCatalogError } from '../../gateway/error-reply.ts'
import { ResponseBody } from '../../gateway/reply.ts'
import { textBody } from '../../gateway/request-body.ts'
import type { ResponseCache } from '../../gateway/response-cache.ts'
import type { TrustedDocuments } from '../../graphql/operation/documents.ts'
import { isObject, parseJson } from '../../json.ts'
import { fromJsonText, removeNulls } from './arguments.ts'
import { createEndpoint } from './endpoint.ts'
import { toolError } from './errors.ts'
import { createTools, type Tool } from './tools.ts'

interface McpOptions {
  trusted: TrustedDocuments | undefined
  corsOrigins: readonly string[]
  findKeyOrigins: FindKeyOrigins
}

/** The SDK parses a message several times. A call of a tool has some hundred bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024

/** Adds POST /mcp, the Model Context Protocol over streamable HTTP (docs/agents.md). */
export function addMcpRoute(
  app: FastifyInstance,
  services: Services,
  { trusted, corsOrigins, findKeyOrigins }: McpOptions,
): void {
  const endpoint = createEndpoint(createTools(trusted))

  void app.register(async (routes) => {
    routes.addHook('onRequest', async (request, reply) => {
      const { origin } = request.headers
      if (request.method !== 'POST') return undefined
      // Pages may also have the origin of a key; admission checks the origins of this key.
      if (origin === undefined || isAllowedOrigin(origin, corsOrigins)) return undefined
      if ((await findKeyOrigins()).all.has(origin)) return undefined
      const error = { code: RPC_SERVER_ERROR, message: problemOfOrigin(origin) }
      return reply.code(403).send({ jsonrpc: '2.0', id: null, error })
    })
    addDoor(routes, services, {
      path: '/mcp',
      methods: ['POST'],
      bodyLimit: MAX_MESSAGE_BYTES,
      forms: [JSON_RESPONSE],
      ask: ({ request }) => ({ parse: () => parseMessage(request) }),
      read: async (message, { request, reply, caller }) => {
        const { responses } = services
        const result = await endpoint(message, (tool, given) => callTool({ request, caller, responses }, tool, given))
        void reply.code(result.status)
        if (result.text !== '') return { result }
        void reply.send()
        return undefined
      },
      render: ({ text, contentType }) => new ResponseBody(text, contentType),
      errorHandler: sendMcpError,
    })
  })
}

/** @throws `VALIDATION_FAILED` for a batch: each request counts once for the limit of its key */
function parseMessage(request: FastifyRequest) {
  const { text } = textBody(request, [JSON_RESPONSE.mediaType])
  const body = readMessage(parseJson(text))
  if (Array.isArray(body)) throw validationFailed([{ field: 'body', message: 'must be one message, not a batch' }])
  return { headers: protocolHeaders(request), text, body }
}

/** A message without nulls but that of its id, and with arguments as an object, which some agents write as JSON text. */
function readMessage(body: unknown): unknown {
  if (!isObject(body)) return body
  const { id, ...message } = body
  removeNulls(message)
  const { params } = message
  if (isObject(params) && 'arguments' in params) params.arguments = fromJsonText(params.arguments)
  return 'id' in body ? { ...message, id } : message
}

/** Sends an error in the form of JSON-RPC 2.0 (section 5.1), for a message that is not read. */
function sendMcpError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toCatalogError(thrown, request)
  const { message, extensions } = error
  const data = { ...extensions, requestId: request.id }
  const body = { jsonrpc: '2.0', id: null, error: { code: RPC_SERVER_ERROR, message, data } }
  sendErrorBody(request, reply, error, { contentType: 'application/json; charset=utf-8', body })
}

/** The first of the codes that JSON-RPC leaves to servers. */
const RPC_SERVER_ERROR = -32_000

interface Call {
  request: FastifyRequest
  caller: Caller
  responses: ResponseCache
}

/** A tool's response, from the response cache if it is there. */
async function callTool(
  { request, caller, responses }: Call,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<string | CallToolResult> {
  try {
    const variables = tool.toVariables(given)
    const cacheKey = `mcp ${tool.definition.name} ${JSON.stringify(variables)}`
    const cached = responses.find(cacheKey, caller)
    if (cached.response) return cached.response.body.toString()
    const { body, readLog } = await tool.respond(caller.readCatalog, variables)
    if (readLog) cached.store(new ResponseBody(body), readLog)
    return body.toString()
  } catch (error) {
    return toolError(toCatalogError(error, request), request.id)
  }
}

/**
 * Whether a page of this origin may send messages. The protocol demands this check against DNS rebinding
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning). No name that an attacker controls
 * is a loopback origin. Only browsers send an origin.
 */
function isAllowedOrigin(origin: string, corsOrigins: readonly string[]): boolean {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true
  return isLoopback(URL.parse(origin)?.hostname ?? '')
}

function problemOfOrigin(text: string): string {
  const parsed = parseOrigin(shorten(text, 100))
  if ('problem' in parsed) return `The header Origin: ${parsed.problem}`
  return `The origin ${parsed.origin} is neither in CORS_ORIGINS nor one of a key; add it to one of them`
}

/**
 * The headers that the SDK reads, when `textBody` has read `Content-Type`. It wants `text/event-stream` in `Accept` too, as the
 * protocol does, but every response is JSON.
 */
function protocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  const texts = own.map(([name, value]) => [name, String(value)] as const)
  const { mediaType } = JSON_RESPONSE
  return { ...Object.fromEntries(texts), accept: `${mediaType}, text/event-stream`, 'content-type': mediaType }
}

const JSON_RESPONSE = { mediaType: 'application/json' }
