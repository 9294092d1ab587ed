import { METHODS } from 'node:http'
import cors from '@fastify/cors'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { storedKeys } from '../auth/stored-keys.ts'
import { createCatalogReader } from '../catalog/reader.ts'
import type { SpeedConfig } from '../config.ts'
import { unheardChanges } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import { CatalogError } from '../errors.ts'
import type { TrustedDocuments } from '../graphql/documents.ts'
import { AnswerCache } from './answer-cache.ts'
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
  speed: SpeedConfig
}

/** The application, without listening. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { database, corsOrigins, logLevel, trustedDocuments, speed } = options
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

  // Hooks with a callback, as each promise would cost every request a tenth of what a kept answer takes.
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    done()
  })
  closeConnections(app)
  if (speed.batchedSends) sendTogether(app)
  if (corsOrigins.length > 0) {
    await app.register(cors, { origin: [...corsOrigins], preflight: false, exposedHeaders: ['ETag', 'X-Request-Id'] })
  }
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownPath()))
  app.setErrorHandler((error, request, reply) => sendError(request, reply, toCatalogError(error, request)))

  const { prisma } = database
  const changes = database.followChanges()
  app.addHook('onClose', () => changes.close())
  const recordChanges = speed.keepRecords ? changes : unheardChanges
  const readCatalog = createCatalogReader(prisma, recordChanges, speed)
  const admit = createGatekeeper(storedKeys(prisma, recordChanges), readCatalog, changes)
  const answers = new AnswerCache(changes, speed.responseCacheBytes)
  const { writtenPages: writesPages, directGraphQL: isDirect } = speed
  mountRest(app, { admit, answers, writesPages })
  mountGraphQL(app, { admit, answers, trusted: trustedDocuments, isDirect, writesPages })
  mountHealth(app, database)
  return app
}

/**
 * Sends what is ready in one turn of the event loop at its end. Who waits on the other side, a proxy say, is then woken once for
 * all of it; on a machine with two cores that is worth up to three quarters (test/bench).
 */
function sendTogether(app: FastifyInstance): void {
  let ready: (() => void)[] = []
  const flush = () => {
    const sends = ready
    ready = []
    for (const send of sends) send()
  }
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    if (ready.push(done) === 1) setImmediate(flush)
  })
}

/** Once the application closes, a kept-alive connection ends with its answer, and a client that dawdles is cut off. */
function closeConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_GRACE_MS).unref()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) void reply.header('connection', 'close')
    done()
  })
}

function unknownPath(): CatalogError {
  return new CatalogError('NOT_FOUND', 'There is no such path')
}
