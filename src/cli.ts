#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --max-semi-space-size=32
import tab from '@bomb.sh/tab/commander'
import { Command, CommanderError } from 'commander'
import { accessCommand } from './cli/access/access.ts'
import { backupCommand, restoreCommand } from './cli/backup.ts'
import { completeNames } from './cli/completion.ts'
import { datasetsCommand } from './cli/datasets/datasets.ts'
import { doctorCommand } from './cli/doctor.ts'
import { exportCommand } from './cli/export.ts'
import { historyCommand } from './cli/history/history.ts'
import { undoCommand } from './cli/history/undo.ts'
import { importCommand } from './cli/import/import.ts'
import { keysCommand } from './cli/keys/keys.ts'
import { migrateCommand } from './cli/migrate.ts'
import { printFailure } from './cli/print.ts'
import { serveCommand } from './cli/serve.ts'
import { explainUnknownCommand } from './cli/unknown-command.ts'
import { readVersion } from './cli/version.ts'

const program = new Command('catalog')
  .description('Dataset Catalog: serve datasets of places, import them, and manage the API keys to read them')
  .version(readVersion())
  .addHelpText('after', '\nExample:\n  npx catalog serve')
  .configureOutput({
    outputError: (message) =>
      printFailure(
        message
          .replace(/^error: /, '')
          .trim()
          .replace(/\s+/g, ' '),
      ),
  })
  .exitOverride()
  // `catalog history` and `catalog history show` both take --json.
  .enablePositionalOptions()

const commands = [
  ...[serveCommand(), migrateCommand(), importCommand(), exportCommand(), datasetsCommand()],
  ...[
    backupCommand(),
    restoreCommand(),
    historyCommand(),
    undoCommand(),
    keysCommand(),
    accessCommand(),
    doctorCommand(),
  ],
]
for (const command of commands) program.addCommand(inherit(command))
explainUnknownCommand(program)
// Adds `catalog completion SHELL`, which prints a script. The shell then asks this program for the possible words.
const completion = tab(program, { completionCommandName: 'completion' })

/** Makes subcommands report errors in their arguments and exit as the program does. */
function inherit(command: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand)
  explainUnknownCommand(command)
  return command.copyInheritedSettings(program)
}

// The reader of the output may stop early (`| head`). The command still completes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  printFailure(`The output can't be written: ${error.message}`)
  process.exitCode = 1
})
// An error of stderr can't be reported anywhere.
process.stderr.on('error', () => {})

try {
  const [, , command, separator, ...words] = process.argv
  if (command === 'complete' && separator === '--') await completeNames(completion, words)
  await program.parseAsync()
} catch (error) {
  // Commander has already printed what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    printFailure(error)
    process.exitCode = 1
  }
}
