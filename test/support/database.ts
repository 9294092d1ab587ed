import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, inject } from 'vitest'
import type { DatabaseConfig } from '../../src/config/config.ts'
import type { Lease } from './database-pool.ts'
import { listObjects } from './database-state.ts'
import { startCopy } from './embedded-process.ts'
import { expectUnchanged } from './leftovers.ts'
import { type Database, openDatabase } from './open-database.ts'
import { copyTemplate, type EmptyDatabase } from './template.ts'

export interface TestDatabase {
  database: Database
  config: DatabaseConfig
  /** The settings with which another process uses this database. */
  env: Record<string, string>
  /** The SQL statements that Prisma has sent, in order. */
  statements: string[]
  /** Their parameters, in JSON. */
  parameters: string[]
  close: () => Promise<void>
}

/**
 * Gives the test file a database, migrated and empty, that stays open between files (database-pool.ts). `close` gives it back.
 * @throws from `close` if the file leaves other tables, triggers or settings behind than there were
 */
export async function createDatabase(): Promise<TestDatabase> {
  const socket = connect({ path: inject('pool'), allowHalfOpen: true })
  const { config, env, objects }: Lease = JSON.parse(await text(socket))
  const db = await open({ config, env })
  return emptyOnClose({
    ...db,
    close: async () => {
      try {
        expectUnchanged('its database', objects, await db.database.withSession(listObjects))
      } finally {
        await db.close()
        socket.end()
        await once(socket, 'close')
      }
    },
  })
}

/** A database for the tests of a file or of a group. */
export const useDatabase = (): TestDatabase => duringTests(createDatabase)

/**
 * Opens a database that only this test has, migrated and empty. It takes seconds on the embedded database: `createDatabase` does not.
 * But it has larger buffers: to insert 50,000 items takes a fifth less CPU time.
 */
export async function createOwnDatabase(): Promise<TestDatabase> {
  const { end, ...running } = await startCopy(inject('template'))
  const db = await open(running)
  return emptyOnClose({ ...db, close: () => db.close().then(end) })
}

/** Creates a database, migrated and empty, and does not open it. */
export const createEmpty = (): Promise<EmptyDatabase> => copyTemplate(inject('template'))

/**
 * Makes `close` empty the object. Vitest keeps the module of each test file as long as the process runs, and with it what the constants of
 * the module name: the caches of a hundred closed gateways do not fit into the heap.
 */
export function emptyOnClose<T extends { close: () => Promise<void> }>(resource: T): T {
  const { close } = resource
  const closeAndEmpty = async () => {
    await close()
    for (const name of Object.keys(resource)) Reflect.deleteProperty(resource, name)
  }
  return Object.assign(resource, { close: closeAndEmpty })
}

/** A resource that is open while the tests of a file or of a group run. It has members only then. */
export function duringTests<T extends { close: () => Promise<void> }>(open: () => Promise<T>): T {
  const resource: T = Object.create(null)
  beforeAll(async () => void Object.assign(resource, await open()))
  afterAll(async () => {
    await resource.close()
    for (const name of Object.keys(resource)) Reflect.deleteProperty(resource, name)
  })
  return resource
}

async function open({ config, env }: Omit<EmptyDatabase, 'drop'>): Promise<TestDatabase> {
  const statements: string[] = []
  const parameters: string[] = []
  const onStatement = (sql: string, json: string) => {
    statements.push(sql)
    parameters.push(json)
  }
  const database = await openDatabase(config, { share: true, onStatement })
  return { database, config, env, statements, parameters, close: () => database.close() }
}
