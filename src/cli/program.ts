import { Command, CommanderError } from 'commander'
import { VERSION } from '../config/version.ts'
import { CatalogCommand } from './command.ts'
import { printFailure } from './print.ts'

/** The description and the module of each command. */
const COMMANDS: Readonly<Record<string, [description: string, load: () => Promise<Command>]>> = {
  serve: [
    'migrate the database and serve requests until SIGTERM; settings are environment variables',
    async () => (await import('./serve.ts')).serveCommand,
  ],
  migrate: [
    'apply the migrations that are missing in the database',
    async () => (await import('./migrate.ts')).migrateCommand,
  ],
  import: [
    'load or update datasets; each is imported completely or not at all',
    async () => (await import('./import/import.ts')).importCommand,
  ],
  export: [
    'write a dataset with all of its items to a file, to stdout or to a bundle; or all datasets to a folder',
    async () => (await import('./export.ts')).exportCommand,
  ],
  datasets: [
    'list, show, update, remove and restore datasets; without a command, list them',
    async () => (await import('./datasets/datasets.ts')).datasetsCommand,
  ],
  backup: [
    'copy the embedded database to a new folder, also while the gateway runs; on PostgreSQL use pg_dump',
    async () => (await import('./backup.ts')).backupCommand,
  ],
  restore: [
    'replace the embedded database with a backup, while the gateway is stopped',
    async () => (await import('./backup.ts')).restoreCommand,
  ],
  history: [
    'list the changes of one dataset or of all, the newest first; a removed dataset has a history too',
    async () => (await import('./history/history.ts')).historyCommand,
  ],
  undo: [
    'put a dataset back into the state before its last change; this can be undone too',
    async () => (await import('./history/undo.ts')).undoCommand,
  ],
  keys: [
    'create, list, update, rotate and revoke API keys, and grant them access to datasets',
    async () => (await import('./keys/keys.ts')).keysCommand,
  ],
  access: [
    'explain which datasets a key may access, and why',
    async () => (await import('./access/access.ts')).accessCommand,
  ],
  doctor: [
    'check the configuration and the database, and say what to do; changes nothing',
    async () => (await import('./doctor.ts')).doctorCommand,
  ],
}

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
  }
}

async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new CatalogCommand('catalog')
    .description('Dataset Catalog: serve datasets of places, import them, and manage the API keys to read them')
    .version(VERSION)
    .example('npx catalog serve')
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

  // The first word that is no option. The others are only names in the help, because each loads much of the gateway.
  const named = words.find((word) => !word.startsWith('-') && word !== 'help')
  const isCompletion = named === 'completion' || named === 'complete'
  for (const [name, [description, load]] of Object.entries(COMMANDS)) {
    const command = isCompletion || name === named ? await load() : new Command(name)
    program.addCommand(inherit(command.description(description), program))
  }
  if (isCompletion) await (await import('./completion.ts')).addCompletion(program, words)
  else program.command('completion').description('print a script that completes the words of this command in a shell')
  return program
}

/** Makes a command and its subcommands report errors in their arguments and exit as the program does. */
function inherit(command: Command, program: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand, program)
  return command.copyInheritedSettings(program)
}
