import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { TestProject } from 'vitest/node'
import { type PooledDatabase, servePool } from './database-pool.ts'
import { listObjects, removeRows } from './database-state.ts'
import { startCopy } from './embedded-process.ts'
import { openDatabase } from './open-database.ts'
import { createServerTemplate, type DatabaseTemplate, embeddedTemplate } from './template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    template: DatabaseTemplate
    /** The socket of the open databases (database-pool.ts). */
    pool: string
  }
}

/** `TEST_DATABASE_URL` is the URL of a PostgreSQL superuser. Without it the tests use the embedded database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { template, drop } = await prepareTemplate(process.env.TEST_DATABASE_URL)
  const folder = await mkdtemp(join(tmpdir(), 'catalog-pool-'))
  const pool = await servePool(folder, () => openCopy(template), Number(project.config.maxWorkers))
  project.provide('template', template)
  project.provide('pool', pool.path)
  return async () => {
    await pool.close()
    await rm(folder, { recursive: true })
    await drop()
  }
}

async function prepareTemplate(url?: string): Promise<{ template: DatabaseTemplate; drop: () => Promise<void> }> {
  if (url) {
    const { drop, ...template } = await createServerTemplate(url)
    return { template, drop }
  }
  await embeddedTemplate()
  return { template: { kind: 'embedded' }, drop: async () => {} }
}

/** A database of the pool stays open for hours in watch mode, and most test data needs no large buffers: this saves 110 MB. */
const POOLED_SETTINGS = 'shared_buffers = 16MB'

async function openCopy(template: DatabaseTemplate): Promise<PooledDatabase> {
  const { config, env, end } = await startCopy(template, POOLED_SETTINGS)
  const database = await openDatabase(config, { share: true })
  const objects = await database.withSession(listObjects)
  return {
    lease: { config, env, objects },
    reset: () =>
      database.withSession(async (session) => {
        await removeRows(session)
        return isDeepStrictEqual(await listObjects(session), objects)
      }),
    close: () => database.close().then(end),
  }
}
