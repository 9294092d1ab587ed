import { Command } from 'commander'
import { migrate } from '../database/migrate.ts'
import { withOpenDatabase } from './database.ts'
import { printJson, printLine } from './print.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgresql://user@host/catalog npx catalog migrate')
    .action(run)
}

async function run({ json }: { json?: true }): Promise<void> {
  const applied = await withOpenDatabase((database) => database.withSession((session) => migrate(session)))
  if (json) printJson({ applied })
  else for (const line of applied.length > 0 ? applied : ['Nothing to apply']) printLine(line)
}
