import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { serve } from '../server/serve.ts'
import { printLine } from './print.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('migrate the database and serve until SIGTERM; settings come from the environment')
    .addHelpText('after', '\nExample:\n  PORT=8080 npx catalog serve')
    .action(() => serve(readConfig(process.env), printLine))
}
