import { createKey } from '../../src/auth/keys.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type SeedOptions, seed } from './seed.ts'

/** Opens the PostgreSQL database at a URL as the gateway does, with time for statements that are long. */
export function openWorld(url: string): Promise<Database> {
  return openDatabase({ kind: 'postgres', url, poolSize: 4, statementTimeoutMs: 3_600_000 }, { share: false })
}

/** Brings a database up to date and fills up its datasets; what is there already stays. */
export async function fillWorld(database: Database, datasets: readonly SeedOptions[]): Promise<void> {
  await database.withSession(async (session) => {
    await migrate(session)
    for (const dataset of datasets) await seed(session, dataset)
  })
}

/** So many keys that see what is public, each time the same in number: those of the run before are gone. */
export async function createKeys({ prisma }: Database, count: number): Promise<string[]> {
  await prisma.apiKey.deleteMany({ where: { name: 'bench' } })
  const keys: string[] = []
  for (let n = 0; n < count; n += 1) keys.push((await createKey(prisma, { name: 'bench' })).key)
  return keys
}
