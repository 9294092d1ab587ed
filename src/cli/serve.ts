import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { printFailure, printLine } from './print.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('migrate the database and serve until SIGTERM; settings come from the environment')
    .addHelpText('after', '\nExample:\n  PORT=8080 npx catalog serve')
    .action(run)
}

async function run(): Promise<void> {
  const config = readConfig(process.env)
  // Loaded here, as the other commands start in half the time without it.
  const { serve } = await import('../server/serve.ts')
  await serve(config, printLine, printFailure)
}
