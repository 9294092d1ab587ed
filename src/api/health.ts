import type { FastifyInstance } from 'fastify'
import { VERSION } from '../config/version.ts'
import type { Database } from '../database/database.ts'
import { refused } from '../errors/errors.ts'
import { addRoute } from '../gateway/http.ts'

/** Adds /healthz (the process runs) and /readyz (it can reach its database). Neither needs an API key. */
export function addHealthRoutes(app: FastifyInstance, { ping }: Database): void {
  addRoute(app, {
    path: '/healthz',
    needsNoDatabase: true,
    handler: (_request, reply) => {
      void reply.header('cache-control', 'no-store').send({ status: 'ok' })
    },
  })
  // Anyone may send these requests, so all requests at one time share a statement.
  let check: Promise<unknown> | undefined
  const checkDatabase = () => {
    check ??= ping().finally(() => {
      check = undefined
    })
    return check
  }
  addRoute(app, {
    path: '/readyz',
    handler: async (request, reply) => {
      await checkDatabase().catch((error: unknown) => {
        throw refused('database', error)
      })
      request.server.outage.end()
      void reply.header('cache-control', 'no-store').send({ status: 'ready', version: VERSION })
    },
  })
}
