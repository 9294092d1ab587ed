import type { FastifyInstance } from 'fastify'
import { addChangesRoute } from '../api/changes.ts'
import { addExportRoutes } from '../api/exports.ts'
import { addGraphQLRoute } from '../api/graphql/graphql.ts'
import { addHealthRoutes } from '../api/health.ts'
import { addMcpRoute } from '../api/mcp/mcp.ts'
import { addOgcRoutes } from '../api/ogc/ogc.ts'
import { addOpenApiRoutes } from '../api/openapi/openapi.ts'
import { addPages } from '../api/pages/pages.ts'
import { addRestRoutes } from '../api/rest/rest.ts'
import { addTileRoute } from '../api/tiles.ts'
import { createKeyCache } from '../auth/api-key.ts'
import type { KeyUsage } from '../auth/key-usage.ts'
import { cacheKeyOrigins } from '../auth/origins.ts'
import { openRateLimits, type RateLimits } from '../auth/rate-limit.ts'
import { createSnapshotReader } from '../catalog/snapshot-reader.ts'
import { readMirrorLags } from '../catalog/sql/change-log.ts'
import { WaitingRequests } from '../changes/waiting.ts'
import type { BaseMap } from '../config/base-maps.ts'
import type { Database } from '../database/database.ts'
import { createAdmission } from '../gateway/admission/admission.ts'
import { countSlots, type SlotKind, type Slots } from '../gateway/admission/fair-share.ts'
import { answerWithoutKey, createHttp, type HttpOptions } from '../gateway/http.ts'
import { ResponseCache } from '../gateway/response-cache.ts'
import type { RegisteredDocuments, TrustedDocuments } from '../graphql/operation/documents.ts'

/** The counts and documents that all processes of one port share. */
export interface Shared {
  rateLimits: RateLimits
  slots: Readonly<Record<SlotKind, Slots>>
  registeredDocuments: RegisteredDocuments
}

interface AppOptions extends HttpOptions {
  database: Database
  /** Where there are trusted documents, /graphql executes no others. */
  trustedDocuments?: TrustedDocuments | undefined
  /** Whether /graphql has the fields that a gateway of Apollo Federation needs. */
  federation?: boolean
  /** The base map of the explorer; undefined for that of the package. */
  baseMap?: BaseMap | undefined
  /** Memory for cached responses; 0 caches none. */
  responseCacheBytes: number
  /** Records the last use of each key. */
  keyUsage?: KeyUsage
  /** The key of visitors without one. */
  publicKey?: string | undefined
  /** Without it this process serves its port alone. */
  shared?: Shared
}

/** Creates the application: the HTTP server, the services that requests share, and the routes. It does not listen yet. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    database,
    metrics,
    trustedDocuments,
    baseMap,
    contact,
    federation = false,
    limits,
    keyUsage,
    publicKey,
    responseCacheBytes,
    shared,
  } = options
  const app = createHttp(options)

  const changeFeed = database.followChanges()
  app.addHook('onClose', () => changeFeed.close())
  const readCatalog = createSnapshotReader(database, changeFeed)
  const rateLimits = shared?.rateLimits ?? openRateLimits({ ...limits, report: (message) => app.log.warn(message) })
  app.addHook('onClose', async () => rateLimits.close())
  const findKey = createKeyCache(database.sql, changeFeed)
  const findKeyOrigins = cacheKeyOrigins(database.sql, changeFeed)
  answerWithoutKey(app, findKeyOrigins)
  const admit = createAdmission({
    findKey,
    findKeyOrigins,
    read: readCatalog,
    limits: rateLimits,
    maxInFlight: limits.maxInFlight,
    keyUsage,
    publicKey,
    report: (error) => app.log.warn(error),
  })
  const responses = new ResponseCache(changeFeed, responseCacheBytes)
  const services = { admit, responses }
  metrics?.watch({
    servers: () => [
      { role: 'primary', server: database.address, isUsable: changeFeed.latest() !== undefined },
      ...database.replicas.map(({ watch }) => ({ role: 'replica', server: watch.address, isUsable: watch.isUsable })),
    ],
    poolUse: database.poolUse,
    cacheLookups: () => responses.lookups,
    reads: () => readCatalog.reads,
    unread: app.unread,
    // Without the database the other metrics are needed most.
    mirrorLags: () =>
      readMirrorLags(database.sql).catch((error: unknown) => {
        app.log.debug(error, 'The lags of mirrors are not known')
        return []
      }),
  })
  addRestRoutes(app, services)
  addOpenApiRoutes(app, contact)
  const { sendGraphiql, sendOgc } = addPages(app, { baseMap, contact, publicKey, findKeyOrigins })
  addGraphQLRoute(app, services, {
    sendGraphiql,
    trusted: trustedDocuments,
    registered: shared?.registeredDocuments,
    federation,
  })
  addMcpRoute(app, services, { trusted: trustedDocuments, findKeyOrigins, corsOrigins: options.corsOrigins })
  addTileRoute(app, services)
  const slots = shared?.slots ?? countSlots(limits)
  addExportRoutes(app, services, slots.exports)
  addChangesRoute(app, services, new WaitingRequests(changeFeed, slots.waiting))
  addOgcRoutes(app, services, { contact, sendOgc })
  addHealthRoutes(app, database)
  return app
}
