import { METHODS } from 'node:http'
import cors from '@fastify/cors'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import type { Database } from '../database/database.ts'
import { CatalogError } from '../errors.ts'
import type { TrustedDocuments } from '../graphql/documents.ts'
import { createGatekeeper } from './gatekeeper.ts'
import { mountGraphQL } from './graphql.ts'
import { mountHealth } from './health.ts'
import { sendError, toCatalogError } from './reply.ts'
import { chooseRequestId } from './request-id.ts'
import { mountRest } from './rest.ts'

const REQUEST_TIMEOUT_MS = 30_000
const SHUTDOWN_GRACE_MS = 10_000
const MAX_BODY_BYTES = 256 * 1024
/** As long as Node's limit on the whole head of a request, so that it is never this one that is met. */
const MAX_PATH_PARAMETER_LENGTH = 16 * 1024

/** A browser is to take an answer for what it says it is, to show it in no frame, and to tell nobody where it was. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

export interface AppOptions {
  database: Database
  corsOrigins: readonly string[]
  logLevel: 'silent' | 'warn'
  /** Where there are any, /graphql runs no others. */
  trustedDocuments?: TrustedDocuments | undefined
}

/** The application, without listening. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { database, corsOrigins, logLevel, trustedDocuments } = options
  const app = fastify({
    logger: { level: logLevel, stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: chooseRequestId,
    requestTimeout: REQUEST_TIMEOUT_MS,
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH },
    // The path is not even percent-encoded UTF-8, so it is none of ours.
    frameworkErrors: (_error, request, reply) => sendError(request, reply, unknownPath()),
  })
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
  })
  closeConnections(app)
  await app.register(cors, { origin: [...corsOrigins], preflight: false, exposedHeaders: ['ETag', 'X-Request-Id'] })
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownPath()))
  app.setErrorHandler((error, request, reply) => sendError(request, reply, toCatalogError(error, request)))

  const admit = createGatekeeper(database.prisma)
  mountRest(app, admit)
  mountGraphQL(app, admit, trustedDocuments)
  mountHealth(app, database)
  return app
}

/** Once the application closes, a kept-alive connection ends with its answer, and a client that dawdles is cut off. */
function closeConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_GRACE_MS).unref()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}

function unknownPath(): CatalogError {
  return new CatalogError('NOT_FOUND', 'There is no such path')
}
