import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { printJson, printLine } from './print.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('apply the migrations that the database does not have yet')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgresql://user@host/catalog npx catalog migrate')
    .action(run)
}

async function run({ json }: { json?: true }): Promise<void> {
  const database = await openDatabase(readConfig(process.env).database, { share: true })
  try {
    const applied = await database.withSession((session) => migrate(session))
    if (json) printJson({ applied })
    else for (const line of applied.length > 0 ? applied : ['Nothing to apply']) printLine(line)
  } finally {
    await database.close()
  }
}
