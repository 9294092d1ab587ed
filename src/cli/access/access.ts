import { CatalogCommand } from '../command.ts'
import { explainCommand } from './explain.ts'
import { listCommand } from './list.ts'

export const accessCommand = new CatalogCommand('access')
  .example('npx catalog access explain app museums')
  .addCommand(explainCommand)
  .addCommand(listCommand)
