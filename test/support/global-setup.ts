import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createMigrated, embeddedTemplate } from './template.ts'

/** A migrated database that each test file copies: one of the embedded database, or one on a server. */
export type DatabaseTemplate = { kind: 'embedded' } | { kind: 'postgres'; url: string; name: string }

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
  await embeddedTemplate()
  project.provide('template', { kind: 'embedded' })
  return async () => {}
}

async function setupPostgres(project: TestProject, url: string) {
  const name = `catalog_template_${randomUUID().slice(0, 8)}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const templateUrl = Object.assign(new URL(url), { pathname: name }).href
  await createMigrated({
    kind: 'postgres',
    url: templateUrl,
    poolSize: 1,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
  })
  project.provide('template', { kind: 'postgres', url, name })
  return async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  }
}
