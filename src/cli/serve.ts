import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { printFailure, printLine } from './print.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('migrate the database and serve requests until SIGTERM; settings are environment variables')
    .addHelpText('after', '\nExample:\n  PORT=8080 npx catalog serve')
    .action(run)
}

async function run(): Promise<void> {
  const config = readConfig(process.env)
  // Loaded only here, because the other commands start twice as fast without the server.
  const { serve } = await import('../server/serve.ts')
  await serve(config, printLine, printFailure)
}
