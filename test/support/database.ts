import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import type { DatabaseConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { copyEmbedded } from './template.ts'

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

/** Opens a new database, migrated and empty: a copy of the embedded template, or a database on the server. */
export async function createDatabase(): Promise<TestDatabase> {
  const { config, env, drop } = await createEmpty()
  const statements: string[] = []
  const parameters: string[] = []
  const onStatement = (sql: string, json: string) => {
    statements.push(sql)
    parameters.push(json)
  }
  const database = await openDatabase(config, { share: true, onStatement })
  return { database, config, env, statements, parameters, close: () => database.close().then(drop) }
}

/** A database, migrated and empty, that is not open. */
export type EmptyDatabase = Pick<TestDatabase, 'config' | 'env'> & { drop: () => Promise<void> }

/** What a test waits for may take long on a busy machine. */
const LIMITS = { poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
export const LIMITS_ENV = { CONNECT_TIMEOUT_MS: '60000', STATEMENT_TIMEOUT_MS: '60000' }

/** Creates a database, migrated and empty, and does not open it. */
export async function createEmpty(): Promise<EmptyDatabase> {
  const template = inject('template')
  if (template.kind === 'embedded') {
    const dataDir = await copyEmbedded()
    return {
      config: { kind: 'embedded', dataDir, ...LIMITS },
      env: { DATA_DIR: dataDir, ...LIMITS_ENV },
      drop: () => rm(dataDir, { recursive: true, force: true }),
    }
  }
  const name = `catalog_test_${randomUUID().slice(0, 8)}`
  await asAdmin(template.url, `CREATE DATABASE ${name} TEMPLATE ${template.name}`)
  const url = Object.assign(new URL(template.url), { pathname: name }).href
  return {
    config: { kind: 'postgres', url, ...LIMITS },
    env: { DATABASE_URL: url, ...LIMITS_ENV },
    drop: () => asAdmin(template.url, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** PostgreSQL waits five seconds until nobody uses a database that it copies or drops, and then refuses with this code. */
const OBJECT_IN_USE = '55006'

async function asAdmin(url: string, sql: string): Promise<void> {
  const admin = new pg.Client(url)
  await admin.connect()
  try {
    await admin.query(sql)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE)) throw error
    await asAdmin(url, sql)
  } finally {
    await admin.end()
  }
}
