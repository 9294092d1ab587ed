import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { DatabaseConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'

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

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const CACHE = join(MODULES, '.cache/dataset-catalog')

/** The template of the embedded database takes 10 seconds to create, so later runs use it too. */
async function setupEmbedded(project: TestProject) {
  const folder = join(CACHE, `embedded-${await fingerprint()}`)
  if (!existsSync(folder)) await createTemplate(folder)
  project.provide('template', { kind: 'embedded', folder })
  return async () => {}
}

/** A hash of all that decides the content of the template: the migrations, PostgreSQL and PostGIS. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(name + checksum)
  for (const name of ['pglite', 'pglite-postgis']) {
    hash.update(await readFile(join(MODULES, '@electric-sql', name, 'package.json')))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Several runs may do this at once. The rename is atomic, and the first one wins. */
async function createTemplate(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const dataDir = await mkdtemp(join(CACHE, 'new-'))
  await migrateTemplate({ kind: 'embedded', dataDir, poolSize: 1, statementTimeoutMs: 60_000 })
  await rename(dataDir, folder).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true })
    if (!existsSync(folder)) throw error
  })
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
