import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import { serviceUnavailable } from '../errors.ts'
import { mount } from './mount.ts'

/** Mounts /healthz (the process lives) and /readyz (it can serve); neither needs a key. */
export function mountHealth(app: FastifyInstance, { prisma }: Database): void {
  mount(app, {
    path: '/healthz',
    methods: ['GET'],
    handler: (_request, reply) => {
      void reply.header('cache-control', 'no-store').send({ status: 'ok' })
    },
  })
  mount(app, {
    path: '/readyz',
    methods: ['GET'],
    handler: async (_request, reply) => {
      await prisma.$queryRaw`SELECT 1`.catch((error: unknown) => {
        throw serviceUnavailable(error)
      })
      void reply.header('cache-control', 'no-store').send({ status: 'ready' })
    },
  })
}
