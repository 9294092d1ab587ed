import cluster from 'node:cluster'
import { readConfig } from '../config/config.ts'
import { CatalogCommand } from './command.ts'
import { printLine } from './print.ts'

export const serveCommand = new CatalogCommand('serve').example('PORT=8080 npx catalog serve').action(run)

async function run(): Promise<void> {
  const config = readConfig(process.env)
  // Loaded only here, because the other commands start twice as fast without the server.
  if (cluster.isWorker) return (await import('../workers/worker.ts')).serveAsWorker(config)
  if (config.workers === 1) await (await import('../server/serve.ts')).serve(config, printLine)
  else await (await import('../workers/serve-with-workers.ts')).serveWithWorkers(config, printLine)
}
