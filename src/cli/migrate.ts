import { followMigrations, migrate } from '../database/migrate.ts'
import { CatalogCommand } from './command.ts'
import { withOpenDatabase } from './database.ts'
import { printLine, printNotice } from './print.ts'

export const migrateCommand = new CatalogCommand('migrate')
  .example('DATABASE_URL=postgresql://user@host/catalog npx catalog migrate')
  .printing({
    run: () =>
      withOpenDatabase(
        (database) =>
          database.withSession((session) => {
            followMigrations(session, printNotice)
            return migrate(session)
          }),
        { creates: true },
      ),
    print: (applied) => {
      for (const line of applied.length > 0 ? applied : ['Nothing to apply']) printLine(line)
    },
    toJson: (applied) => ({ applied }),
  })
