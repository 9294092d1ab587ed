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

/** Creates a database, migrated and empty, and does not open it. */
export async function createEmpty() {
  const template = inject('template')
  const limits = { poolSize: 4, statementTimeoutMs: 60_000 }
  if (template.kind === 'embedded') {
    const dataDir = await copyEmbedded()
    const config: DatabaseConfig = { kind: 'embedded', dataDir, ...limits }
    return { config, env: { DATA_DIR: dataDir }, drop: () => rm(dataDir, { recursive: true, force: true }) }
  }
  const name = `catalog_test_${randomUUID().slice(0, 8)}`
  await asAdmin(template.url, `CREATE DATABASE ${name} TEMPLATE ${template.name}`)
  const url = Object.assign(new URL(template.url), { pathname: name }).href
  const config: DatabaseConfig = { kind: 'postgres', url, ...limits }
  return {
    config,
    env: { DATABASE_URL: url, STATEMENT_TIMEOUT_MS: String(limits.statementTimeoutMs) },
    drop: () => asAdmin(template.url, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(sql)
  await admin.end()
}
