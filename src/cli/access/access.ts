import { Command } from 'commander'
import { explainCommand } from './explain.ts'
import { listCommand } from './list.ts'

export function accessCommand(): Command {
  return new Command('access')
    .addHelpText('after', '\nExample:\n  npx catalog access explain app museums')
    .addCommand(explainCommand())
    .addCommand(listCommand())
}
