import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { writeSnapshot } from './objects.ts'

const database = await openDatabase(
  { kind: 'embedded', dataDir: 'memory://', poolSize: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 },
  { share: false },
)
await database.withSession(async (session) => {
  await migrate(session)
  await writeSnapshot(session)
})
await database.close()
