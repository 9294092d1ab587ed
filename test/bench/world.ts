import pg from 'pg'
import { createKey } from '../../src/auth/keys.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type Database, openDatabase } from '../support/open-database.ts'
import { type SeedOptions, seed } from './seed.ts'

/** Opens the PostgreSQL database at a URL as the gateway does, but with a long statement timeout. */
export function openWorld(url: string): Promise<Database> {
  return openDatabase(
    { kind: 'postgres', url, poolSize: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 3_600_000 },
    { share: false },
  )
}

/** Creates a database beside the one at a URL, unless it exists, and returns its URL. */
export async function createDatabase(server: string, name: string): Promise<string> {
  const session = new pg.Client(server)
  await session.connect()
  const { rowCount } = await session.query('SELECT FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) await session.query(`CREATE DATABASE ${session.escapeIdentifier(name)}`)
  await session.end()
  return Object.assign(new URL(server), { pathname: name }).href
}

/** Migrates a database and fills its datasets. Existing items stay. */
export async function fillWorld(database: Database, datasets: readonly SeedOptions[]): Promise<void> {
  await database.withSession(async (session) => {
    await migrate(session)
    for (const dataset of datasets) await seed(session, dataset)
  })
}

/** Creates keys without tiers or grants, and deletes the keys of the run before. It returns the secrets of the keys. */
export async function createKeys({ prisma }: Database, count: number): Promise<string[]> {
  await prisma.apiKey.deleteMany({ where: { name: 'bench' } })
  const keys: string[] = []
  for (let n = 0; n < count; n += 1) keys.push((await createKey(prisma, { name: 'bench' })).key)
  return keys
}

/** PostGraphile has `datasetBySlug` only if slugs are unique by a constraint. A unique index is not enough. */
export async function letPostGraphileFindSlugs({ withSession }: Database): Promise<void> {
  await withSession((session) =>
    session.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_constraint WHERE conname = 'datasets_slug_key') THEN
        ALTER TABLE datasets ADD UNIQUE USING INDEX datasets_slug_key;
      END IF; END $$`),
  )
}
