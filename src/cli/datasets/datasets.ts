import { CatalogCommand } from '../command.ts'
import { restoreDatasetCommand } from '../history/undo.ts'
import { listCommand } from './list.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'
import { updateCommand } from './update.ts'

export const datasetsCommand = new CatalogCommand('datasets')
  .example('npx catalog datasets')
  .addCommand(listCommand, { isDefault: true })
  .addCommand(showCommand)
  .addCommand(updateCommand)
  .addCommand(removeCommand)
  .addCommand(restoreDatasetCommand)
