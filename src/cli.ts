#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { Command, CommanderError } from 'commander'
import { importCommand } from './cli/import.ts'
import { keysCommand } from './cli/keys.ts'
import { migrateCommand } from './cli/migrate.ts'
import { serveCommand } from './cli/serve.ts'
import { CatalogError, messageOf } from './errors.ts'

const program = new Command('catalog')
  .description('The Dataset Catalog: serve datasets of places, load them, and issue keys to read them')
  .configureHelp({ showGlobalOptions: true })
  .showSuggestionAfterError()
  .exitOverride()

for (const command of [serveCommand(), migrateCommand(), importCommand(), keysCommand()]) {
  program.addCommand(inherit(command))
}

/** Mistakes in arguments are thrown in subcommands too. */
function inherit(command: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand)
  return command.exitOverride().showSuggestionAfterError()
}

// Whoever reads our output may stop reading (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

try {
  await program.parseAsync()
} catch (error) {
  // Commander has said what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    process.stderr.write(`catalog: ${error instanceof CatalogError ? error.message : messageOf(error)}\n`)
    process.exitCode = 1
  }
}
