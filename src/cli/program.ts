import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { VERSION } from '../config/version.ts'
import { CatalogCommand } from './command.ts'
import { printFailure } from './print.ts'

/** Loads each command, in the order of the help. */
const COMMANDS = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  import: async () => (await import('./import/import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  datasets: async () => (await import('./datasets/datasets.ts')).datasetsCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  mirror: async () => (await import('./mirror.ts')).mirrorCommand,
  history: async () => (await import('./history/history.ts')).historyCommand,
  undo: async () => (await import('./history/undo.ts')).undoCommand,
  keys: async () => (await import('./keys/keys.ts')).keysCommand,
  access: async () => (await import('./access.ts')).accessCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  serve: 'migrate the database and serve requests until SIGTERM; settings are environment variables',
  migrate: 'apply the migrations that the database lacks',
  import: 'load or update datasets, each completely or not at all',
  export: 'write a dataset with all of its items to a file, to stdout or to a bundle; or all datasets to a folder',
  datasets: 'list, show, update, remove and restore datasets; without a command, list them',
  backup: 'copy the embedded database to a new folder, also while the gateway runs; on PostgreSQL use pg_dump',
  restore: 'replace the embedded database with a backup, while the gateway is stopped',
  mirror: 'keep datasets of another catalog in this one, or in a folder, and follow their changes',
  history: 'list the changes of one dataset or of all, also removed ones, the newest first',
  undo: 'return a dataset to the state before its last change; this can be undone too',
  keys: 'create, list, update, rotate and revoke API keys, and grant them access to datasets',
  access: 'explain which datasets a key may access, and why',
  doctor: 'check the configuration and the database, and say what to do; changes nothing',
} satisfies Record<keyof typeof COMMANDS, string>

// The reader of the output may stop early (`| head`). The command still completes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  printFailure(`The output can't be written: ${error.message}`)
  process.exitCode = 1
})
// An error of stderr can't be reported anywhere.
process.stderr.on('error', () => {})

/**
 * Runs the command that the arguments of this process name, and sets the exit code if it fails. Each call begins anew, so a process may
 * run several commands, one after the other.
 */
export async function runProgram(): Promise<void> {
  try {
    await (await createProgram(process.argv.slice(2))).parseAsync()
  } catch (error) {
    // Commander has already printed what is wrong with the arguments.
    if (error instanceof CommanderError) process.exitCode = error.exitCode
    else {
      printFailure(error)
      process.exitCode = 1
    }
    // The channel to the primary process would keep a worker alive that never gets ready.
    if (cluster.isWorker) process.disconnect?.()
  }
}

async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new CatalogCommand('catalog')
    .description('Dataset Catalog: serve datasets of places, import them, and manage the API keys to read them')
    .version(VERSION)
    .example('npx catalog serve')
    .configureOutput({
      outputError: (message) => printFailure(message.replace(/^error: |\s+$/g, '').replace(/\s+/g, ' ')),
    })
    .exitOverride()
    // `catalog history` and `catalog history show` both take --json.
    .enablePositionalOptions()

  // The first word that is no option. The others are only names in the help, because each loads much of the gateway.
  const named = words.find((word) => !word.startsWith('-') && word !== 'help')
  const isCompletion = named === 'completion' || named === 'complete'
  for (const [name, load] of Object.entries(COMMANDS)) {
    const command = isCompletion || name === named ? await load() : new Command(name)
    program.addCommand(inherit(command.description(DESCRIPTIONS[name] ?? ''), program))
  }
  if (isCompletion) await (await import('./completion.ts')).addCompletion(program, words)
  else program.command('completion').description('print a completion script for a shell')
  return program
}

/** Makes a command and its subcommands report errors in their arguments and exit as the program does. */
function inherit(command: Command, program: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand, program)
  return command.copyInheritedSettings(program)
}
