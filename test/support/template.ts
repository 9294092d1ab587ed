import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const CACHE = join(MODULES, '.cache/dataset-catalog')

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
  await createMigrated({ kind: 'embedded', dataDir, poolSize: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
  await rename(dataDir, folder).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true })
    if (!existsSync(folder)) throw error
  })
}

/** Creates a database with all migrations. */
export async function createMigrated(config: DatabaseConfig): Promise<void> {
  const database = await openDatabase(config, { share: false })
  await database.withSession((session) => migrate(session))
  await database.close()
}
