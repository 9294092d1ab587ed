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
const named = process.argv.slice(2).find((word) => !word.startsWith('-') && word !== 'help')
const isCompletion = named === 'completion' || named === 'complete'
for (const [name, [description, load]] of Object.entries(COMMANDS)) {
  const command = isCompletion || name === named ? await load() : new Command(name)
  program.addCommand(inherit(command.description(description)))
}
if (isCompletion) await (await import('./completion.ts')).addCompletion(program, process.argv.slice(2))
else program.command('completion').description('print a script that completes the words of this command in a shell')

/** Makes subcommands report errors in their arguments and exit as the program does. */
function inherit(command: Command): Command {
  for (const subcommand of command.commands) inherit(subcommand)
  // Commander takes any word as an argument of the default command.
  command.hook('preSubcommand', (group, subcommand) => {
    const [word = subcommand.name()] = group.args
    if (word === subcommand.name() || word.startsWith('-')) return
    const names = group.commands.map((known) => known.name())
    group.error(`error: unknown command '${word}'; the commands are ${names.join(', ')}`)
  })
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
  await program.parseAsync()
} catch (error) {
  // Commander has already printed what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    printFailure(error)
    process.exitCode = 1
  }
}
