import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'

/** A migrated database that is copied for tests: one of the embedded database, or one on a server. */
export type DatabaseTemplate = { kind: 'embedded' } | { kind: 'postgres'; url: string; name: string }

/** A database, migrated and empty, that is not open. */
export interface EmptyDatabase {
  config: DatabaseConfig
  /** The settings with which another process uses this database. */
  env: Record<string, string>
  drop: () => Promise<void>
}

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const CACHE = join(MODULES, '.cache/dataset-catalog')

/** What a test waits for may take long on a busy machine. */
const LIMITS = { poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
export const LIMITS_ENV = { CONNECT_TIMEOUT_MS: '60000', STATEMENT_TIMEOUT_MS: '60000' }

/** Copies the template to a new database. */
export async function copyTemplate(template: DatabaseTemplate): Promise<EmptyDatabase> {
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

/** Creates a template on the server with this URL of a superuser. The caller drops it. */
export async function createServerTemplate(url: string): Promise<DatabaseTemplate & { drop: () => Promise<void> }> {
  const name = `catalog_template_${randomUUID().slice(0, 8)}`
  await asAdmin(url, `CREATE DATABASE ${name}`)
  await createMigrated({ kind: 'postgres', url: Object.assign(new URL(url), { pathname: name }).href, ...LIMITS })
  return { kind: 'postgres', url, name, drop: () => asAdmin(url, `DROP DATABASE ${name} WITH (FORCE)`) }
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

/** Returns the folder of an embedded database, migrated and empty. It takes 10 seconds to create, so later runs use it too. */
export async function embeddedTemplate(): Promise<string> {
  const folder = join(CACHE, `embedded-${await fingerprint()}`)
  if (!existsSync(folder)) await createTemplate(folder)
  return folder
}

/** Copies the template into a new temporary folder, which the caller removes. */
export async function copyEmbedded(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  await cp(await embeddedTemplate(), dataDir, { recursive: true })
  return dataDir
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
  await createMigrated({ kind: 'embedded', dataDir, ...LIMITS })
  await rename(dataDir, folder).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true })
    if (!existsSync(folder)) throw error
  })
}

async function createMigrated(config: DatabaseConfig): Promise<void> {
  const database = await openDatabase(config, { share: false })
  await database.withSession((session) => migrate(session))
  await database.close()
}
