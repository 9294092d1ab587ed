import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { DatabaseConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'

/** A migrated database that each test file copies: a folder of the embedded database, or a template on a server. */
export type DatabaseTemplate = { kind: 'embedded'; folder: string } | { kind: 'postgres'; url: string; name: string }

declare module 'vitest' {
  export interface ProvidedContext {
    template: DatabaseTemplate
  }
}

/** `TEST_DATABASE_URL` is the URL of a PostgreSQL superuser. Without it the tests use the embedded database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.TEST_DATABASE_URL
  return url ? setupPostgres(project, url) : setupEmbedded(project)
}

async function setupEmbedded(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-template-'))
  await migrateTemplate({ kind: 'embedded', dataDir: folder, poolSize: 1, statementTimeoutMs: 60_000 })
  project.provide('template', { kind: 'embedded', folder })
  return () => rm(folder, { recursive: true, force: true })
}

async function setupPostgres(project: TestProject, url: string) {
  const name = `catalog_template_${randomUUID().slice(0, 8)}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const templateUrl = Object.assign(new URL(url), { pathname: name }).href
  await migrateTemplate({ kind: 'postgres', url: templateUrl, poolSize: 1, statementTimeoutMs: 60_000 })
  project.provide('template', { kind: 'postgres', url, name })
  return async () => {
    await admin.query(`DROP DATABASE ${name}`)
    await admin.end()
  }
}

async function migrateTemplate(config: DatabaseConfig) {
  const database = await openDatabase(config, { share: false })
  await database.withSession((session) => migrate(session))
  await database.close()
}
