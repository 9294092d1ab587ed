#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --max-semi-space-size=32
import tab from '@bomb.sh/tab/commander'
import { Command, CommanderError } from 'commander'
import { datasetsCommand } from './cli/datasets.ts'
import { doctorCommand } from './cli/doctor.ts'
import { importCommand } from './cli/import.ts'
import { keysCommand } from './cli/keys.ts'
import { migrateCommand } from './cli/migrate.ts'
import { printFailure } from './cli/print.ts'
import { serveCommand } from './cli/serve.ts'

const program = new Command('catalog')
  .description('The Dataset Catalog: serve datasets of places, load them, and issue keys to read them')
  .addHelpText('after', '\nExample:\n  npx catalog serve')
  .configureOutput({ outputError: (message) => printFailure(message.replace(/^error: /, '').replace(/\s+/g, ' ')) })
  .exitOverride()

const commands = [serveCommand(), migrateCommand(), importCommand(), datasetsCommand(), keysCommand(), doctorCommand()]
for (const command of commands) program.addCommand(inherit(command))
// `catalog completion bash` and the like print a script for the shell, which asks here what there is.
tab(program, { completionCommandName: 'completion' })

/** Mistakes in the arguments of subcommands are told, and end them, as those of the program. */
function inherit(command: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand)
  return command.copyInheritedSettings(program)
}

// Whoever reads our output may stop reading (`| head`); the work is done all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  printFailure(`The output can't be written: ${error.message}`)
  process.exitCode = 1
})
// There is nobody left to tell.
process.stderr.on('error', () => {})

try {
  await program.parseAsync()
} catch (error) {
  // Commander has said what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    printFailure(error)
    process.exitCode = 1
  }
}
