import { Command } from 'commander'
import { restoreDatasetCommand } from '../history/undo.ts'
import { listCommand } from './list.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'
import { updateCommand } from './update.ts'

export function datasetsCommand(): Command {
  return new Command('datasets')
    .addHelpText('after', '\nExample:\n  npx catalog datasets')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(removeCommand())
    .addCommand(restoreDatasetCommand())
}
